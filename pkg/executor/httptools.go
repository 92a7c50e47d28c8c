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
	"oneshot/pkg/sleep"
	"oneshot/pkg/tool"
)

// retryDelays are the pauses before a request is retried.
var retryDelays = []time.Duration{250 * time.Millisecond, time.Second}

// A requester executes the calls of HTTP tools.
type requester struct {
	fetcher
	secret func(name string) string
}

func (e Env) requests() requester {
	return requester{fetcher{e.Client, e.Secrets.Hide}, e.Secret}
}

// A response is the response to a request, or its failure.
type response struct {
	page
	status             int
	header             http.Header
	err                error // no response, or none that could be read
	sent               bool  // a server may have received the request
	priorMayHaveEffect bool  // an earlier request with the same key may have taken effect
}

// execute makes the request of a definition. A repeatable request is retried with the same key if the
// server does not respond.
func (r requester) execute(ctx context.Context, t task) (chat.Result, error) {
	for _, name := range t.def.HTTP.Secrets {
		if r.secret == nil || r.secret(name) == "" {
			return chat.Failure(chat.Unauthorized, "the run has no secret %s", name), nil
		}
	}
	filled, err := t.def.FillRequest(t.args, r.secret)
	switch {
	case err != nil:
		return startFailure(err, chat.InvalidArguments)
	case r.client == nil:
		return chat.Failure(chat.Denied, "this run has no network"), nil
	}
	if t.hasKeyHeader() {
		filled.Header.Set(t.def.KeyHeader, t.key)
	}
	unsure := t.repeated
	for i := 0; ; i++ {
		a := r.sendOnce(ctx, t, filled)
		a.priorMayHaveEffect = unsure
		if !t.isRepeatable() || i == len(retryDelays) || !a.hasUnknownOutcome() || sleep.For(ctx, retryDelays[i]) != nil {
			return r.result(ctx, t, a)
		}
		unsure = unsure || a.mayHaveEffect()
	}
}

func (t task) hasKeyHeader() bool { return t.def.KeyHeader != "" && t.key != "" }

// isRepeatable reports whether a request may be made again, whatever its outcome.
func (t task) isRepeatable() bool {
	return t.def.Effect == tool.Read || t.def.Idempotent || t.hasKeyHeader()
}

// sendOnce makes a request once. It follows redirects only for reads and only to the same server, which the definition
// names, so the policy need not check them.
func (r requester) sendOnce(ctx context.Context, t task, filled tool.FilledRequest) (a response) {
	ctx, connected := netguard.TrackConnected(ctx)
	defer func() { a.sent = connected() }()
	req, err := http.NewRequestWithContext(ctx, filled.Method, filled.URL, bytes.NewReader(filled.Body))
	if err != nil {
		return response{err: err}
	}
	req.Close = t.def.Effect != tool.Read // prevents automatic retries by net/http
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
		failed.URL = excerpt(r.hide(failed.URL)) // leaves room for the error after it
	}
	if err != nil {
		return response{err: err}
	}
	defer resp.Body.Close()
	a = response{status: resp.StatusCode, header: resp.Header}
	if a.page, err = readPage(resp, math.MaxInt32); err != nil { // the client limits the size
		a.err = fmt.Errorf("the response broke off: %w", err)
	}
	return a
}

// hasUnknownOutcome reports whether the server gave no definite answer, so the outcome is unknown.
func (a response) hasUnknownOutcome() bool {
	var refused *netguard.RefusedError
	var packed *netguard.EncodingError
	if a.err != nil {
		return !errors.As(a.err, &refused) && !errors.As(a.err, &packed)
	}
	return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, a.status)
}

// mayHaveEffect reports whether a request may have taken effect.
func (a response) mayHaveEffect() bool {
	var refused *netguard.RefusedError
	switch {
	case a.err != nil:
		return a.sent && !errors.As(a.err, &refused)
	case a.status >= 400 && a.status < 500, a.status == http.StatusNotImplemented:
		return false // the server rejected it
	case a.status == http.StatusServiceUnavailable:
		return a.header.Get("Retry-After") == "" // gateways also use it for a server that failed during the request
	}
	return true
}

// result converts a response to a result.
func (r requester) result(ctx context.Context, t task, a response) (chat.Result, error) {
	switch {
	case a.err != nil && ctx.Err() != nil:
		return chat.Result{}, a.err
	case a.err != nil:
		return notePossibleEffect(t, a, netFailure(a.err)), nil
	case a.status >= 200 && a.status < 300:
		return noteTakenEffect(t.def, r.successResult(t, a)), nil // confirmed by the server
	case a.priorMayHaveEffect && t.hasKeyHeader() && slices.Contains(t.def.HTTP.Done, a.status): // the server knows the key only from an earlier request
		return chat.Success(struct {
			Already bool   `json:"already"`
			Said    string `json:"said,omitempty"`
		}{true, excerpt(r.hide(a.text()))}), nil
	}
	return notePossibleEffect(t, a, r.statusResult(t, a)), nil
}

// excerpt returns the beginning of a text on one line, for a message.
func excerpt(text string) string {
	return runeRange(strings.Join(strings.Fields(text), " "), 0, maxFragment)
}

// statusResult is the result for a failure status.
func (r requester) statusResult(t task, a response) chat.Result {
	said := statusFailure(a.status, r.hide(a.text()))
	code, known := t.def.HTTP.Errors[a.status]
	if !known {
		switch a.status {
		case http.StatusUnprocessableEntity:
			if code = chat.InvalidArguments; t.repeated && t.hasKeyHeader() { // the key was used with a different request
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
		message += ": the server redirects to " + excerpt(r.hide(to)) + ", which is not followed"
	}
	if wait := a.header.Get("Retry-After"); wait != "" && code.Doc().Retryable {
		message += "; Retry-After: " + excerpt(r.hide(wait))
	}
	return chat.Failure(code, "%s", message)
}

// notePossibleEffect notes in a failure that the call may have taken effect, if it may: then it must not be
// repeated without checking.
func notePossibleEffect(t task, a response, failure chat.Result) chat.Result {
	switch {
	case t.def.Effect == tool.Read, t.def.Idempotent, !a.priorMayHaveEffect && !a.mayHaveEffect():
		return failure
	case a.err != nil:
		return chat.Failure(chat.UnknownOutcome, "%s", failure.Error.Message+mayHaveTakenEffect)
	}
	failure.Error.Message += mayHaveTakenEffect
	failure.Error.Retryable = false
	return failure
}

// successResult is the result for a success status.
func (r requester) successResult(t task, a response) chat.Result {
	path, body := t.def.HTTP.Result, bytes.TrimPrefix(a.body, []byte("\ufeff"))
	media, _, _ := mime.ParseMediaType(a.contentType) // an invalid media type is not JSON
	switch isJSON := media == "application/json" || strings.HasSuffix(media, "+json"); {
	case len(bytes.TrimSpace(body)) == 0:
		return chat.Success(nil)
	case !isJSON && path == "":
		return chat.Success(r.hide(a.text()))
	case a.truncated:
		return chat.Failure(chat.TooLarge, "HTTP %d, but the response is too large: %s", a.status, a.size)
	}
	if fault := schema.CheckStrict(body); fault != nil {
		return chat.Failure(chat.Failed, "HTTP %d, but the response is not valid JSON, line %d: %s", a.status, max(fault.Span.Line, 1), fault.Message)
	}
	value := jsontext.Value(bytes.TrimSpace(body))
	if path != "" {
		value = jsontext.Value("null")
		if found := gjson.GetBytes(body, path); found.Exists() {
			value = jsontext.Value(found.Raw)
		}
	}
	if !value.IsValid() {
		return chat.Failure(chat.Failed, "HTTP %d, but the definition's path %q does not select JSON in the response", a.status, path)
	}
	return chat.Result{Data: []byte(value)}
}
