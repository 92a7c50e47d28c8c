package tool

import (
	"net/http"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema/yamldoc"
)

// decodeIdempotent reads whether a call can be repeated if its outcome is unknown: true, false, or with an idempotency
// key, {key: env NAME} for a program and {key: header NAME} for a server.
func (d *decoder) decodeIdempotent() {
	v := d.doc.Get("idempotent")
	if !v.IsMap() {
		d.def.Idempotent, _ = v.Bool()
		return
	}
	m, ok := v.Map("key")
	if !ok {
		return
	}
	key := m.Required("key")
	text, ok := key.Text()
	if !ok {
		return
	}
	switch where, name, _ := strings.Cut(text, " "); {
	case (where != "env" && where != "header") || name == "":
		key.Add(diag.DefValue, "expected env NAME or header NAME, got %q", text).Hint = "env passes the key to a program in that variable, header to a server in that header"
	case where == "env" && !d.doc.Get("exec").IsPresent():
		key.Add(diag.DefValue, "the tool runs no program that could get the key").Hint = d.idempotencyKeyHint()
	case where == "header" && !d.doc.Get("http").IsPresent():
		key.Add(diag.DefValue, "the tool sends no request that could carry the key").Hint = d.idempotencyKeyHint()
	case where == "header":
		d.decodeIdempotencyHeader(key, name)
	default:
		d.decodeIdempotencyVariable(key, name)
	}
}

// idempotencyKeyHint returns where the key can go instead.
func (d *decoder) idempotencyKeyHint() string {
	switch {
	case d.doc.Get("http").IsPresent():
		return "header Idempotency-Key, or another header the server knows"
	case d.doc.Get("exec").IsPresent():
		return "env IDEMPOTENCY_KEY, or another variable the program reads"
	}
	return "write true or false"
}

// standardHeaders have a meaning of their own in every request and cannot carry the key.
var standardHeaders = []string{"Accept", "Content-Type", "User-Agent"}

func (d *decoder) decodeIdempotencyHeader(v yamldoc.Value, name string) {
	if why, hint := headerNameError(name); why != "" {
		v.Add(diag.DefRequest, "%s %s", quote.JSON(name), why).Hint = hint
		return
	}
	if slices.Contains(standardHeaders, http.CanonicalHeaderKey(name)) {
		v.Add(diag.DefRequest, "%s has another meaning for servers", quote.JSON(name)).Hint = "header Idempotency-Key"
		return
	}
	if d.def.Effect == Read {
		v.Add(diag.DefValue, "reads are retried without a key").Hint = "remove idempotent, or set effect: write"
		return
	}
	d.def.KeyHeader = http.CanonicalHeaderKey(name)
}

func (d *decoder) decodeIdempotencyVariable(v yamldoc.Value, name string) {
	if why, hint := variableNameError(name); why != "" {
		v.Add(diag.DefProgram, "%s %s", quote.JSON(name), why).Hint = hint
		return
	}
	d.def.KeyEnv = name
}
