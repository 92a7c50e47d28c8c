package executor

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// atOnce retries requests almost without a pause.
func atOnce(t *testing.T) {
	before := retryDelays
	retryDelays = []time.Duration{time.Millisecond, time.Millisecond}
	t.Cleanup(func() { retryDelays = before })
}

// requestTool returns a definition with a request to a server. keys is YAML that follows the URL of the request.
func requestTool(t *testing.T, server, effect, keys string) *tool.Definition {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("r.yaml", fmt.Appendf(nil, `name: r
description: Do it.
parameters: {}
examples: [{call: r()}, {call: r()}, {call: r()}]
effect: %s
timeout: 30s
http: {url: "%s/x"%s}
`, effect, server, keys))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return defs[0]
}

// requested makes one call of a definition.
func requested(t *testing.T, def *tool.Definition, env Env, key string) chat.Result {
	t.Helper()
	return executed(t, def, env, chat.Execution{IdempotencyKey: key})
}

func executed(t *testing.T, def *tool.Definition, env Env, x chat.Execution) chat.Result {
	t.Helper()
	env.Client = clientFor(t, def)
	defer env.Client.CloseIdleConnections()
	registry, findings := tool.NewRegistry(def)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	x.Call = chat.Call{Name: "r", Arguments: []byte(`{}`)}
	r, err := New(registry, env).Run(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clientFor returns a client that may reach the server of a definition.
func clientFor(t *testing.T, def *tool.Definition) *http.Client {
	t.Helper()
	u, err := url.Parse(def.HTTP.Origin)
	if err != nil {
		t.Fatal(err)
	}
	to, err := netguard.ParseHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	return netguard.NewClient(netguard.Options{AllowHosts: []netguard.HostPort{to}})
}

const write = "write\nidempotent: false"

// TestRequestData checks the data or the error that a response becomes.
func TestRequestData(t *testing.T) {
	gzipped := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, text) // the client reports missing data
		_ = z.Close()
	}
	as := func(contentType, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, text)
		}
	}
	for _, tt := range []struct {
		name, keys string
		serve      http.HandlerFunc
		code       chat.ErrorCode
		want       string
	}{
		{"value", "", as("application/json", ` {"b":1.50,"a":[1]} `), "", `{"b":1.50,"a":[1]}`},
		{"charset", "", as("application/json; charset=utf-8", `"é"`), "", `"é"`},
		{"empty", "", as("application/json", ""), "", "null"},
		{"blank", "", as("application/json", " \n"), "", "null"},
		{"text", "", as("text/plain; charset=iso-8859-1", "caf\xe9"), "", `"café"`},
		{"picture", "", as("image/png", "\x89PNG"), "", `"[image/png, 4 bytes: not shown, because it is not text]"`},
		{"no type", "", as("", `{"a":1}`), "", `"{\"a\":1}"`},
		{"path", ", result: a.#.b", as("text/plain", `{"a":[{"b":1.0},{"c":2},{"b":[null]}]}`), "", `[1.0,[null]]`},
		{"several", `, result: "{a,n:b.c}"`, as("application/json", `{"a":1,"b":{"c":"x"}}`), "", `{"a":1,"n":"x"}`},
		{"empty for the path", ", result: a", as("application/json", ""), "", "null"},
		{"byte order mark", "", as("application/json", "\ufeff\n{\"a\":1}"), "", `{"a":1}`},
		{"nothing there", ", result: a.b", as("application/json", `{"a":1}`), "", "null"},
		{"broken", "", as("application/json", `{"a":1,}`), chat.Failed, "HTTP 200, but the response is not valid JSON, line 1"},
		{"twice", "", as("application/json", `{"a":1,"a":2}`), chat.Failed, "duplicate key"},
		{"no JSON for the path", ", result: a", as("text/html", `<p>`), chat.Failed, "not valid JSON"},
		{"packed", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			gzipped(w, `{"z":1}`)
		}, "", `{"z":1}`},
		{"packed otherwise", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "x")
		}, chat.Failed, `content encoding "br"`},
		{"large value", "", as("application/json", `"`+strings.Repeat("x", 17<<20)+`"`), chat.TooLarge, "more than 16777216 bytes"},
		{"value over the limit", "", as("application/json", `["`+strings.Repeat("x", 2<<20)+`"]`), chat.TooLarge, "are allowed"},
		{"secret", "", as("application/json", `{"said":"token-of-the-run"}`), "", `{"said":"***"}`},
		{"secret in an error", "", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "bad token-of-the-run", http.StatusForbidden)
		}, chat.Unauthorized, "HTTP 403 Forbidden: bad ***"},
		{"secret where the rest is cut off", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://other.test/"+strings.Repeat("x", maxFragment-25)+"token-of-the-run")
			w.WriteHeader(http.StatusFound)
		}, chat.Failed, "xxx***, which is not followed"},
		{"secret in a wait", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", strings.Repeat("x", maxFragment-5)+"token-of-the-run")
			w.WriteHeader(http.StatusTooManyRequests)
		}, chat.RateLimited, "xxx***"},
		{"secret in a compression", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", strings.Repeat("x", 30)+"token-of-the-run")
		}, chat.Failed, "the body has a content encoding that was not requested"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.serve)
			defer server.Close()
			secrets := new(redact.Set)
			secrets.Add("token-of-the-run")
			got := requested(t, requestTool(t, server.URL, "read", tt.keys), Env{Secrets: secrets}, "")
			if tt.code != "" {
				wantError(t, got, tt.code, tt.want)
			} else if string(got.Data) != tt.want {
				t.Errorf("%s, error %+v, want %s", got.Data, got.Error, tt.want)
			}
		})
	}
}

// TestRequestUnanswered checks how often a request is sent if the server fails or does not respond, and that the error of
// a write warns that it may have taken effect if the server may have received it.
func TestRequestUnanswered(t *testing.T) {
	atOnce(t)
	breaks := func(w http.ResponseWriter, _ *http.Request) { // in the middle of the response
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "some")
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	waits := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(503)
	}
	silent := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server then notices that the client closes the connection
		<-r.Context().Done()
	}
	const keyed = "write\nidempotent: {key: header Key}"
	const equal = "write\nidempotent: true"
	for _, tt := range []struct {
		name   string
		serve  http.HandlerFunc
		effect string
		times  int32
		code   chat.ErrorCode
		unsure bool
		again  bool // the error is retryable
	}{
		{"read breaks off", breaks, "read", 3, chat.Unavailable, false, true},
		{"keyed breaks off", breaks, keyed, 3, chat.UnknownOutcome, true, false},
		{"equal breaks off", breaks, equal, 3, chat.Unavailable, false, true},
		{"write breaks off", breaks, write, 1, chat.UnknownOutcome, true, false},
		{"read 503", status(503), "read", 3, chat.Unavailable, false, true},
		{"write 503", status(503), write, 1, chat.Unavailable, true, false},
		{"write 503 with a wait", waits, write, 1, chat.Unavailable, false, true},
		{"keyed 503 with a wait", waits, keyed, 3, chat.Unavailable, false, true},
		{"write 504", status(504), write, 1, chat.Unavailable, true, false},
		{"keyed 504", status(504), keyed, 3, chat.Unavailable, true, false},
		{"write 500", status(500), write, 1, chat.Failed, true, false},
		{"write 501", status(501), write, 1, chat.Failed, false, false},
		{"write 400", status(400), write, 1, chat.InvalidArguments, false, false},
		{"write 412", status(412), write, 1, chat.Conflict, false, false},
		{"write 429", status(429), write, 1, chat.RateLimited, false, true},
		{"read 500", status(500), "read", 1, chat.Failed, false, false},
		{"write hangs", silent, write, 1, chat.Timeout, true, false},
		{"read hangs", silent, "read", 1, chat.Timeout, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var times atomic.Int32
			keys := make(chan string, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				times.Add(1)
				keys <- r.Header.Get("Key")
				tt.serve(w, r)
			}))
			defer server.Close()
			keysOf := ""
			if strings.HasPrefix(tt.effect, "write") {
				keysOf = ", method: POST"
			}
			def := requestTool(t, server.URL, tt.effect, keysOf)
			if tt.code == chat.Timeout {
				def.Timeout = 2 * time.Second
			}
			got := requested(t, def, Env{}, "k1")
			if got.Error == nil || got.Error.Code != tt.code || got.Error.Retryable != tt.again || strings.Contains(got.Error.Message, "may have taken effect") != tt.unsure {
				t.Errorf("%+v, want %s", got.Error, tt.code)
			}
			if n := times.Load(); n != tt.times {
				t.Errorf("asked %d times, want %d", n, tt.times)
			}
			server.Close() // waits for hanging handlers
			close(keys)
			for key := range keys {
				if (key == "k1") != (tt.effect == keyed) {
					t.Errorf("the key was %q", key)
				}
			}
		})
	}
}

// A request that was not sent has had no effect, and a change without a key is not sent again.
func TestRequestNotSent(t *testing.T) {
	atOnce(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	got := requested(t, requestTool(t, gone.URL, write, ", method: POST"), Env{}, "")
	wantError(t, got, chat.Unavailable, "connection refused")
	if !got.Error.Retryable || strings.Contains(got.Error.Message, "taken effect") {
		t.Errorf("%+v", got.Error)
	}

	var times atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		times.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	wantError(t, requested(t, requestTool(t, server.URL, "write\nidempotent: {key: header Key}", ", method: POST"), Env{}, ""), chat.UnknownOutcome, "may have taken effect")
	if n := times.Load(); n != 1 {
		t.Errorf("asked %d times without a key", n)
	}

	def := requestTool(t, server.URL, "read", `, headers: {Authorization: "Bearer ${secret:NOBODY}"}`)
	wantError(t, requested(t, def, Env{}, ""), chat.Unauthorized, "the run has no secret NOBODY")
	if n := times.Load(); n != 1 {
		t.Errorf("it was asked without its secret")
	}
}

// A request that is repeated with its key and then rejected may have taken effect the first time, in this process or
// in one that crashed: the error is not retryable.
func TestRequestRefusedLater(t *testing.T) {
	atOnce(t)
	const breaks, gone, waits = 1, 2, 3
	for _, tt := range []struct {
		name    string
		answers []int
		again   bool
		code    chat.ErrorCode
		unsure  bool
	}{
		{"at once", []int{429}, false, chat.RateLimited, false},
		{"then busy", []int{breaks, 429}, false, chat.RateLimited, true},
		{"then gone", []int{breaks, gone}, false, chat.UnknownOutcome, true},
		{"then at a loss", []int{504, waits, waits}, false, chat.Unavailable, true},
		{"then a conflict", []int{502, 409}, false, chat.Conflict, true},
		{"busy, then wrong", []int{waits, 400}, false, chat.InvalidArguments, false},
		{"cut off, then busy", []int{429}, true, chat.RateLimited, true},
		{"cut off, then gone", []int{gone}, true, chat.UnknownOutcome, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var server *httptest.Server
			var times atomic.Int32
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				n := int(times.Add(1))
				if n < len(tt.answers) && tt.answers[n] == gone {
					_ = server.Listener.Close() // the next connection is refused
				}
				switch tt.answers[n-1] {
				case breaks:
					panic(http.ErrAbortHandler)
				case waits:
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(503)
				default:
					w.WriteHeader(tt.answers[n-1])
				}
			}))
			defer server.Close()
			if tt.answers[0] == gone {
				server.Close()
			}
			def := requestTool(t, server.URL, "write\nidempotent: {key: header Key}", ", method: POST")
			got := executed(t, def, Env{}, chat.Execution{IdempotencyKey: "k1", Repeated: tt.again})
			if got.Error == nil || got.Error.Code != tt.code || strings.Contains(got.Error.Message, "may have taken effect") != tt.unsure || tt.unsure && got.Error.Retryable {
				t.Errorf("%+v, want %s", got.Error, tt.code)
			}
		})
	}
}

// A status in done is a success only if an earlier request with the same key may have taken effect; otherwise it is a
// rejection.
func TestRequestDone(t *testing.T) {
	atOnce(t)
	for _, tt := range []struct {
		name    string
		answers []int // statuses; 0 aborts the connection
		again   bool
		already bool
	}{
		{"the first", []int{409}, false, false},
		{"behind one that said no", []int{503, 409}, false, false},
		{"the second", []int{0, 409}, false, true},
		{"behind a crash", []int{409}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var times atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				switch status := tt.answers[times.Add(1)-1]; status {
				case 0:
					panic(http.ErrAbortHandler)
				default:
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(status)
				}
			}))
			defer server.Close()
			def := requestTool(t, server.URL, "write\nidempotent: {key: header Idempotency-Key}", ", method: POST, done: [409]")
			got := executed(t, def, Env{}, chat.Execution{IdempotencyKey: "k1", Repeated: tt.again})
			if tt.already && string(got.Data) != `{"already":true}` {
				t.Errorf("%s, %+v", got.Data, got.Error)
			}
			if !tt.already {
				wantError(t, got, chat.Conflict, "409")
			}
		})
	}
}

// A change without a key is sent once, even where package net/http would retry it on a reused connection that the
// server closes.
func TestRequestSentOnce(t *testing.T) {
	for _, keys := range []string{", method: POST", "", ", method: POST, headers: {Idempotency-Key: 1}", ", method: DELETE, headers: {x-idempotency-key: a}"} {
		var times atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if times.Add(1) > 1 {
				panic(http.ErrAbortHandler)
			}
		}))
		def := requestTool(t, server.URL, write, keys)
		registry, _ := tool.NewRegistry(def)
		env := Env{Client: clientFor(t, def)}
		r := New(registry, env)
		for range 2 {
			if _, err := r.Run(context.Background(), chat.Execution{Call: chat.Call{Name: "r", Arguments: []byte(`{}`)}}); err != nil {
				t.Fatal(err)
			}
		}
		env.Client.CloseIdleConnections()
		server.Close()
		if n := times.Load(); n != 2 {
			t.Errorf("%s: two calls were sent %d times", keys, n)
		}
	}
}

// A change follows no redirect, even with GET. After a success status it has taken effect, even if the response
// cannot be read.
func TestRequestSettled(t *testing.T) {
	for _, tt := range []struct{ keys, contentType, body, want string }{
		{", method: POST", "application/json", `{"a"`, "not valid JSON"},
		{", method: POST, result: id", "text/html", `<p>`, "not valid JSON"},
		{", method: POST", "application/json", `"` + strings.Repeat("x", 17<<20) + `"`, "more than"},
		{", method: POST", "application/json", `["` + strings.Repeat("x", 2<<20) + `"]`, "are allowed"},
		{", method: POST", "application/json", fmt.Sprintf(`{"%[1]s":1,"%[1]s":2}`, strings.Repeat("x", maxMessage)), "not valid JSON"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.contentType)
			_, _ = io.WriteString(w, tt.body)
		}))
		got := requested(t, requestTool(t, server.URL, write, tt.keys), Env{}, "")
		if got.Error == nil || got.Error.Retryable || !strings.Contains(got.Error.Message, tt.want) || !strings.HasSuffix(got.Error.Message, "; it has taken effect") {
			t.Errorf("%s: %+v", tt.keys, got.Error)
		}
		server.Close()
	}
	long := requestTool(t, "http://127.0.0.1:1", write, ", method: POST, query: {q: "+strings.Repeat("x", maxMessage)+"}")
	broken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer broken.Close()
	long.HTTP.Origin = broken.URL
	wantError(t, requested(t, long, Env{}, ""), chat.UnknownOutcome, "; it may have taken effect")

	var times atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		times.Add(1)
		http.Redirect(w, r, "/y", http.StatusFound)
	}))
	defer server.Close()
	wantError(t, requested(t, requestTool(t, server.URL, write, ""), Env{}, ""), chat.Failed, "the server redirects to /y")
	if n := times.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}
