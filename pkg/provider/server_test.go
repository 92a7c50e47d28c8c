package provider_test

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A script is a server that answers each request with its next step, over
// connections in memory. It can be used inside a synctest bubble.
type script struct {
	conns chan net.Conn
	done  chan struct{}
	close func()

	mu     sync.Mutex
	steps  []http.HandlerFunc
	asked  []*http.Request
	bodies []string
}

// serve starts a script, which stops at the end of the test at the latest.
func serve(t *testing.T, steps ...http.HandlerFunc) *script {
	t.Helper()
	s := &script{conns: make(chan net.Conn), done: make(chan struct{}), steps: steps}
	server := &http.Server{Handler: s}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(s) })
	s.close = sync.OnceFunc(func() {
		close(s.done)
		server.Close()
		running.Wait()
	})
	t.Cleanup(s.close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	step := http.HandlerFunc(http.NotFound)
	if n := len(s.asked); n < len(s.steps) {
		step = s.steps[n]
	}
	s.asked = append(s.asked, r)
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	step(w, r)
}

// requests returns the number of requests so far.
func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func (s *script) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

func (s *script) Close() error   { return nil }
func (s *script) Addr() net.Addr { return &net.TCPAddr{} }

// dial opens a connection to the script.
func (s *script) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case s.conns <- theirs:
		return ours, nil
	case <-s.done:
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client returns a client of the script, which speaks Ollama's protocol.
func (s *script) client() *provider.Client { return s.configured(provider.Config{}) }

// configured returns a client of the script. By default each backoff is half of its maximum.
func (s *script) configured(c provider.Config) *provider.Client {
	c.BaseURL, c.Dial, c.Model = &url.URL{Scheme: "http", Host: "ollama.test", Path: base(c)}, s.dial, "parrot"
	if c.Rand == nil {
		c.Rand = func() float64 { return 0.5 }
	}
	return provider.New(c)
}

// base returns the path of the base URL of an API.
func base(c provider.Config) string {
	if p := cmp.Or(c.Protocol, c.Provider.Protocol); p != nil && p.Versioned {
		return "/v1"
	}
	return ""
}

// The lines of a response.
const (
	lineOne  = `{"model":"parrot","message":{"role":"assistant","content":"Hel"},"done":false}` + "\n"
	lineTwo  = `{"model":"parrot","message":{"role":"assistant","content":"lo"},"done":false}` + "\n"
	lineDone = `{"model":"parrot","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}` + "\n"
	hello    = lineOne + lineTwo + lineDone
)

// answer returns a step that answers with a status and a body. headers are alternating names and
// values.
func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// ok is a step with a complete response.
var ok = answer(http.StatusOK, hello)

// send writes and flushes a part of a body.
func send(w http.ResponseWriter, part string) {
	_, _ = io.WriteString(w, part)
	w.(http.Flusher).Flush()
}

// A hearing is the outcome of one request: the results of Reply, and the text and the attempts in
// its deltas.
type hearing struct {
	resp     chat.Response
	err      error
	text     string
	attempts []chat.Attempt
}

// A replier is a client, a replay or a fallback.
type replier interface {
	Reply(context.Context, chat.Request, func(chat.Delta)) (chat.Response, error)
}

// ask makes a request.
func ask(ctx context.Context, m replier, req chat.Request) hearing {
	var h hearing
	var text strings.Builder
	h.resp, h.err = m.Reply(ctx, req, func(d chat.Delta) {
		text.WriteString(d.Content)
		if d.Attempt != nil {
			h.attempts = append(h.attempts, *d.Attempt)
		}
	})
	h.text = text.String()
	return h
}

// question is a small request.
var question = chat.Request{Purpose: chat.PurposeTurn, System: "Be kind.", Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}
