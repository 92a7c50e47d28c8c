package tool

import (
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

func (d *decoder) decodeResultPath(v yamldoc.Value) {
	text, ok := v.Text()
	if ok && strings.TrimSpace(text) == "" {
		v.Add(diag.DefValue, "must not be empty")
	}
	d.def.HTTP.Result = text
}

// decodeAlreadyDoneStatuses reads the statuses of a repeated call that took effect before.
func (d *decoder) decodeAlreadyDoneStatuses(v yamldoc.Value) {
	items, ok := v.List()
	if !ok {
		return
	}
	if d.def.KeyHeader == "" {
		v.Add(diag.DefRequest, "done needs an idempotency key: without one a server cannot recognize a repeated call").Hint = "idempotent: {key: header Idempotency-Key}"
	}
	for _, item := range items {
		number, ok := item.Number()
		if status, good := parseErrorStatus(number.String()); good {
			d.def.HTTP.Done = append(d.def.HTTP.Done, status)
		} else if ok {
			item.Add(diag.DefValue, "expected a status from 400 to 599, got %s", number)
		}
	}
}

// parseErrorStatus parses a status from 400 to 599.
func parseErrorStatus(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 400 && n <= 599 && text == strconv.Itoa(n)
}

// decodeStatusErrorCodes reads the error codes of statuses.
func (d *decoder) decodeStatusErrorCodes(v yamldoc.Value) {
	if !v.IsPresent() {
		return
	}
	m, _ := v.Map()
	var codes []string
	for _, doc := range chat.ErrorCodes {
		if doc.Code != chat.UnknownTool {
			codes = append(codes, string(doc.Code))
		}
	}
	d.def.HTTP.Errors = map[int]chat.ErrorCode{}
	for _, key := range m.Keys() {
		status, good := parseErrorStatus(key)
		if !good {
			m.Key(key).Add(diag.DefValue, "expected a status from 400 to 599, got %q", key)
		}
		if slices.Contains(d.def.HTTP.Done, status) {
			m.Key(key).Add(diag.DefRequest, "done already lists %d as a success", status)
		}
		text, ok := m.Get(key).Text()
		if ok && !slices.Contains(codes, text) {
			f := m.Get(key).Add(diag.DefValue, "unknown error code %q", text)
			if f.Hint = schema.DidYouMean(strings.ToUpper(text), codes); f.Hint == "" {
				f.Hint = "see oneshot explain error-codes"
			}
		}
		d.def.HTTP.Errors[status] = chat.ErrorCode(text)
	}
}
