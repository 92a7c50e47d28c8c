package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// pauses are those before a request is made again.
var pauses = []time.Duration{250 * time.Millisecond, time.Second}

// A requester makes the requests of definitions.
type requester struct {
	fetcher
	secret func(name string) string
}

func (e Env) requests() requester {
	return requester{fetcher{e.Client, e.Secrets.Hide}, e.Secret}
}

// An answer is what became of a request.
type answer struct {
	page
	status int
	header http.Header
	err    error // it has no answer, or none that could be read
	sent   bool  // a server may have got it
	unsure bool  // one before it, with the same key, may have taken effect
}

// perform makes the request of a definition. Where it may be made again it is, if nobody answers,
// with the same key.
func (r requester) perform(ctx context.Context, t task) (chat.Result, error) {
	for _, name := range t.def.HTTP.Secrets {
		if r.secret == nil || r.secret(name) == "" {
			return chat.Failure(chat.Unauthorized, "the run has no secret %s", name), nil
		}
	}
	filled, err := t.def.FillRequest(t.args, r.secret)
	switch {
	case err != nil:
		return unstarted(err, chat.InvalidArguments)
	case r.client == nil:
		return chat.Failure(chat.Denied, "this run has no network"), nil
	}
	if t.keyedRequest() {
		filled.Header.Set(t.def.KeyHeader, t.key)
	}
	unsure, _ := ctx.Value(againKey{}).(bool)
	for i := 0; ; i++ {
		a := r.send(ctx, t, filled)
		a.unsure = unsure
		if !t.repeatable() || i == len(pauses) || !a.unanswered() || !sleep(ctx, pauses[i]) {
			return r.result(ctx, t, a)
		}
		unsure = unsure || a.effective()
	}
}

func (t task) keyedRequest() bool { return t.def.KeyHeader != "" && t.key != "" }

// repeatable reports whether a request may be made again, whatever became of it.
func (t task) repeatable() bool {
	return t.def.Effect == tool.Read || t.def.Idempotent || t.keyedRequest()
}

// sleep waits, unless the context is over before.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send makes a request once. It goes on to other addresses of the same server only, and only to read: those are
// what the definition names, so that a policy has nothing to say of them.
func (r requester) send(ctx context.Context, t task, filled tool.FilledRequest) (a answer) {
	ctx, connected := netguard.TrackConnected(ctx)
	defer func() { a.sent = connected() }()
	req, err := http.NewRequestWithContext(ctx, filled.Method, filled.URL, bytes.NewReader(filled.Body))
	if err != nil {
		return answer{err: err}
	}
	req.Close = t.def.Effect != tool.Read // so that package net/http does not make it again by itself
	req = req.WithContext(netguard.WithRedirectCheck(ctx, func(to *url.URL) error {
		if t.def.Effect != tool.Read || filled.Method != http.MethodGet || !netguard.SameOrigin(req.URL, to) {
			return netguard.ErrDoNotFollow
		}
		return nil
	}))
	req.Header.Set("User-Agent", "oneshot")
	req.Header.Set("Accept", "application/json, */*;q=0.5")
	maps.Copy(req.Header, filled.Header)
	resp, err := r.client.Do(req)
	var failed *url.Error
	if errors.As(err, &failed) {
		failed.URL = shortened(r.hide(failed.URL)) // what is said behind it counts more
	}
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	a = answer{status: resp.StatusCode, header: resp.Header}
	if a.page, err = readPage(resp, math.MaxInt32); err != nil { // the client has a limit of its own
		a.err = fmt.Errorf("the response breaks off: %w", err)
	}
	return a
}

// unanswered reports whether nobody answered who could say what became of the request.
func (a answer) unanswered() bool {
	var refused *netguard.RefusedError
	var packed *netguard.EncodingError
	if a.err != nil {
		return !errors.As(a.err, &refused) && !errors.As(a.err, &packed)
	}
	return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, a.status)
}

// effective reports whether a request may have taken effect.
func (a answer) effective() bool {
	var refused *netguard.RefusedError
	switch {
	case a.err != nil:
		return a.sent && !errors.As(a.err, &refused)
	case a.status >= 400 && a.status < 500, a.status == http.StatusNotImplemented:
		return false // the server says that it did nothing
	case a.status == http.StatusServiceUnavailable:
		return a.header.Get("Retry-After") == "" // a gateway says so, too, of a server that went away amid it
	}
	return true
}

// result makes a result of what became of a request.
func (r requester) result(ctx context.Context, t task, a answer) (chat.Result, error) {
	switch {
	case a.err != nil && ctx.Err() != nil:
		return chat.Result{}, a.err
	case a.err != nil:
		return unsettled(t, a, netFailure(a.err)), nil
	case a.status >= 200 && a.status < 300:
		return settled(t.def, r.data(t, a)), nil // as the server says
	case a.unsure && t.keyedRequest() && slices.Contains(t.def.HTTP.Done, a.status): // a key that no request had is known to nobody
		return chat.Success(struct {
			Already bool   `json:"already"`
			Said    string `json:"said,omitempty"`
		}{true, shortened(r.hide(a.text()))}), nil
	}
	return unsettled(t, a, r.refusal(ctx, t, a)), nil
}

// shortened returns the beginning of a text in one line, for a message.
func shortened(text string) string {
	return characters(strings.Join(strings.Fields(text), " "), 0, maxFragment)
}

// refusal is the result for a status that says no.
func (r requester) refusal(ctx context.Context, t task, a answer) chat.Result {
	said := statusFailure(a.status, r.hide(a.text()))
	code, known := t.def.HTTP.Errors[a.status]
	if again, _ := ctx.Value(againKey{}).(bool); !known {
		switch a.status {
		case http.StatusUnprocessableEntity:
			if code = chat.InvalidArguments; again && t.keyedRequest() { // the key came with another request before
				code = chat.Conflict
			}
		case http.StatusBadRequest:
			code = chat.InvalidArguments
		default:
			code = said.Error.Code
		}
	}
	message := said.Error.Message
	if to := a.header.Get("Location"); a.status >= 300 && a.status < 400 && to != "" {
		message += ": the server leads to " + shortened(r.hide(to)) + ", and the definition does not"
	}
	if wait := a.header.Get("Retry-After"); wait != "" && code.Doc().Retryable {
		message += "; Retry-After: " + shortened(r.hide(wait))
	}
	return chat.Failure(code, "%s", message)
}

// unsettled adds to a failure that the call may have taken effect, if it may: then nobody is to make
// it again who has not looked.
func unsettled(t task, a answer, failure chat.Result) chat.Result {
	switch {
	case t.def.Effect == tool.Read, t.def.Idempotent, !a.unsure && !a.effective():
		return failure
	case a.err != nil:
		return chat.Failure(chat.UnknownOutcome, "%s", failure.Error.Message+mayHave)
	}
	failure.Error.Message += mayHave
	failure.Error.Retryable = false
	return failure
}

// data is the result for a response that says yes.
func (r requester) data(t task, a answer) chat.Result {
	path, body := t.def.HTTP.Result, bytes.TrimPrefix(a.body, []byte("\ufeff"))
	media, _, _ := mime.ParseMediaType(a.contentType) // what is no media type is not JSON
	switch isJSON := media == "application/json" || strings.HasSuffix(media, "+json"); {
	case len(bytes.TrimSpace(body)) == 0:
		return chat.Success(nil)
	case !isJSON && path == "":
		return chat.Success(r.hide(a.text()))
	case a.cut:
		return chat.Failure(chat.TooLarge, "HTTP %d, and the response has %s", a.status, a.size)
	}
	if fault := schema.CheckStrict(body); fault != nil {
		return chat.Failure(chat.Failed, "HTTP %d, and the response is no JSON, in line %d: %s", a.status, max(fault.Span.Line, 1), fault.Message)
	}
	value := jsontext.Value(bytes.TrimSpace(body))
	if path != "" {
		value = jsontext.Value("null")
		if found := gjson.GetBytes(body, path); found.Exists() {
			value = jsontext.Value(found.Raw)
		}
	}
	if !value.IsValid() {
		return chat.Failure(chat.Failed, "HTTP %d, and the path %q of the definition makes no JSON of the response", a.status, path)
	}
	return chat.Result{Data: []byte(value)}
}
