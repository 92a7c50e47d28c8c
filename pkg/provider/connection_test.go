package provider_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

// These tests use real connections. Nothing waits: all pauses are zero.

// connect returns a client of a server at an address.
func connect(address string) *provider.Client {
	return provider.New(provider.Config{
		BaseURL: &url.URL{Scheme: "http", Host: address}, Model: "parrot", Rand: func() float64 { return 0 },
	})
}

// listen answers each connection with its next step. The returned counter
// counts connections.
func listen(t *testing.T, steps ...func(*net.TCPConn)) (address string, count *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	count = new(atomic.Int32)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, step := range steps {
			c, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			readRequest(c)
			step(c.(*net.TCPConn))
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String(), count
}

// readRequest reads the request of [question] up to its last byte.
func readRequest(c net.Conn) {
	var seen strings.Builder
	buf := make([]byte, 4096)
	for !strings.HasSuffix(seen.String(), `"shift":false}`) {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		seen.Write(buf[:n])
	}
}

// The steps of a raw server.
func reset(c *net.TCPConn) { _ = c.SetLinger(0) }
func hangUp(*net.TCPConn)  {}
func say(text string) func(*net.TCPConn) {
	return func(c *net.TCPConn) { _, _ = io.WriteString(c, text) }
}

const (
	chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	sized   = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
)

// chunk returns one chunk of a chunked body.
func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func TestConnectionBeforeTheAnswer(t *testing.T) {
	good := say(fmt.Sprintf(sized, len(hello), hello))
	address, count := listen(t, reset, hangUp, good)
	got := ask(t.Context(), connect(address), question)
	if got.err != nil || got.text != "Hello" || len(got.attempts) != 2 || count.Load() != 3 {
		t.Errorf("%+v after %d connections", got, count.Load())
	}
	if text := got.attempts[0].Error; !strings.Contains(text, address) || got.attempts[0].Status != 0 {
		t.Errorf("attempt %+v", got.attempts[0])
	}
}

// The connection is reset before the server has read any of the request, which may exceed the system's
// buffers.
func TestConnectionResetAtOnce(t *testing.T) {
	large := question
	large.Messages = []chat.Message{{Role: chat.User, Content: strings.Repeat("x", 8<<20)}}
	for _, req := range []chat.Request{question, large} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for n := 0; ; n++ {
				c, err := l.Accept()
				if err != nil {
					return
				}
				if n < 2 {
					reset(c.(*net.TCPConn))
				} else if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					say(fmt.Sprintf(sized, len(hello), hello))(c.(*net.TCPConn))
				}
				c.Close()
			}
		}()
		if got := ask(t.Context(), connect(l.Addr().String()), req); got.err != nil || len(got.attempts) != 2 {
			t.Errorf("%+v", got)
		}
	}
}

// The error names the address once.
func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	got := ask(t.Context(), connect(address), question)
	var gone *provider.UnavailableError
	if !errors.As(got.err, &gone) || gone.Attempts != 3 || len(got.attempts) != 2 || got.err.Error() != "model server "+address+": connection refused (attempt 3)" {
		t.Errorf("%+v", got)
	}
}

// A connection that breaks in the body ends the reply after a delta, and is retried before it.
func TestConnectionBreaksInTheBody(t *testing.T) {
	for name, step := range map[string]func(*net.TCPConn){
		"closed":              say(chunked + chunk(lineOne)),
		"length was a lie":    say(fmt.Sprintf(sized, len(hello), lineOne)),
		"closed in a chunk":   say(chunked + chunk(lineOne) + "ffff\r\n{"),
		"nonsense for chunks": say(chunked + chunk(lineOne) + "zz\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			address, count := listen(t, step, hangUp)
			got := ask(t.Context(), connect(address), question)
			if !errors.As(got.err, new(*provider.BrokenOffError)) || got.text != "Hel" || got.resp.Content != "Hel" || count.Load() != 1 {
				t.Errorf("%+v after %d connections", got, count.Load())
			}
		})
	}
	t.Run("nothing heard", func(t *testing.T) {
		address, _ := listen(t, say(chunked), say(fmt.Sprintf(sized, 99, "{")), say(fmt.Sprintf(sized, len(hello), hello)))
		if got := ask(t.Context(), connect(address), question); got.err != nil || len(got.attempts) != 2 || got.text != "Hello" {
			t.Errorf("%+v", got)
		}
	})
}

// A reset after the first delta is not retried.
func TestConnectionResetInTheBody(t *testing.T) {
	heard := make(chan struct{})
	address, count := listen(t, func(c *net.TCPConn) {
		say(chunked + chunk(lineOne))(c)
		<-heard
		reset(c)
	}, hangUp)
	_, err := connect(address).Reply(t.Context(), question, func(chat.Delta) { close(heard) })
	if !errors.As(err, new(*provider.BrokenOffError)) || count.Load() != 1 {
		t.Errorf("error %v after %d connections", err, count.Load())
	}
}

// A complete response counts, even if the connection fails afterwards.
func TestConnectionBreaksAfterTheResponse(t *testing.T) {
	address, _ := listen(t, say(fmt.Sprintf(sized, 2*len(hello), hello)))
	if got := ask(t.Context(), connect(address), question); got.err != nil || got.text != "Hello" {
		t.Errorf("%+v", got)
	}
}

func TestConnectionHeaderFlood(t *testing.T) {
	flood := "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Header: "+strings.Repeat("x", 1000)+"\r\n", 1000) + "\r\n"
	address, count := listen(t, say(flood), hangUp)
	got := ask(t.Context(), connect(address), question)
	if !isExactly(got.err, new(*provider.ProtocolError)) || count.Load() != 1 {
		t.Errorf("%+v after %d connections", got, count.Load())
	}
}

func TestConnectionToNoName(t *testing.T) {
	calls := 0
	m := provider.New(provider.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		calls++
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere", IsNotFound: true}}
	}})
	got := ask(t.Context(), m, question)
	var gone *provider.UnavailableError
	if !errors.As(got.err, &gone) || gone.Attempts != 1 || calls != 1 {
		t.Errorf("%+v after %d calls", got, calls)
	}
}

// A compressed body, which was not requested, is an error and is not decompressed.
func TestConnectionNoCompression(t *testing.T) {
	s := serve(t, answer(200, "\x1f\x8b\x08\x00", "Content-Encoding", "gzip"))
	got := ask(t.Context(), s.client(), question)
	if !isExactly(got.err, new(*provider.ProtocolError)) || !strings.Contains(got.err.Error(), "gzip") {
		t.Errorf("error %v", got.err)
	}
}

// Only a configured proxy is used, not the one of the environment.
func TestConnectionProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.test:3128")
	for want, proxy := range map[string]*url.URL{
		"server.test:80":  nil,
		"proxy.test:8080": {Scheme: "http", Host: "proxy.test:8080"},
	} {
		var dialled []string
		m := provider.New(provider.Config{
			BaseURL: &url.URL{Scheme: "http", Host: "server.test"}, Proxy: proxy, Attempts: 1,
			Dial: func(_ context.Context, _, address string) (net.Conn, error) {
				dialled = append(dialled, address)
				return nil, errors.New("no network")
			},
		})
		if got := ask(t.Context(), m, question); got.err == nil || len(dialled) != 1 || dialled[0] != want {
			t.Errorf("dialled %q, want %q", dialled, want)
		}
	}
}

// The path of a base URL is kept.
func TestConnectionBasePath(t *testing.T) {
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		ok(w, r)
	}))
	defer server.Close()
	base, err := url.Parse(server.URL + "/gpu/1/")
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t.Context(), provider.New(provider.Config{BaseURL: base}), question); got.err != nil || path != "/gpu/1/api/chat" {
		t.Errorf("%+v, asked for %q", got, path)
	}
}

// A server with an unknown certificate gets no request.
func TestConnectionTLS(t *testing.T) {
	asked := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		ok(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t.Context(), provider.New(provider.Config{BaseURL: base}), question)
	if !isExactly(got.err, new(*provider.ProtocolError)) || !strings.Contains(got.err.Error(), "certificate") || asked != 0 {
		t.Errorf("error %v after %d requests", got.err, asked)
	}
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	if got := ask(t.Context(), provider.New(provider.Config{BaseURL: base, RootCAs: pool}), question); got.err != nil || got.text != "Hello" {
		t.Errorf("%+v", got)
	}
}
