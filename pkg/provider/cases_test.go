package provider_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/wire"
)

// ofTools lists the shared cases about tools instead of models, with the place of their tests.
var ofTools = map[string]string{
	"guard-deny":   "pkg/netguard",
	"206":          "pkg/executor, wget",
	"content-type": "pkg/executor, wget",
	"rate-limit":   "pkg/executor, pace",
	"oauth-scope":  "pkg/policy: a scope that was not granted; here 403 is AuthError",
}

// A httpCase is a failing server with the expected outcome of the client within two minutes.
type httpCase struct {
	steps    []http.HandlerFunc
	config   provider.Config
	want     any           // the type of the error, or nil for an answer
	took     time.Duration // of the bubble's time
	requests int
	test     func(t *testing.T) // replaces the other fields if a real connection is needed
}

// httpCases returns the cases by name. Without a wait requested by the server, the client waits
// half a second before the second attempt, and a second before the third.
func httpCases() map[string]httpCase {
	preset, _ := provider.PresetNamed("openai")
	preset.Protocol = &ollama.Protocol // the bodies of the cases are Ollama's
	limited := func(headers ...string) []http.HandlerFunc {
		return []http.HandlerFunc{answer(429, "", headers...), ok}
	}
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	sse := func(text string) http.HandlerFunc { return answer(200, text, "Content-Type", "text/event-stream") }
	chat := provider.Config{Protocol: &openai.Protocol}
	talk := speeches[1]
	return map[string]httpCase{
		"429-past":     {steps: limited("Retry-After", "Fri, 31 Dec 1999 23:00:00 GMT"), took: 500 * time.Millisecond, requests: 2},
		"429-overflow": {steps: limited("Retry-After", "9223372037"), want: givenUp, requests: 1},
		"429-negative": {steps: limited("Retry-After", "-5"), took: 500 * time.Millisecond, requests: 2},
		"429-list":     {steps: limited("Retry-After", "5, 10"), took: 500 * time.Millisecond, requests: 2},
		"429-two":      {steps: limited("Retry-After", "1", "Retry-After", "3", "Retry-After", "x"), took: 3 * time.Second, requests: 2},
		"429-two-long": {steps: limited("Retry-After", "1", "Retry-After", "9223372037"), want: givenUp, requests: 1},
		"429-ms":       {steps: limited("Retry-After-Ms", "250", "Retry-After", "3"), config: provider.Config{Provider: preset}, took: 250 * time.Millisecond, requests: 2},
		"429-reset":    {steps: limited("X-Ratelimit-Reset-Requests", "1s"), config: provider.Config{Provider: preset}, took: time.Second, requests: 2},
		"429-quota":    {steps: []http.HandlerFunc{answer(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`)}, want: refused, requests: 1},

		"503-retry-after": {steps: []http.HandlerFunc{answer(503, busy, "Retry-After", "1"), ok}, took: time.Second, requests: 2},
		"501":             {steps: []http.HandlerFunc{answer(501, "")}, want: refused, requests: 1},
		// An answer of a model has no side effects, so a retry is safe.
		"408-425":  {steps: []http.HandlerFunc{answer(408, ""), answer(425, ""), ok}, took: 1500 * time.Millisecond, requests: 3},
		"403-rate": {steps: []http.HandlerFunc{answer(403, `{"error":{"errors":[{"reason":"rateLimitExceeded"}],"code":403,"message":"slow"}}`), ok}, took: 500 * time.Millisecond, requests: 2},
		"404":      {steps: []http.HandlerFunc{answer(404, "")}, want: refused, requests: 1},

		"conn-refused": {test: TestConnectionRefused},
		"reset-before": {test: TestConnectionResetAtOnce},
		"reset-after":  {test: TestConnectionBeforeTheAnswer}, // retried for the same reason as 408
		"dns-nx":       {test: TestConnectionToNoName},

		"slow-headers": {steps: []http.HandlerFunc{never}, config: provider.Config{FirstByte: time.Minute}, want: new(*provider.TimeoutError), took: time.Minute, requests: 1},
		"slow-body": {steps: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			send(w, lineOne)
			for _, c := range lineTwo {
				send(w, string(c))
				pass(r, 5*time.Second)
			}
		}}, config: provider.Config{Idle: 4 * time.Second}, want: new(*provider.TimeoutError), took: 4 * time.Second, requests: 1},
		"stream-idle": {steps: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { send(w, lineOne); never(w, r) }},
			want: new(*provider.TimeoutError), took: time.Minute, requests: 1},
		"stream-comments": {steps: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			for send(w, talk.open+talk.one); r.Context().Err() == nil; pass(r, 5*time.Second) {
				send(w, ": OPENROUTER PROCESSING\n\n")
			}
		}}, config: chat, want: new(*provider.TimeoutError), took: time.Minute, requests: 1},
		"stream-cut":      {steps: []http.HandlerFunc{sse(talk.open + talk.one + talk.call)}, config: chat, want: new(*provider.BrokenOffError), requests: 1},
		"stream-bad-json": {steps: []http.HandlerFunc{sse(talk.open + talk.one + event(`{"id":"r",choices`) + talk.end)}, config: chat, want: new(*provider.BrokenOffError), requests: 1},
		"stream-crlf":     {steps: []http.HandlerFunc{sse("\ufeff" + strings.ReplaceAll(talk.open+talk.one+"data: {\"id\":\"r\",\ndata: \"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}]}\n\n"+talk.end, "\n", "\r\n"))}, config: chat, requests: 1},

		"body-cap":           {steps: []http.HandlerFunc{answer(200, strings.Repeat(lineTwo, 1000))}, config: provider.Config{MaxBytes: 1000}, want: new(*provider.BrokenOffError), requests: 1},
		"gzip-bomb":          {steps: []http.HandlerFunc{answer(200, zeros(), "Content-Encoding", "gzip")}, want: new(*provider.ProtocolError), requests: 1},
		"content-length-lie": {steps: []http.HandlerFunc{answer(200, lineOne, "Content-Length", "999")}, want: new(*provider.BrokenOffError), requests: 1},
		"chunk-ext":          {test: TestConnectionChunkExtension},
		"many-headers":       {test: TestConnectionHeaderFlood},
		"100-continue": {steps: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Expect") != "" {
				w.WriteHeader(http.StatusExpectationFailed)
			}
			ok(w, r)
		}}, requests: 1},
		"retry-budget":    {steps: []http.HandlerFunc{answer(503, "", "Retry-After", "50"), answer(503, "", "Retry-After", "50"), answer(503, "", "Retry-After", "50")}, want: givenUp, took: 100 * time.Second, requests: 3},
		"hedge":           {steps: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { pass(r, 100*time.Second); ok(w, r) }}, took: 100 * time.Second, requests: 1},
		"keepalive-reuse": {test: TestConnectionIsNotKept},
		"proxy-env":       {test: TestConnectionProxy},
	}
}

// zeros returns 8 MiB of zeros, compressed.
func zeros() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(make([]byte, 8<<20))
	_ = w.Close()
	return b.String()
}

func TestHTTPCases(t *testing.T) {
	cases := httpCases()
	for id, c := range cases {
		t.Run(id, func(t *testing.T) {
			if c.test != nil {
				c.test(t)
				return
			}
			synctest.Test(t, c.run)
		})
	}
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Log("ONESHOT_SHARED names no folder: whether these are all cases is not known")
		return
	}
	text, err := os.ReadFile(filepath.Join(shared, "cases", "http_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var c struct{ ID string }
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.ID == "" {
			t.Fatalf("error %v in %s", err, line)
		}
		if _, ok := cases[c.ID]; ok == (ofTools[c.ID] != "") {
			t.Errorf("%s: is it about models or about tools?", c.ID)
		}
	}
}

// run checks a case.
func (c httpCase) run(t *testing.T) {
	s := serve(t, c.steps...)
	defer s.close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	start := time.Now()
	got := ask(ctx, s.configured(c.config), question)
	took := time.Since(start)
	switch {
	case c.want == nil && (got.err != nil || got.text != "Hello"), c.want != nil && !isExactly(got.err, c.want):
		t.Errorf("heard %q, error %v of type %T", got.text, got.err, got.err)
	case took != c.took || s.requests() != c.requests:
		t.Errorf("%d requests in %v: %v", s.requests(), took, got.err)
	}
}

// Chunk extensions do not get around the limits.
func TestConnectionChunkExtension(t *testing.T) {
	flood := say(chunked + "1;" + strings.Repeat("x", 1<<20) + "\r\n")
	address, count := listen(t, flood, flood, flood)
	got := ask(t.Context(), connect(address), question)
	if !isExactly(got.err, givenUp) || errors.As(got.err, new(*wire.Error)) || count.Load() != 3 {
		t.Errorf("%+v after %d connections", got, count.Load())
	}
}

// A connection serves exactly one request.
func TestConnectionIsNotKept(t *testing.T) {
	good := say(fmt.Sprintf(sized, len(hello), hello))
	address, count := listen(t, good, good)
	m := connect(address)
	for n := range int32(2) {
		if got := ask(t.Context(), m, question); got.err != nil || count.Load() != n+1 {
			t.Errorf("%+v after %d connections", got, count.Load())
		}
	}
}
