package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// parsed returns a URL.
func parsed(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A client connects only to the address of its base URL, or to its proxy.
func TestOnlyTheServer(t *testing.T) {
	for _, c := range []struct {
		base, proxy, asked string
		want               string // the address of the connection; "" for none
	}{
		{"http://model.test:11434", "", "http://model.test:11434/api/chat", "model.test:11434"},
		{"http://MODEL.test", "", "http://model.TEST/api/chat", "model.TEST:80"},
		{"https://model.test/v1", "", "https://model.test/v1/chat", "model.test:443"},
		{"http://[::1]:11434", "", "http://[::1]:11434/", "[::1]:11434"},
		{"http://model.test:11434", "", "http://model.test:11435/", ""},
		{"http://model.test:11434", "", "http://169.254.169.254:11434/", ""},
		{"http://model.test", "", "https://model.test/", ""},
		{"http://model.test", "", "http://model.test.evil.test/", ""},
		{"http://127.0.0.1:80", "", "http://localhost:80/", ""},
		{"http://model.test", "http://proxy.test:3128", "http://model.test/", "proxy.test:3128"},
		{"https://model.test", "http://proxy.test", "https://model.test/", "proxy.test:80"},
		{"https://model.test", "socks5://proxy.test", "https://model.test/", "proxy.test:1080"},
		{"https://model.test", "https://proxy.test", "https://model.test/", "proxy.test:443"},
	} {
		var dialled []string
		nobody := errors.New("nobody is there")
		config := Config{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			return nil, nobody
		}}
		if c.proxy != "" {
			config.Proxy = parsed(t, c.proxy)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newHTTPClient(config, parsed(t, c.base)).Do(req)
		if err == nil {
			resp.Body.Close()
		}
		if got := strings.Join(dialled, " "); got != c.want || errors.Is(err, nobody) != (c.want != "") {
			t.Errorf("%+v: connected to %q, %v", c, got, err)
		}
	}
}

// The client follows no redirects or alternative services of a server, and sends no cookies.
func TestServerNamesAnother(t *testing.T) {
	other := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other++ }))
	defer elsewhere.Close()
	asked, cookies := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		cookies += len(r.Cookies())
		w.Header().Set("Alt-Svc", `h2="`+elsewhere.Listener.Addr().String()+`", h3="`+elsewhere.Listener.Addr().String()+`"; ma=3600`)
		w.Header().Set("Set-Cookie", "who=me; Path=/")
		w.Header().Set("Refresh", "0; url="+elsewhere.URL)
		w.Header().Set("Location", elsewhere.URL)
		w.Header().Set("Link", "<"+elsewhere.URL+`>; rel="preload"`)
		w.WriteHeader([]int{301, 302, 303, 307, 308}[asked%5])
		_, _ = io.WriteString(w, "look there")
	}))
	defer server.Close()
	client := newHTTPClient(Config{}, parsed(t, server.URL))
	for range 5 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode < 300 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	if asked != 5 || other != 0 || cookies != 0 {
		t.Errorf("%d requests, %d of them elsewhere, %d cookies", asked, other, cookies)
	}
}

// Two clients share nothing, and use no globals of the standard library.
func TestClientsAreApart(t *testing.T) {
	base := parsed(t, "http://model.test")
	one, two := newHTTPClient(Config{}, base), newHTTPClient(Config{}, base)
	if one.Transport == two.Transport || one.Transport == http.DefaultTransport || one.Jar != nil {
		t.Error("a client is shared")
	}
}

// A server with only old TLS versions is an error.
func TestOldTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newHTTPClient(Config{}, parsed(t, server.URL)).Do(req)
	if err == nil {
		resp.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("%v", err)
	}
}
