package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/model"
	"oneshot/pkg/wire"
)

func TestOllamaReply(t *testing.T) {
	s := serve(t, ok)
	got := ask(t.Context(), s.client(), question)
	want := chat.Response{
		Content: "Hello", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 3, OutputTokens: 2}, Model: "parrot",
		Raw: []byte(strings.TrimSuffix(hello, "\n")),
	}
	if diff := cmp.Diff(want, got.resp); diff != "" || got.err != nil {
		t.Errorf("error %v, response (-want +got):\n%s", got.err, diff)
	}
	if got.text != "Hello" || got.attempts != nil {
		t.Errorf("heard %q and attempts %v", got.text, got.attempts)
	}
}

// What is sent is exactly what was asked for.
func TestOllamaRequest(t *testing.T) {
	req := question
	req.Format = json.RawMessage("{ \"type\": \"object\",\n \"b\": 1.50, \"a\": \"<&>\" }")
	req.Params = map[string]json.RawMessage{
		"temperature": json.RawMessage("0.10"), "seed": json.RawMessage("12345678901234567890"),
		"num_ctx": json.RawMessage("8192"), "stop": json.RawMessage(`["</s>"]`), "think": json.RawMessage("false"),
	}
	req.Messages = append([]chat.Message{}, chat.Message{Role: chat.User, Content: "a < b & c"}, chat.Message{Role: chat.Assistant, Content: "yes"})
	s := serve(t, ok)
	if got := ask(t.Context(), s.client(), req); got.err != nil {
		t.Fatal(got.err)
	}
	want := `{"model":"parrot","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"a < b & c"},{"role":"assistant","content":"yes"}],` +
		`"stream":true,"options":{"num_ctx":8192,"seed":12345678901234567890,"stop":["</s>"],"temperature":0.10},"think":false,"truncate":false,"shift":false,` +
		`"format":` + string(req.Format) + `}`
	if diff := cmp.Diff(want, s.bodies[0]); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	header := http.Header{
		"Accept": {"application/x-ndjson"}, "Content-Type": {"application/json"}, "User-Agent": {"oneshot"},
		"Content-Length": {strconv.Itoa(len(want))}, "Connection": {"close"},
	}
	if diff := cmp.Diff(header, s.asked[0].Header); diff != "" { // Accept-Encoding is not among them
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if r := s.asked[0]; r.Method != http.MethodPost || r.URL.Path != "/api/chat" {
		t.Errorf("%s %s", r.Method, r.URL)
	}
}

func TestOllamaRequestThatCannotBeSent(t *testing.T) {
	for name, req := range map[string]chat.Request{
		"parameter num_ctx: not JSON": {Params: map[string]json.RawMessage{"num_ctx": json.RawMessage("8k")}},
		"parameter think: ":           {Params: map[string]json.RawMessage{"think": json.RawMessage(`"deeply"`)}},
		"request format: not JSON":    {Format: json.RawMessage(`{"type":`)},
	} {
		s := serve(t)
		if got := ask(t.Context(), s.client(), req); got.err == nil || !strings.HasPrefix(got.err.Error(), name) || s.requests() != 0 {
			t.Errorf("error %v after %d requests, want %q", got.err, s.requests(), name)
		}
	}
}

// Answers that no repetition can mend end the reply at once, with their type.
func TestOllamaRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   error
	}{
		{"bad request", 400, `{"error":"unexpected EOF"}`, &model.StatusError{Status: 400, Message: "unexpected EOF"}},
		{"no tools", 400, `{"error":"plain:latest does not support tools"}`, &model.StatusError{Status: 400, Message: "plain:latest does not support tools"}},
		{"overflow", 400, `{"error":"the input length exceeds the context length"}`, &model.OverflowError{Message: "the input length exceeds the context length"}},
		{"overflow of llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size"}}`, &model.OverflowError{Message: "the request exceeds the available context size [400]"}},
		{"unauthorised", 401, `{"error":"unauthorized","signin_url":"https://example.com"}`, &model.AuthError{Status: 401, Message: "unauthorized"}},
		{"forbidden", 403, "nginx: forbidden\n", &model.AuthError{Status: 403, Message: "nginx: forbidden"}},
		{"unknown model", 404, `{"error":"model 'parrot' not found"}`, &model.UnknownModelError{Name: "parrot"}},
		{"no such page", 404, "404 page not found", &model.StatusError{Status: 404, Message: "404 page not found"}},
		{"method", 405, "405 method not allowed", &model.StatusError{Status: 405, Message: "405 method not allowed"}},
		{"quota", 429, `{"error":{"message":"You are out of credit","code":"insufficient_quota"}}`, &model.StatusError{Status: 429, Message: "You are out of credit [insufficient_quota]"}},
		{"bad schema", 500, `{"error":"invalid JSON schema in format"}`, &model.FormatError{Err: &model.StatusError{Status: 500, Message: "invalid JSON schema in format"}}},
		{"bad format", 500, `{"error":"invalid format: \"xml\"; expected \"json\""}`, &model.FormatError{Err: &model.StatusError{Status: 500, Message: `invalid format: "xml"; expected "json"`}}},
		{"bad option", 500, `{"error":"option \"temperature\" must be of type float32"}`, &model.StatusError{Status: 500, Message: `option "temperature" must be of type float32`}},
		{"not implemented", 501, "", &model.StatusError{Status: 501}},
		{"elsewhere", 302, "", &model.StatusError{Status: 302}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, answer(tt.status, tt.body, "Location", "/other"), ok)
			got := ask(t.Context(), s.client(), question)
			if diff := cmp.Diff(tt.want, got.err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if s.requests() != 1 || got.attempts != nil {
				t.Errorf("%d requests, attempts %v", s.requests(), got.attempts)
			}
		})
	}
}

// The server's text is kept whole, up to 64 KiB, and shown as one short line.
func TestOllamaErrorText(t *testing.T) {
	page := "<html>\n" + strings.Repeat("gone ", 20<<10)
	s := serve(t, answer(410, page))
	got := ask(t.Context(), s.client(), question)
	var status *model.StatusError
	if !errors.As(got.err, &status) || status.Message != strings.TrimSpace(page[:64<<10]) {
		t.Fatalf("error %v", got.err)
	}
	if text := got.err.Error(); len(text) > 500 || strings.Contains(text, "\n") {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

// A response that cannot be read to its end is not asked for again once a piece
// of it has been heard.
func TestOllamaCutAfterDelta(t *testing.T) {
	for _, tt := range []struct {
		name string
		tail string
		kind wire.ErrorKind
	}{
		{"cut", "", wire.Cut},
		{"cut inside a line", `{"model":"par`, wire.Cut},
		{"error line", `{"error":"the runner has stopped"}` + "\n", wire.Server},
		{"no JSON", "<html>" + lineDone, wire.Garbled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, answer(200, lineOne+tt.tail), ok)
			got := ask(t.Context(), s.client(), question)
			var cut *model.CutError
			var fault *wire.Error
			if !errors.As(got.err, &cut) || !errors.As(cut, &fault) || fault.Kind != tt.kind {
				t.Errorf("error %v", got.err)
			}
			if got.text != "Hel" || got.resp.Content != "Hel" || s.requests() != 1 {
				t.Errorf("heard %q, response %q, %d requests", got.text, got.resp.Content, s.requests())
			}
		})
	}
}

// Before the first piece, a response that breaks off is like none; one that is
// no response at all will not be better the next time.
func TestOllamaCutBeforeDelta(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   string
		repeat bool
	}{
		{"empty", "", true},
		{"cut", `{"model":"par`, true},
		{"only a call", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]}}`, true},
		{"error object", `{"error":"busy"}`, true},
		{"a page", "<html>Please sign in</html>", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, answer(200, tt.body), ok)
				got := ask(t.Context(), s.client(), question)
				if tt.repeat && (got.err != nil || got.text != "Hello" || len(got.attempts) != 1 || got.resp.Calls != nil) {
					t.Errorf("%+v", got)
				}
				if !tt.repeat && (!errors.As(got.err, new(*model.CutError)) || s.requests() != 1) {
					t.Errorf("error %v after %d requests", got.err, s.requests())
				}
				s.close()
			})
		})
	}
}

// One line may be as long as the limit of the body.
func TestOllamaSizeLimit(t *testing.T) {
	line := `{"message":{"content":"` + strings.Repeat("x", 64<<20) + `"},"done":true,"done_reason":"stop"}`
	for _, tt := range []struct {
		limit int64
		fits  bool
	}{{int64(len(line)), true}, {int64(len(line)) - 1, false}, {0, false}} {
		s := serve(t, answer(200, line), ok)
		got := ask(t.Context(), s.configured(model.OllamaConfig{MaxBytes: tt.limit}), question)
		var fault *wire.Error
		switch {
		case tt.fits && (got.err != nil || len(got.text) != 64<<20):
			t.Errorf("limit %d: %d bytes, error %v", tt.limit, len(got.text), got.err)
		case !tt.fits && (!errors.As(got.err, &fault) || fault.Kind != wire.Large || s.requests() != 1):
			t.Errorf("limit %d: error %v after %d requests", tt.limit, got.err, s.requests())
		}
	}
}

// The end of the response is what counts, not that of the connection.
func TestOllamaDoneBeforeTheEndOfTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			send(w, hello)
			<-r.Context().Done()
		})
		start := time.Now()
		if got := ask(t.Context(), s.client(), question); got.err != nil || got.text != "Hello" || time.Since(start) != 0 {
			t.Errorf("%+v after %v", got, time.Since(start))
		}
		s.close()
	})
}

// The limits are on silence, and not on a long response that is doing well.
func TestOllamaTimeLimits(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, tt := range []struct {
		name string
		step http.HandlerFunc
		want *model.TimeoutError
		text string
		took time.Duration
	}{
		{"no header", wait, &model.TimeoutError{What: "first byte", Limit: 5 * time.Minute}, "", 5 * time.Minute},
		{"no body", func(w http.ResponseWriter, r *http.Request) { send(w, ""); wait(w, r) },
			&model.TimeoutError{What: "first byte", Limit: 5 * time.Minute}, "", 5 * time.Minute},
		{"stall", func(w http.ResponseWriter, r *http.Request) { send(w, lineOne); wait(w, r) },
			&model.TimeoutError{What: "further bytes", Limit: time.Minute}, "Hel", time.Minute},
		{"stall before a delta", func(w http.ResponseWriter, r *http.Request) { send(w, "\n"); wait(w, r) },
			&model.TimeoutError{What: "further bytes", Limit: time.Minute}, "", time.Minute},
		{"slow", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(4 * time.Minute)
			for range 30 {
				send(w, lineTwo)
				time.Sleep(59 * time.Second)
			}
			send(w, lineDone)
		}, nil, strings.Repeat("lo", 30), 4*time.Minute + 30*59*time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, tt.step, ok)
				start := time.Now()
				got := ask(t.Context(), s.client(), question)
				var limit *model.TimeoutError
				errors.As(got.err, &limit)
				if diff := cmp.Diff(tt.want, limit); diff != "" || (tt.want == nil) != (got.err == nil) {
					t.Errorf("error %v (-want +got):\n%s", got.err, diff)
				}
				if got.text != tt.text || got.resp.Content != tt.text || time.Since(start) != tt.took || s.requests() != 1 {
					t.Errorf("heard %q after %v and %d requests", got.text, time.Since(start), s.requests())
				}
				s.close()
			})
		})
	}
}

// A callback that takes its time is not the server's silence.
func TestOllamaSlowCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, ok)
		_, err := s.client().Reply(t.Context(), question, func(chat.Delta) { time.Sleep(time.Hour) })
		if err != nil {
			t.Error(err)
		}
		s.close()
	})
}

// V7: whatever the client is doing, it stops at once and says why.
func TestOllamaCancel(t *testing.T) {
	why := errors.New("the user is bored")
	for name, step := range map[string]http.HandlerFunc{
		"before the header": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"in the body":       func(w http.ResponseWriter, r *http.Request) { send(w, lineOne); <-r.Context().Done() },
		"in an error body":  func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503); send(w, "…"); <-r.Context().Done() },
		"in a pause":        answer(503, "", "Retry-After", "60"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, step, ok)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(7*time.Second, func() { cancel(why) })
				start := time.Now()
				got := ask(ctx, s.client(), question)
				if got.err != why || time.Since(start) != 7*time.Second || s.requests() != 1 {
					t.Errorf("error %v after %v and %d requests", got.err, time.Since(start), s.requests())
				}
				s.close()
			})
		})
	}
}

func TestOllamaConcurrentUse(t *testing.T) {
	s := serve(t, ok, ok, ok, ok)
	m := s.client()
	results := make(chan hearing)
	for range 4 {
		go func() { results <- ask(t.Context(), m, question) }()
	}
	for range 4 {
		if got := <-results; got.err != nil || got.text != "Hello" {
			t.Errorf("%+v", got)
		}
	}
}
