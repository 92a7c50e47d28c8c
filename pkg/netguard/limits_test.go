package netguard

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// drip answers the request on a connection with begin, and then writes again after each pause until
// the connection is closed. It returns the number of bytes written.
func drip(c net.Conn, begin, again string, pause time.Duration) int {
	defer c.Close()
	if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
		return 0
	}
	taken, err := io.WriteString(c, begin)
	for err == nil {
		time.Sleep(pause)
		var n int
		n, err = io.WriteString(c, again)
		taken += n
	}
	return taken
}

// The time limit of a call also ends a response that arrives very slowly and never ends.
func TestTricklesEnd(t *testing.T) {
	for name, c := range map[string]struct{ begin, again string }{
		"nothing":  {"", ""},
		"headers":  {"HTTP/1.1 200 OK\r\n", "X-A: b\r\n"},
		"one line": {"HTTP/1.1 200 OK\r\nX-A: ", "b"},
		"interim":  {"", "HTTP/1.1 103 Early Hints\r\n\r\n"},
		"body":     {"HTTP/1.1 200 OK\r\n\r\n", "b"},
		"chunks":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nb\r\n"},
		"trailer":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: b\r\n"},
		"packed":   {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x00", "n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var server sync.WaitGroup
				defer server.Wait()
				client := newClient(Options{}, func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					server.Go(func() { drip(theirs, c.begin, c.again, time.Second) })
					return ours, nil
				})
				defer client.CloseIdleConnections()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://ok.test/", nil)
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				_, err = do(client, req)
				if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > 11*time.Second {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}

// Endless data is abandoned after a bounded number of bytes, in any part of a response.
func TestFloodsEnd(t *testing.T) {
	for name, c := range map[string]struct{ begin, again string }{
		"status line": {"HTTP/1.1 200 ", "OK"},
		"headers":     {"HTTP/1.1 200 OK\r\n", "X-A: b\r\n"},
		"one header":  {"HTTP/1.1 200 OK\r\nX-A: ", "b"},
		"interim":     {"", "HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n"},
		"body":        {"HTTP/1.1 200 OK\r\n\r\n", "b"},
		"chunks":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nb\r\n"},
		"chunk size":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0"},
		"extension":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1", ";a=b"},
		"trailer":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: b\r\n"},
		"gzip name":   {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x00", "n"},
	} {
		t.Run(name, func(t *testing.T) {
			taken := make(chan int, 1)
			client := newClient(Options{MaxBodyBytes: 128 << 10}, func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() { taken <- drip(theirs, c.begin, strings.Repeat(c.again, 1000), 0) }()
				return ours, nil
			})
			defer client.CloseIdleConnections()
			if _, err := get(t, client, "http://ok.test/"); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			if n := <-taken; n > 8<<20 {
				t.Errorf("%d bytes were taken", n)
			} else {
				t.Logf("%d bytes were taken", n)
			}
		})
	}
}

// The limit of a body applies after decompression.
func TestBombEnds(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range 64 {
		z.Write(zeros)
	}
	z.Close()
	in := newInternet(t)
	in.handle = func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		for range 1000 { // concatenated gzip streams are one stream
			if _, err := w.Write(packed.Bytes()); err != nil {
				return
			}
		}
	}
	body, err := get(t, in.client(t, Options{MaxBodyBytes: 1 << 20}), "http://93.184.215.14/")
	var large *BodyError
	if !errors.As(err, &large) || len(body) != 1<<20 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// The client offers only gzip. Reading a body with another encoding, or several, fails. The encoding of a
// redirect does not matter, because its body is not read.
func TestEncodings(t *testing.T) {
	for _, encodings := range [][]string{{"br"}, {"zstd"}, {"deflate"}, {"gzip, gzip"}, {"x-gzip"}, {"identity", "br"}, {strings.Repeat("a", 1000)}} {
		in := newInternet(t)
		in.handle = func(n int, w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Values("Accept-Encoding"); !slices.Equal(got, []string{"gzip"}) {
				t.Errorf("%q is offered", got)
			}
			w.Header()["Content-Encoding"] = encodings
			if n == 1 {
				w.Header().Set("Location", "/b")
				w.WriteHeader(http.StatusFound)
			}
			io.WriteString(w, "\x1b\x0f\x00packed")
		}
		body, err := get(t, in.client(t, Options{}), "http://93.184.215.14/")
		var packed *EncodingError
		if !errors.As(err, &packed) || body != "" || len(err.Error()) > 200 || len(in.requests) != 2 {
			t.Errorf("%.50q: %q, %v after %d requests", encodings, body, err, len(in.requests))
		}
	}
	in := newInternet(t)
	in.handle = func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "Identity")
		io.WriteString(w, "plain")
	}
	if body, err := get(t, in.client(t, Options{}), "http://93.184.215.14/"); err != nil || body != "plain" {
		t.Errorf("%q, %v", body, err)
	}
}

// Proxy variables in the environment have no effect.
func TestNoProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://93.184.215.99:80/")
	}
	for raw, want := range map[string]string{"http://ok.test/": "ok.test:80", "https://ok.test/": "ok.test:443"} {
		if got := dialledBy(t, raw); !slices.Equal(got, []string{want}) {
			t.Errorf("%s leads to %q", raw, got)
		}
	}
}

// Cookies are not stored.
func TestNoCookies(t *testing.T) {
	in := newInternet(t)
	in.handle = func(n int, w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "me", Path: "/"})
		if n == 1 {
			http.Redirect(w, r, "/b", http.StatusFound)
		}
	}
	c := in.client(t, Options{})
	for range 2 {
		if _, err := get(t, c, "http://93.184.215.14/a"); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range in.requests {
		if r.Header.Get("Cookie") != "" {
			t.Errorf("%s comes with %q", r.URL, r.Header.Get("Cookie"))
		}
	}
}

// The client uses HTTP/1.1 even if the server offers HTTP/2, and refuses a server that supports only TLS 1.0 and 1.1.
func TestProtocols(t *testing.T) {
	in := newInternet(t)
	two := httptest.NewUnstartedServer(in.tls.Config.Handler)
	two.EnableHTTP2 = true
	two.StartTLS()
	defer two.Close()
	in.tls = two
	if _, err := get(t, in.client(t, Options{}), "https://93.184.215.14/"); err != nil || in.requests[0].ProtoMajor != 1 {
		t.Errorf("%v", err)
	}
	old := httptest.NewUnstartedServer(in.tls.Config.Handler)
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	in.tls = old
	if _, err := get(t, in.client(t, Options{}), "https://93.184.215.14/"); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("%v", err)
	}
}

// A client does not reuse the connections of another client.
func TestConnectionsAreNotShared(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	at, err := ParseHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	may, mayNot := NewClient(Options{AllowHosts: []HostPort{at}}), NewClient(Options{})
	defer may.CloseIdleConnections()
	defer mayNot.CloseIdleConnections()
	for range 3 {
		if _, err := get(t, may, server.URL); err != nil {
			t.Fatal(err)
		}
		_, err := get(t, mayNot, server.URL)
		wantRefused(t, err, "port")
	}
}
