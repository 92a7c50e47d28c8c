package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/internal/testsize"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// each runs a test for every API, in a bubble.
func each(t *testing.T, test func(*testing.T, speech)) {
	for _, p := range speeches {
		t.Run(p.api.API, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, p) })
		})
	}
}

func TestReply(t *testing.T) {
	want := chat.Response{Content: "Hello", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 3, OutputTokens: 2}, Model: "parrot"}
	each(t, func(t *testing.T, p speech) {
		s := serve(t, answer(200, p.text()), answer(200, p.whole))
		for range 2 {
			got := ask(t.Context(), s.configured(p.config()), question)
			if diff := cmp.Diff(want, got.resp, cmpopts.IgnoreFields(chat.Response{}, "Native", "By")); diff != "" || got.err != nil || got.text != "Hello" {
				t.Errorf("error %v, heard %q, response (-want +got):\n%s", got.err, got.text, diff)
			}
		}
		if s.asked[0].URL.Path != p.path {
			t.Errorf("asked %s", s.asked[0].URL)
		}
		s.close()
	})
}

// A call gets the name of its definition, and its message is sent back in the server's form.
func TestReplyWithCall(t *testing.T) {
	req := question
	req.Tools = []chat.Function{{Name: "net.f", Parameters: json.RawMessage(`{}`)}}
	want := []chat.Call{{ID: "c1", Name: "net.f", Arguments: json.RawMessage(`{"n":1}`), Status: chat.StatusOK, Executable: true}}
	each(t, func(t *testing.T, p speech) {
		s := serve(t, answer(200, p.open+p.one+p.two+p.call+p.end), ok)
		m := s.configured(p.config())
		var heard []chat.Call
		resp, err := m.Reply(t.Context(), req, func(d chat.Delta) {
			if d.Call != nil {
				heard = append(heard, *d.Call)
			}
		})
		if diff := cmp.Diff(want, heard); diff != "" || err != nil {
			t.Errorf("error %v, heard (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff(want, resp.Calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if resp.Native == nil || resp.Native.Model != "test/parrot" || resp.Native.API != p.api.API {
			t.Fatalf("native %+v", resp.Native)
		}
		said := chat.Message{Role: chat.Assistant, Content: resp.Content, Calls: resp.Calls, Native: resp.Native}
		req := req
		req.Messages = append(req.Messages, said, chat.Message{Role: chat.Tool, CallID: "c1", Name: "net.f", Content: "{}"})
		if got := body(t, m, req); !strings.Contains(got, strings.Trim(string(resp.Native.Body), "[]")) {
			t.Errorf("%s is not echoed in %s", resp.Native.Body, got)
		}
		s.close()
	})
}

// A stream that breaks off is an error. It is retried only if no delta had arrived.
func TestReplyBroken(t *testing.T) {
	each(t, func(t *testing.T, p speech) {
		for name, tail := range map[string]struct {
			text string
			kind wire.ErrorKind
		}{
			"cut":            {"", wire.Truncated},
			"cut inside":     {p.two[:len(p.two)/2], wire.Truncated},
			"reported":       {p.fault, wire.ServerError},
			"broken JSON":    {strings.Replace(p.two, `":`, `"`, 1), wire.Malformed},
			"another stream": {strings.Replace(p.open, `"r"`, `"s"`, 1) + p.one, wire.Malformed},
		} {
			if name == "another stream" && (p.api == &ollama.Protocol || p.api == &openai.Protocol) {
				continue // its start is like any other piece
			}
			s := serve(t, answer(200, p.open+p.one+tail.text), answer(200, p.text()))
			got := ask(t.Context(), s.configured(p.config()), question)
			var fault *wire.Error
			if !isExactly(got.err, new(*provider.BrokenOffError)) || !errors.As(got.err, &fault) || fault.Kind != tail.kind || !strings.HasPrefix(got.text, "Hel") || s.requests() != 1 {
				t.Errorf("%s: heard %q, error %v after %d requests", name, got.text, got.err, s.requests())
			}
			s.close()
		}
		for name, text := range map[string]string{"nothing": "", "cut": p.open, "reported": p.open + p.fault} {
			s := serve(t, answer(200, text), answer(200, p.text()))
			got := ask(t.Context(), s.configured(p.config()), question)
			if got.err != nil || got.text != "Hello" || len(got.attempts) != 1 {
				t.Errorf("%s: heard %q, error %v, attempts %v", name, got.text, got.err, got.attempts)
			}
			s.close()
		}
	})
}

// Temporary errors before the response are retried.
func TestReplyAfterFaults(t *testing.T) {
	each(t, func(t *testing.T, p speech) {
		hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		s := serve(t, hangUp, answer(429, `{"error":{"message":"slow down"}}`, "Retry-After", "7"), answer(502, "<html><title>Bad</title></html>"), answer(200, "\r\n"+p.text()))
		c := p.config()
		c.Attempts = 4
		start := time.Now()
		got := ask(t.Context(), s.configured(c), question)
		if got.err != nil || got.text != "Hello" || len(got.attempts) != 3 || time.Since(start) != 500*time.Millisecond+7*time.Second+2*time.Second {
			t.Errorf("heard %q, error %v, attempts %v after %v", got.text, got.err, got.attempts, time.Since(start))
		}
		s.close()
	})
}

// Keep-alive comments and blank lines count as silence, events do not.
func TestReplySilence(t *testing.T) {
	each(t, func(t *testing.T, p speech) {
		comment := "\n"
		if p.events() {
			comment = ": still here\n\n"
		}
		hold := func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				send(w, comment)
				pass(r, 10*time.Second)
			}
		}
		for _, tt := range []struct {
			name, before string
			want         string // the missing data
			took         time.Duration
			requests     int
		}{
			{"from the beginning", "", "response", 5 * time.Minute, 1},
			{"after the announcement", p.open, "output", 5 * time.Minute, 1},
			{"after a text", p.open + p.one, "further data", time.Minute, 1},
		} {
			if !p.events() && tt.want != "response" {
				continue // only event streams have keep-alive comments
			}
			s := serve(t, func(w http.ResponseWriter, r *http.Request) { send(w, tt.before); hold(w, r) })
			start := time.Now()
			got := ask(t.Context(), s.configured(p.config()), question)
			var silence *provider.TimeoutError
			if !errors.As(got.err, &silence) || silence.What != tt.want || time.Since(start) != tt.took || s.requests() != tt.requests {
				t.Errorf("%s: error %v after %v and %d requests", tt.name, got.err, time.Since(start), s.requests())
			}
			s.close()
		}
	})
}

// The announcement of the response does not shorten the limit for the first output.
func TestReplyAnnounced(t *testing.T) {
	each(t, func(t *testing.T, p speech) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			pass(r, 100*time.Second)
			send(w, p.open)
			pass(r, 199*time.Second)
			send(w, p.one+p.two+p.end)
		})
		if got := ask(t.Context(), s.configured(p.config()), question); got.err != nil || got.text != "Hello" || got.attempts != nil {
			t.Errorf("%+v", got)
		}
		s.close()
	})
}

// Events without output extend the wait, even beyond the limit for the first output. After the last event, and inside a
// call, the limit for pauses applies.
func TestReplyThinks(t *testing.T) {
	p := speeches[2]
	beats := func(w http.ResponseWriter, r *http.Request) {
		for range 10 {
			send(w, typed("response.in_progress", `"response":{"id":"r"}`))
			pass(r, 50*time.Second)
		}
	}
	begin, _, _ := strings.Cut(p.call, "event: response.function_call_arguments.done")
	for _, tt := range []struct {
		name string
		step http.HandlerFunc
		text string
		took time.Duration // until the end of the response or the timeout
	}{
		{"on", func(w http.ResponseWriter, r *http.Request) { send(w, p.open); beats(w, r); send(w, p.one+p.two+p.end) }, "Hello", 500 * time.Second},
		{"and stops", func(w http.ResponseWriter, r *http.Request) { send(w, p.open); beats(w, r); <-r.Context().Done() }, "", 510 * time.Second},
		{"and stops in a call", func(w http.ResponseWriter, r *http.Request) { send(w, p.open+begin); <-r.Context().Done() }, "", time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, tt.step)
			config := p.config()
			config.Attempts = 1
			start := time.Now()
			got := ask(t.Context(), s.configured(config), question)
			var silence *provider.TimeoutError
			if isSilent := errors.As(got.err, &silence); got.text != tt.text || isSilent != (tt.text == "") || isSilent && silence.What != "further data" || time.Since(start) != tt.took {
				t.Errorf("%s: heard %q, error %v after %v", tt.name, got.text, got.err, time.Since(start))
			}
			s.close()
		})
	}
}

// pass waits, but not longer than the client.
func pass(r *http.Request, d time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(d):
	}
}

// A response may arrive byte by byte.
func TestReplyDrip(t *testing.T) {
	each(t, func(t *testing.T, p speech) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			for _, c := range p.text() {
				send(w, string(c))
				pass(r, 50*time.Millisecond)
			}
		})
		if got := ask(t.Context(), s.configured(p.config()), question); got.err != nil || got.text != "Hello" {
			t.Errorf("heard %q, error %v", got.text, got.err)
		}
		s.close()
	})
}

// Invalid UTF-8 is an error or becomes U+FFFD, and the client never hangs.
func TestReplyBadUTF8(t *testing.T) {
	each(t, func(t *testing.T, p speech) {
		s := serve(t, answer(200, strings.Replace(p.text(), "Hel", "H\xff", 1)), answer(200, p.text()))
		got := ask(t.Context(), s.configured(p.config()), question)
		if got.err == nil && !strings.HasPrefix(got.text, "H\ufffd") || got.err != nil && !errors.As(got.err, new(*wire.Error)) {
			t.Errorf("heard %q, error %v", got.text, got.err)
		}
		s.close()
	})
}

// A line may be as long as the limit of the body, and no longer.
func TestReplyLongLine(t *testing.T) {
	for _, p := range speeches {
		t.Run(p.api.API, func(t *testing.T) {
			long := 1 << 20
			if p.api == &openai.Protocol { // other APIs share its reader, so one long test is enough
				long = testsize.Pick(64<<20, 8<<20)
			}
			text := strings.Replace(p.text(), "Hel", strings.Repeat("x", long), 1)
			for _, limit := range []int64{int64(len(text)), int64(len(text)) / 2} {
				s := serve(t, answer(200, text), ok)
				c := p.config()
				c.MaxBytes, c.Limits.Text = limit, len(text)
				got := ask(t.Context(), s.configured(c), question)
				var fault *wire.Error
				switch fits := limit == int64(len(text)); {
				case fits && (got.err != nil || len(got.text) != long+len("lo")):
					t.Errorf("%d bytes, error %v", len(got.text), got.err)
				case !fits && (!errors.As(got.err, &fault) || fault.Kind != wire.TooLarge || s.requests() != 1):
					t.Errorf("limit %d: error %v after %d requests", limit, got.err, s.requests())
				}
			}
		})
	}
}

// V7: the client stops at once and returns the cause.
func TestReplyCancelled(t *testing.T) {
	why := errors.New("enough")
	each(t, func(t *testing.T, p speech) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { send(w, p.open+p.one); <-r.Context().Done() })
		ctx, cancel := context.WithCancelCause(t.Context())
		m := s.configured(p.config())
		resp, err := m.Reply(ctx, question, func(chat.Delta) { cancel(why) })
		if err != why || resp.Content != "Hel" {
			t.Errorf("error %v, response %q", err, resp.Content)
		}
		s.close()
	})
}

// wantsResponses is OpenAI's error for a model that calls tools only over /v1/responses.
const wantsResponses = `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. ` +
	`To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`

// A client switches once to the API that its server requires, and keeps it.
func TestMoveToResponses(t *testing.T) {
	preset, _ := provider.PresetNamed("openai")
	said := answer(200, speeches[2].text())
	t.Run("allowed", func(t *testing.T) {
		s := serve(t, answer(400, wantsResponses), said, said)
		m := s.configured(provider.Config{Provider: preset, Attempts: 1})
		got := ask(t.Context(), m, conversation())
		if got.err != nil || got.text != "Hello" || len(got.attempts) != 1 || m.Protocol() != &responses.Protocol {
			t.Fatalf("%+v", got)
		}
		if a := got.attempts[0]; a.Number != 1 || a.Status != 400 || a.Wait != 0 || !strings.Contains(a.Error, "/v1/responses") {
			t.Errorf("attempt %+v", a)
		}
		req := said2(conversation())
		if got := ask(t.Context(), m, req); got.err != nil || got.attempts != nil {
			t.Errorf("%+v", got)
		}
		var paths []string
		for _, r := range s.asked {
			paths = append(paths, r.URL.Path)
		}
		if diff := cmp.Diff([]string{"/v1/chat/completions", "/v1/responses", "/v1/responses"}, paths); diff != "" {
			t.Errorf("paths (-want +got):\n%s", diff)
		}
		check(t, s.bodies[2], []string{`{"role":"assistant","content":"as text"}`}, []string{"as itself"})
	})
	t.Run("not allowed", func(t *testing.T) {
		s := serve(t, answer(400, wantsResponses), said)
		m := s.configured(provider.Config{Protocol: &openai.Protocol})
		if got := ask(t.Context(), m, conversation()); !isExactly(got.err, refused) || m.Protocol() != &openai.Protocol {
			t.Errorf("%+v", got)
		}
	})
	t.Run("and then a fault", func(t *testing.T) {
		s := serve(t, answer(400, wantsResponses), answer(400, wantsResponses))
		m := s.configured(provider.Config{Provider: preset})
		if got := ask(t.Context(), m, conversation()); !isExactly(got.err, refused) || s.requests() != 2 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("without a place for a parameter", func(t *testing.T) {
		s := serve(t, answer(400, wantsResponses), said)
		req := conversation()
		req.Params = params("seed", "7")
		if got := ask(t.Context(), s.configured(provider.Config{Provider: preset}), req); !errors.As(got.err, new(*wire.ParameterError)) {
			t.Errorf("%+v", got)
		}
	})
}

// said2 adds a message in the native form of the other API.
func said2(req chat.Request) chat.Request {
	m := said("chat", "openai/parrot", `{"role":"assistant","content":"as itself"}`).Messages
	req.Messages = append(req.Messages, m...)
	return req
}
