package netguard

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An internet simulates all names and addresses: look-ups use its table, and each
// connection that the guard permits goes to one of two local servers.
type internet struct {
	guard    guard
	names    map[string][]string // name to addresses
	sequence map[string][]string // name to one address for each look-up in turn
	plain    *httptest.Server    // behind every port but 443
	tls      *httptest.Server    // behind port 443
	dialled  []string            // addresses that were connected to
	requests []*http.Request     // received by the servers
	handle   func(n int, w http.ResponseWriter, r *http.Request)
}

func newInternet(t *testing.T, allow ...HostPort) *internet {
	t.Helper()
	in := &internet{guard: guard{allowed: allow, interfaceAddrs: noAddresses}, names: map[string][]string{}, sequence: map[string][]string{}}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in.requests = append(in.requests, r)
		if in.handle != nil {
			in.handle(len(in.requests), w, r)
		}
	})
	in.plain, in.tls = httptest.NewServer(h), httptest.NewTLSServer(h)
	t.Cleanup(in.plain.Close)
	t.Cleanup(in.tls.Close)
	return in
}

// noAddresses lists no addresses, like a machine without any.
func noAddresses() ([]net.Addr, error) { return nil, nil }

// client returns a client with the usual checks whose connections go to the internet.
func (in *internet) client(t *testing.T, o Options) *http.Client {
	t.Helper()
	c := newClient(o, in.dial)
	c.Transport.(*transport).base.TLSClientConfig.InsecureSkipVerify = true
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func (in *internet) dial(ctx context.Context, _, address string) (net.Conn, error) {
	target, err := parseDialAddress(address)
	if err != nil {
		return nil, err
	}
	err = &net.DNSError{Err: "no such host", Name: target.Host, IsNotFound: true}
	for _, text := range in.lookUp(target.Host) {
		to := netip.AddrPortFrom(netip.MustParseAddr(text), target.Port)
		if err = in.guard.control(target, map[bool]string{true: "tcp4", false: "tcp6"}[to.Addr().Is4()], to.String()); err != nil {
			continue
		}
		in.dialled = append(in.dialled, to.Addr().String())
		server := in.plain
		if target.Port == 443 {
			server = in.tls
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return nil, err
}

func (in *internet) lookUp(host string) []string {
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}
	}
	if seq := in.sequence[host]; len(seq) > 0 {
		in.sequence[host] = seq[min(1, len(seq)-1):]
		return seq[:1]
	}
	return in.names[host]
}

// get requests a URL and returns the body.
func get(t *testing.T, c *http.Client, raw string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, raw, nil)
	if err != nil {
		return "", err
	}
	return do(c, req)
}

func do(c *http.Client, req *http.Request) (string, error) {
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// wantRefused checks that err wraps a RefusedError whose reason contains words.
func wantRefused(t *testing.T, err error, words string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Why, words) {
		t.Errorf("error %v, want a RefusedError with %q", err, words)
	}
}

// TestLoopback tests an unmodified client with a real server on this machine.
func TestLoopback(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	at, err := ParseHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		allow []HostPort
		url   string
		why   string
	}{
		{"nothing allowed", nil, server.URL, "port"},
		{"allowed", []HostPort{at}, server.URL, ""},
		{"another port", []HostPort{{at.Host, at.Port + 1}}, server.URL, "port"},
		{"ports 80 and 443 only", []HostPort{{Host: at.Host}}, server.URL, "port"},
		{"address allowed, name asked for", []HostPort{at}, strings.Replace(server.URL, at.Host, "localhost", 1), "port"},
		{"name allowed", []HostPort{{"localhost", at.Port}}, strings.Replace(server.URL, at.Host, "LOCALHOST", 1), ""},
		{"name allowed, address asked for", []HostPort{{"localhost", at.Port}}, server.URL, "port"},
		{"allowed, mapped address", []HostPort{at}, strings.Replace(server.URL, at.Host, "[::ffff:7f00:1]", 1), ""},
		{"loopback on a standard port", nil, "http://127.0.0.1/", "127.0.0.1 is a loopback address"},
		{"localhost on a standard port", nil, "https://localhost/", "a loopback address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := NewClient(Options{AllowHosts: c.allow})
			defer client.CloseIdleConnections()
			body, err := get(t, client, c.url)
			if c.why != "" {
				wantRefused(t, err, c.why)
			} else if err != nil || body != "hello" {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	intranet := []HostPort{{"intranet.example", 8080}, {"wiki.example", 0}, {"169.254.169.254", 80}, {"fd00::1", 0}}
	for _, c := range []struct {
		allow []HostPort
		host  string
		to    string
		why   string
	}{
		{nil, "example.com", "93.184.215.14:80", ""},
		{nil, "example.com", "[2606:4700:4700::1111]:443", ""},
		{nil, "example.com", "93.184.215.14:8080", "port"},
		{nil, "example.com", "10.1.2.3:80", "10.1.2.3 is a private address"},
		{nil, "example.com", "[::ffff:10.1.2.3]:80", "10.1.2.3 is a private address"},
		{nil, "example.com", "[fe80::1]:80", "link-local"},
		{nil, "example.com", "[64:ff9b::7f00:1]:80", "not a public address"},
		{nil, "example.com", "[fec0::1]:80", "not a public address"},
		{nil, "example.com", "[2606::1%eth0]:80", "zone"},
		{intranet, "intranet.example", "10.0.0.7:8080", ""},
		{intranet, "intranet.example", "[fd12::7]:8080", ""},
		{intranet, "intranet.example", "93.184.215.14:8080", ""},
		{intranet, "intranet.example", "10.0.0.7:80", "private"},
		{intranet, "intranet.example", "169.254.169.254:8080", "allowing the host name does not permit"},
		{intranet, "intranet.example", "100.100.100.200:8080", "allowing the host name does not permit"},
		{intranet, "intranet.example", "[fd00:ec2::254]:8080", "allowing the host name does not permit"},
		{intranet, "intranet.example", "[fd20:ce::254]:8080", "allowing the host name does not permit"},
		{intranet, "intranet.example", "[fe80::a9fe:a9fe]:8080", "allowing the host name does not permit"},
		{intranet, "intranet.example", "0.0.0.0:8080", "allowing the host name does not permit"},
		{intranet, "other.example", "10.0.0.7:8080", "port"},
		{intranet, "other.example", "10.0.0.7:80", "private"},
		{intranet, "wiki.example", "10.0.0.7:443", ""},
		{intranet, "wiki.example", "10.0.0.7:8080", "port"},
		{intranet, "169.254.169.254", "169.254.169.254:80", ""},
		{intranet, "169.254.169.254", "169.254.169.253:80", "allowing the host name does not permit"},
		{intranet, "fd00::1", "[fd00::1]:443", ""},
	} {
		to := netip.MustParseAddrPort(c.to)
		err := guard{allowed: c.allow, interfaceAddrs: noAddresses}.checkAddress(HostPort{c.host, to.Port()}, to)
		if c.why == "" && err != nil {
			t.Errorf("%s at %s: %v", c.host, c.to, err)
		}
		if c.why != "" {
			wantRefused(t, err, c.why)
		}
	}
}

// Unsupported networks and invalid addresses from the dialler are refused.
func TestControlRefuses(t *testing.T) {
	g := guard{allowed: []HostPort{{"x", 80}}}
	for _, c := range [][2]string{{"tcp4", ":80"}, {"tcp4", "x:80"}, {"tcp6", "[::1%lo]:80"}, {"udp4", "93.184.215.14:80"}, {"unix", "/run/x"}, {"tcp4", ""}} {
		if err := g.control(HostPort{"x", 80}, c[0], c[1]); err == nil {
			t.Errorf("%s %q was permitted", c[0], c[1])
		}
	}
	for _, address := range []string{"", ":80", "x", "x:http", "x:99999"} {
		if _, err := parseDialAddress(address); err == nil {
			t.Errorf("target %q was accepted", address)
		}
	}
}

// Each lookup of a name is checked: a connection is refused if a later lookup returns a loopback address.
func TestRebinding(t *testing.T) {
	in := newInternet(t)
	in.sequence["rebind.test"] = []string{"93.184.215.14", "127.0.0.1"}
	c := in.client(t, Options{})
	if _, err := get(t, c, "http://rebind.test/"); err != nil {
		t.Fatal(err)
	}
	c.CloseIdleConnections()
	_, err := get(t, c, "http://rebind.test/")
	wantRefused(t, err, "loopback")
}

// A connection to an allowed host is not reused for another name or address.
func TestAllowedHostIsNotABridge(t *testing.T) {
	in := newInternet(t, HostPort{"intranet.test", 0})
	in.names["intranet.test"], in.names["evil.test"] = []string{"10.0.0.7"}, []string{"10.0.0.7"}
	c := in.client(t, Options{})
	if _, err := get(t, c, "http://intranet.test/"); err != nil {
		t.Fatal(err)
	}
	_, err := get(t, c, "http://evil.test/")
	wantRefused(t, err, "private")
	in.handle = func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.7/", http.StatusFound)
	}
	_, err = get(t, c, "http://intranet.test/")
	wantRefused(t, err, "private")
}

func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		name, method, from string
		code               int
		to                 string
		why                string // "" if the redirect is followed
	}{
		{"relative", "GET", "http://ok.test/a", 302, "../b", ""},
		{"another host", "GET", "http://ok.test/", 301, "http://ok2.test/", ""},
		{"to https", "GET", "http://ok.test/", 308, "https://ok.test/", ""},
		{"same origin, body kept", "POST", "http://ok.test/", 307, "/x", ""},
		{"POST becomes GET", "POST", "http://ok.test/", 303, "http://ok2.test/", ""},
		{"body to another origin", "POST", "http://ok.test/", 307, "http://ok2.test/", "POST"},
		{"body to another port", "PUT", "http://ok.test/", 308, "http://ok.test:443/", "PUT"},
		{"from https to http", "GET", "https://ok.test/", 302, "http://ok.test/", "from https to http"},
		{"to loopback", "GET", "http://ok.test/", 302, "http://127.0.0.1/", "loopback"},
		{"to loopback without a scheme", "GET", "http://ok.test/", 302, "//127.0.0.1/", "loopback"},
		{"to metadata", "GET", "http://ok.test/", 302, "http://169.254.169.254/", "link-local"},
		{"to another port", "GET", "http://ok.test/", 302, "http://ok.test:6379/", "port"},
		{"with a password", "GET", "http://ok.test/", 302, "http://a:b@ok.test/", "user name"},
		{"to a file", "GET", "http://ok.test/", 302, "file:///etc/passwd", "http://"},
		{"to a short address", "GET", "http://ok.test/", 302, "http://127.1/", "looks like an IP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := newInternet(t)
			in.names["ok.test"], in.names["ok2.test"] = []string{"93.184.215.14"}, []string{"93.184.215.15"}
			in.handle = func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 1 {
					w.Header().Set("Location", c.to)
					w.WriteHeader(c.code)
				}
			}
			req, err := http.NewRequestWithContext(t.Context(), c.method, c.from, strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = do(in.client(t, Options{}), req)
			if c.why != "" {
				wantRefused(t, err, c.why)
				return
			}
			if err != nil || len(in.requests) != 2 {
				t.Errorf("%v after %d requests", err, len(in.requests))
			}
		})
	}
}

func TestRedirectLoop(t *testing.T) {
	in := newInternet(t)
	in.names["ok.test"] = []string{"93.184.215.14"}
	in.handle = func(_ int, w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }
	_, err := get(t, in.client(t, Options{}), "http://ok.test/")
	wantRefused(t, err, "more than 5 redirects")
	if len(in.requests) != 6 {
		t.Errorf("%d requests, want 6", len(in.requests))
	}
}

// All headers except the safe ones are dropped when a redirect leads to another origin,
// and not restored when a later redirect leads back.
func TestHeadersOnRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		hops []string
		kept bool
	}{
		"same origin":  {[]string{"/b"}, true},
		"other host":   {[]string{"http://ok2.test/"}, false},
		"subdomain":    {[]string{"http://sub.ok.test/"}, false},
		"other scheme": {[]string{"https://ok.test/"}, false},
		"and back":     {[]string{"http://ok2.test/", "http://ok.test/"}, false},
		"explicit 80":  {[]string{"http://OK.test:80/"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInternet(t)
			for _, host := range []string{"ok.test", "ok2.test", "sub.ok.test"} {
				in.names[host] = []string{"93.184.215.14"}
			}
			in.handle = func(n int, w http.ResponseWriter, _ *http.Request) {
				if n <= len(c.hops) {
					w.Header().Set("Location", c.hops[n-1])
					w.WriteHeader(http.StatusFound)
				}
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://ok.test/a?token=CANARY", nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Private-Token"} {
				req.Header.Set(name, "CANARY")
			}
			req.Header.Set("Accept", "text/html")
			if _, err := do(in.client(t, Options{}), req); err != nil {
				t.Fatal(err)
			}
			last := in.requests[len(in.requests)-1].Header
			if got := strings.Contains(strings.Join(headerValues(last), " "), "CANARY"); got != c.kept {
				t.Errorf("headers kept: %v, want %v: %v", got, c.kept, last)
			}
			if last.Get("Accept") != "text/html" || last.Get("Referer") != "" {
				t.Errorf("headers: %v", last)
			}
		})
	}
}

func headerValues(h http.Header) []string {
	var out []string
	for _, values := range h {
		out = append(out, values...)
	}
	return out
}

func TestFollowIsAsked(t *testing.T) {
	in := newInternet(t)
	in.names["ok.test"], in.names["other.test"] = []string{"93.184.215.14"}, []string{"93.184.215.15"}
	in.handle = func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://other.test/", http.StatusFound)
	}
	ctx := WithRedirectCheck(t.Context(), func(u *url.URL) error {
		if u.Hostname() != "ok.test" {
			return errors.New("not on the list")
		}
		return nil
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://ok.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = do(in.client(t, Options{}), req)
	wantRefused(t, err, "not on the list")
	if len(in.requests) != 1 {
		t.Errorf("%d requests", len(in.requests))
	}
}

func TestForgedHost(t *testing.T) {
	in := newInternet(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://93.184.215.14/", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "intranet.test"
	_, err = do(in.client(t, Options{}), req)
	wantRefused(t, err, "Host header")
}

func TestBodyLimit(t *testing.T) {
	in := newInternet(t)
	in.handle = func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("x", 1000))
		z.Close()
	}
	if body, err := get(t, in.client(t, Options{MaxBodyBytes: 1000}), "http://93.184.215.14/"); err != nil || len(body) != 1000 {
		t.Errorf("at the limit: %d bytes, %v", len(body), err)
	}
	body, err := get(t, in.client(t, Options{MaxBodyBytes: 999}), "http://93.184.215.14/")
	var large *BodyError
	if !errors.As(err, &large) || large.Limit != 999 || len(body) != 999 {
		t.Errorf("over the limit: %d bytes, %v", len(body), err)
	}
}

func TestHeaderLimit(t *testing.T) {
	in := newInternet(t)
	in.handle = func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Large", strings.Repeat("x", maxHeaderBytes))
	}
	if _, err := get(t, in.client(t, Options{}), "http://93.184.215.14/"); err == nil {
		t.Error("a response with large headers was accepted")
	}
}
