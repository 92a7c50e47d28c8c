package provider_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

func TestClientReply(t *testing.T) {
	s := serve(t, ok)
	got := ask(t.Context(), s.client(), question)
	want := chat.Response{
		Content: "Hello", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 3, OutputTokens: 2}, Model: "parrot", By: "parrot",
	}
	if diff := cmp.Diff(want, got.resp); diff != "" || got.err != nil {
		t.Errorf("error %v, response (-want +got):\n%s", got.err, diff)
	}
	if got.text != "Hello" || got.attempts != nil {
		t.Errorf("heard %q and attempts %v", got.text, got.attempts)
	}
}

// The sent request is the one that Compose returns, with unmasked credentials and the headers of the
// connection.
func TestClientRequest(t *testing.T) {
	s := serve(t, ok)
	m := s.configured(provider.Config{Header: http.Header{"Authorization": {"Bearer secret"}}})
	composed, err := m.Compose(conversation())
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), m, conversation()); got.err != nil {
		t.Fatal(got.err)
	}
	if diff := cmp.Diff(string(composed.Body), s.bodies[0]); diff != "" {
		t.Errorf("body (-composed +sent):\n%s", diff)
	}
	header := composed.Header.Clone()
	header.Set("Authorization", "Bearer secret")
	header.Set("Connection", "close")
	header.Set("Content-Length", strconv.Itoa(len(s.bodies[0])))
	if diff := cmp.Diff(header, s.asked[0].Header); diff != "" { // without Accept-Encoding
		t.Errorf("header (-composed +sent):\n%s", diff)
	}
	if r := s.asked[0]; r.Method != composed.Method || "http://"+r.Host+r.URL.Path != composed.URL {
		t.Errorf("%s %s%s", r.Method, r.Host, r.URL)
	}
}

func TestClientRequestThatCannotBeSent(t *testing.T) {
	s := serve(t)
	got := ask(t.Context(), s.client(), chat.Request{Params: params("num_ctx", "8k")})
	if !errors.As(got.err, new(*wire.ParameterError)) || s.requests() != 0 {
		t.Errorf("error %v after %d requests", got.err, s.requests())
	}
}

// The error keeps the server's text up to 64 KiB, and shows it as one short line.
func TestClientErrorText(t *testing.T) {
	page := "gone\n" + strings.Repeat("gone ", 20<<10)
	s := serve(t, answer(410, page))
	got := ask(t.Context(), s.client(), question)
	var status *provider.StatusError
	if !errors.As(got.err, &status) || status.Message != strings.TrimSpace(page[:64<<10]) {
		t.Fatalf("error %v", got.err)
	}
	if text := got.err.Error(); len(text) > 500 || strings.Contains(text, "\n") {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

// A response that breaks off is not retried after its first delta.
func TestClientCutAfterDelta(t *testing.T) {
	for _, tt := range []struct {
		name string
		tail string
		kind wire.ErrorKind
	}{
		{"cut", "", wire.Truncated},
		{"cut inside a line", `{"model":"par`, wire.Truncated},
		{"error line", `{"error":"the runner has stopped"}` + "\n", wire.ServerError},
		{"no JSON", "<html>" + lineDone, wire.Malformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, answer(200, lineOne+tt.tail), ok)
			got := ask(t.Context(), s.client(), question)
			var cut *provider.BrokenOffError
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

// A response that breaks off before its first delta is retried. A page is not, because a retry
// would not help.
func TestClientCutBeforeDelta(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   string
		repeat bool
	}{
		{"empty", "", true},
		{"cut", `{"model":"par`, true},
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
				if !tt.repeat && (!errors.As(got.err, new(*provider.BrokenOffError)) || s.requests() != 1) {
					t.Errorf("error %v after %d requests", got.err, s.requests())
				}
				s.close()
			})
		})
	}
}

// The default limit of a body is 64 MiB.
func TestClientSizeLimit(t *testing.T) {
	line := `{"message":{"content":"` + strings.Repeat("x", 64<<20) + `"},"done":true,"done_reason":"stop"}`
	s := serve(t, answer(200, line), ok)
	got := ask(t.Context(), s.client(), question)
	var fault *wire.Error
	if !errors.As(got.err, &fault) || fault.Kind != wire.TooLarge || s.requests() != 1 {
		t.Errorf("error %v after %d requests", got.err, s.requests())
	}
}

// The client returns at the end of the response, even if the connection stays open.
func TestClientDoneBeforeTheEndOfTheBody(t *testing.T) {
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

// The limits apply to silence, not to the total time of a response.
func TestClientTimeLimits(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, tt := range []struct {
		name string
		step http.HandlerFunc
		want *provider.TimeoutError
		text string
		took time.Duration
	}{
		{"no header", wait, &provider.TimeoutError{What: "response", Limit: 5 * time.Minute}, "", 5 * time.Minute},
		{"no body", func(w http.ResponseWriter, r *http.Request) { send(w, ""); wait(w, r) },
			&provider.TimeoutError{What: "response", Limit: 5 * time.Minute}, "", 5 * time.Minute},
		{"stall", func(w http.ResponseWriter, r *http.Request) { send(w, lineOne); wait(w, r) },
			&provider.TimeoutError{What: "further data", Limit: time.Minute}, "Hel", time.Minute},
		{"blanks", func(w http.ResponseWriter, r *http.Request) { send(w, "\n"); wait(w, r) },
			&provider.TimeoutError{What: "response", Limit: 5 * time.Minute}, "", 5 * time.Minute},
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
				var limit *provider.TimeoutError
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

// The time that a callback takes does not count as silence.
func TestClientSlowCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, ok)
		_, err := s.client().Reply(t.Context(), question, func(chat.Delta) { time.Sleep(time.Hour) })
		if err != nil {
			t.Error(err)
		}
		s.close()
	})
}

// V7: the client stops at once in any phase, and returns the cause.
func TestClientCancel(t *testing.T) {
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

func TestClientConcurrentUse(t *testing.T) {
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
