package provider_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

// busy is Ollama's answer when its queue is full.
const busy = `{"error":"server busy, please try again.  maximum pending requests exceeded"}`

func TestRetryUntilItWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, answer(503, busy), answer(500, ""), ok)
		start := time.Now()
		got := ask(t.Context(), s.client(), question)
		want := []chat.Attempt{
			{Number: 1, Status: 503, Wait: 500 * time.Millisecond, By: "parrot", Error: "model server: status 503: server busy, please try again.  maximum pending requests exceeded"},
			{Number: 2, Status: 500, Wait: time.Second, By: "parrot", Error: "model server: status 500 without a message"},
		}
		if diff := cmp.Diff(want, got.attempts); diff != "" || got.err != nil || got.text != "Hello" {
			t.Errorf("error %v, heard %q, attempts (-want +got):\n%s", got.err, got.text, diff)
		}
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if s.bodies[0] != s.bodies[2] {
			t.Errorf("the third request differs from the first: %s", s.bodies[2])
		}
		s.close()
	})
}

// A retry is reported when the request is sent, after the wait.
func TestRetryIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, answer(429, "", "Retry-After", "7"), answer(503, ""), ok)
		start := time.Now()
		var events []string
		_, err := s.client().Reply(t.Context(), question, func(d chat.Delta) {
			switch {
			case d.Attempt != nil:
				events = append(events, fmt.Sprintf("attempt %d after %v, %d sent", d.Attempt.Number, time.Since(start), s.requests()))
			case d.IsRetry:
				events = append(events, fmt.Sprintf("retry after %v, %d sent", time.Since(start), s.requests()))
			}
		})
		want := []string{"attempt 1 after 0s, 1 sent", "retry after 7s, 1 sent", "attempt 2 after 7s, 2 sent", "retry after 8s, 2 sent"}
		if diff := cmp.Diff(want, events); diff != "" || err != nil {
			t.Errorf("error %v, (-want +got):\n%s", err, diff)
		}
		s.close()
	})
}

func TestRetryGivesUp(t *testing.T) {
	const page = "<html>\n<title>502 Bad Gateway</title>\n</html>"
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, answer(504, ""), answer(500, `{"error":"out of memory"}`), answer(502, page), ok)
		got := ask(t.Context(), s.client(), question)
		want := &provider.UnavailableError{Attempts: 3, Err: &provider.StatusError{Status: 502, Message: "502 Bad Gateway"}}
		if diff := cmp.Diff(want, got.err); diff != "" || len(got.attempts) != 2 || s.requests() != 3 {
			t.Errorf("attempts %v, %d requests, error (-want +got):\n%s", got.attempts, s.requests(), diff)
		}
		if text := "model server: status 502: 502 Bad Gateway (attempt 3)"; got.err.Error() != text {
			t.Errorf("error %q", got.err)
		}
		s.close()
	})
}

// A permanent error ends the reply, also after a temporary one.
func TestRetryThenRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, answer(429, ""), answer(401, "no"), ok)
		got := ask(t.Context(), s.client(), question)
		if !errors.As(got.err, new(*provider.AuthError)) || len(got.attempts) != 1 {
			t.Errorf("%+v", got)
		}
		s.close()
	})
}

func TestRetryAttemptsAreConfigured(t *testing.T) {
	s := serve(t, answer(503, ""), ok)
	got := ask(t.Context(), s.configured(provider.Config{Attempts: 1}), question)
	var gone *provider.UnavailableError
	if !errors.As(got.err, &gone) || gone.Attempts != 1 || got.attempts != nil {
		t.Errorf("%+v", got)
	}
}

// Retry-After is a number of seconds or a date. Other values are ignored, and a wait beyond the
// deadline of the run is an error at once.
func TestRetryAfter(t *testing.T) {
	const normal, never = 500 * time.Millisecond, time.Duration(-1)
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the start time of a synctest bubble
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tt := range []struct {
		name   string
		header []string
		want   time.Duration // wait before the next attempt; never: no further attempt
		asks   time.Duration // with never: the wait that the server requests
	}{
		{"none", nil, normal, 0},
		{"seconds", []string{"7"}, 7 * time.Second, 0},
		{"spaces", []string{" 7 "}, 7 * time.Second, 0},
		{"zero", []string{"0"}, normal, 0},
		{"date", []string{date(12 * time.Second)}, 12 * time.Second, 0},
		{"RFC 850 date", []string{now.Add(3*time.Second).Format("Monday, 02-Jan-06 15:04:05") + " GMT"}, 3 * time.Second, 0},
		{"past", []string{date(-time.Hour)}, normal, 0},
		{"negative", []string{"-5"}, normal, 0},
		{"plus", []string{"+5"}, normal, 0},
		{"fraction", []string{"1.5"}, normal, 0},
		{"list", []string{"5, 10"}, normal, 0},
		{"two headers", []string{"5", "10"}, 10 * time.Second, 0},
		{"words", []string{"soon"}, normal, 0},
		{"empty", []string{""}, normal, 0},
		{"just too long", []string{"60"}, never, time.Minute},
		{"absurd", []string{"999999999"}, never, 999999999 * time.Second},
		{"overflow of a duration", []string{"9223372037"}, never, math.MaxInt64},
		{"overflow of a number", []string{strings.Repeat("9", 400)}, never, math.MaxInt64},
		{"far date", []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, never, math.MaxInt64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var header []string
				for _, value := range tt.header {
					header = append(header, "Retry-After", value)
				}
				s := serve(t, answer(429, "", header...), ok)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				got := ask(ctx, s.client(), question)
				took := time.Since(start)
				if tt.want != never && (got.err != nil || took != tt.want || got.attempts[0].Wait != tt.want) {
					t.Errorf("error %v, attempts %v after %v", got.err, got.attempts, took)
				}
				var gone *provider.UnavailableError
				if tt.want == never && (!errors.As(got.err, &gone) || gone.Wait != tt.asks || took != 0 || got.attempts != nil) {
					t.Errorf("error %+v, attempts %v after %v", got.err, got.attempts, took)
				}
				s.close()
			})
		})
	}
}

// OpenAI has its own headers, which are ignored for other servers.
func TestRetryAfterOfOpenAI(t *testing.T) {
	const normal = 500 * time.Millisecond
	for _, tt := range []struct {
		name   string
		header []string
		want   time.Duration
	}{
		{"milliseconds", []string{"Retry-After-Ms", "250", "Retry-After", "9"}, 250 * time.Millisecond},
		{"part of one", []string{"Retry-After-Ms", "1250.5"}, 1250500 * time.Microsecond},
		{"no milliseconds", []string{"Retry-After-Ms", "-1", "Retry-After", "9"}, 9 * time.Second},
		{"words", []string{"Retry-After-Ms", "soon"}, normal},
		{"requests", []string{"X-Ratelimit-Reset-Requests", "1s"}, time.Second},
		{"tokens", []string{"X-Ratelimit-Reset-Tokens", "20ms", "X-Ratelimit-Remaining-Tokens", "0"}, 20 * time.Millisecond},
		{"both", []string{"X-Ratelimit-Reset-Requests", "12s", "X-Ratelimit-Reset-Tokens", "1m0.5s"}, 60*time.Second + 500*time.Millisecond},
		{"only what is used up", []string{"X-Ratelimit-Reset-Requests", "12s", "X-Ratelimit-Reset-Tokens", "6m0s", "X-Ratelimit-Remaining-Tokens", "9"}, 12 * time.Second},
		{"a wish wins", []string{"X-Ratelimit-Reset-Requests", "12s", "Retry-After", "3"}, 3 * time.Second},
		{"negative", []string{"X-Ratelimit-Reset-Requests", "-12s"}, normal},
		{"a number", []string{"X-Ratelimit-Reset-Requests", "12"}, normal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, answer(429, "", tt.header...), answer(200, speeches[1].text()), answer(429, "", tt.header...), ok)
				preset, _ := provider.PresetNamed("openai")
				got := ask(t.Context(), s.configured(provider.Config{Provider: preset}), question)
				if got.err != nil || got.attempts[0].Wait != tt.want {
					t.Errorf("error %v, attempts %v", got.err, got.attempts)
				}
				got = ask(t.Context(), s.client(), question)
				if got.err != nil || got.attempts[0].Wait != max(normal, elsewhere(tt.header)) {
					t.Errorf("elsewhere: error %v, attempts %v", got.err, got.attempts)
				}
				s.close()
			})
		})
	}
	t.Run("absurd", func(t *testing.T) {
		s := serve(t, answer(429, "", "Retry-After-Ms", "1e300"))
		preset, _ := provider.PresetNamed("openai")
		var gone *provider.UnavailableError
		if got := ask(t.Context(), s.configured(provider.Config{Provider: preset}), question); !errors.As(got.err, &gone) || gone.Wait < time.Hour {
			t.Errorf("error %v", got.err)
		}
	})
}

// elsewhere returns the wait that Retry-After, which all servers share, requests among headers.
func elsewhere(header []string) time.Duration {
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Retry-After" {
			seconds, _ := time.ParseDuration(header[i+1] + "s")
			return seconds
		}
	}
	return 0
}

// A server that fell silent inside the first message of a response, before any delta, is retried.
func TestRetryAfterSilence(t *testing.T) {
	begin := `{"model":"parrot",`
	synctest.Test(t, func(t *testing.T) {
		hang := func(w http.ResponseWriter, r *http.Request) { send(w, begin); <-r.Context().Done() }
		s := serve(t, hang, ok, hang, hang, hang)
		if got := ask(t.Context(), s.client(), question); got.err != nil || len(got.attempts) != 1 {
			t.Errorf("%+v", got)
		}
		got := ask(t.Context(), s.client(), question)
		var silence *provider.TimeoutError
		if !isExactly(got.err, givenUp) || !errors.As(got.err, &silence) || len(got.attempts) != 2 {
			t.Errorf("%+v", got)
		}
		s.close()
	})
}

// Without a deadline, a requested wait of ten minutes or more is an error at once.
func TestRetryAfterWithoutDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, answer(503, "", "Retry-After", "599"), answer(503, "", "Retry-After", "600"), ok)
		start := time.Now()
		got := ask(context.Background(), s.client(), question)
		want := "model server: status 503 without a message (attempt 2); the next attempt would have to wait 10m0s, longer than the time left"
		if got.err == nil || got.err.Error() != want || time.Since(start) != 599*time.Second {
			t.Errorf("error %v after %v", got.err, time.Since(start))
		}
		s.close()
	})
}

// A backoff is a random part of a limit that doubles up to ten seconds.
func TestRetryPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, answer(503, ""), answer(503, ""), answer(503, ""), answer(503, ""), answer(503, ""), ok)
		got := ask(t.Context(), s.configured(provider.Config{Attempts: 6}), question)
		var waits []time.Duration
		for _, a := range got.attempts {
			waits = append(waits, a.Wait)
		}
		want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second}
		if diff := cmp.Diff(want, waits); diff != "" || got.err != nil {
			t.Errorf("error %v, pauses (-want +got):\n%s", got.err, diff)
		}
		s.close()
	})
}

// A timeout of the connection is a connection fault, and another attempt may succeed. A limit of the
// caller is not.
func TestConnectionTimeouts(t *testing.T) {
	timedOut := os.NewSyscallError("read", syscall.ETIMEDOUT)
	for err, want := range map[error]bool{
		&net.OpError{Op: "read", Net: "tcp", Err: timedOut}: true, timedOut: true,
		context.DeadlineExceeded: false, &provider.TimeoutError{}: false, &net.DNSError{IsTimeout: true}: false,
	} {
		if got := provider.IsConnectionFault(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := ask(t.Context(), provider.New(provider.Config{
			BaseURL: &url.URL{Scheme: "https", Host: "ollama.test"}, Model: "parrot", Rand: func() float64 { return 0 },
			Dial: func(context.Context, string, string) (net.Conn, error) { c, _ := net.Pipe(); return c, nil },
		}), question)
		if !isExactly(got.err, givenUp) || len(got.attempts) != 2 || got.attempts[0].Charged || !got.resp.Unsent || time.Since(start) != 30*time.Second {
			t.Errorf("TLS: %+v after %v", got, time.Since(start))
		}
	})
}

// A server without a connection has not received the request, so it cannot charge for it.
func TestUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := provider.Config{
			BaseURL: &url.URL{Scheme: "http", Host: "ollama.test"}, Name: "p/a", FirstByte: time.Second,
			Dial: func(context.Context, string, string) (net.Conn, error) {
				time.Sleep(10 * time.Second)
				return nil, syscall.ETIMEDOUT
			},
		}
		got := ask(t.Context(), provider.New(config), question)
		if !isExactly(got.err, new(*provider.TimeoutError)) || !got.resp.Unsent || got.resp.By != "p/a" || provider.MayBeCharged(got.resp, got.err) {
			t.Errorf("no connection: %+v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if got := ask(ctx, provider.New(config), question); !got.resp.Unsent {
			t.Errorf("cancelled: %+v", got)
		}
		s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		got = ask(t.Context(), s.configured(provider.Config{FirstByte: time.Second}), question)
		if got.resp.Unsent || !provider.MayBeCharged(got.resp, got.err) {
			t.Errorf("no answer: %+v", got)
		}
		s.close()
		time.Sleep(10 * time.Second) // net/http does not cancel a dial with its request
	})
}
