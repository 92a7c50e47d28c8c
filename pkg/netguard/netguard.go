// Package netguard creates the HTTP clients that tools use, and is the only
// package that does. Its clients resist SSRF: they do not reach the machine they
// run on, the network around it or a cloud's metadata service.
//
// A client checks the spelling of every URL, including redirects, so that no
// other parser sees a different host in it ([CheckURL]). It also checks the
// address of every connection when it is made, after name resolution, so DNS
// rebinding has no effect.
//
// Package policy decides which hosts a tool may reach. Clients for model servers
// are created elsewhere, because these may run on this machine.
package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxRedirects     = 5
	maxHeaderBytes   = 64 << 10
	defaultBodyBytes = 16 << 20
)

// Options configure a client.
type Options struct {
	// AllowHosts are hosts that may be reached despite private addresses or
	// nonstandard ports.
	AllowHosts []HostPort
	// MaxBodyBytes limits the body of a response after decompression; 0 means 16 MiB.
	// Reading beyond it fails with a *[BodyError].
	MaxBodyBytes int64
}

// A RefusedError reports that the guard blocked a request.
type RefusedError struct {
	URL string // without a password
	Why string

	NotAllowed bool // AllowHosts could permit it, but has no entry for it
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%s is refused: %s", e.URL, e.Why) }

// A BodyError reports that the body of a response exceeds the limit of the client.
type BodyError struct{ Limit int64 }

func (e *BodyError) Error() string {
	return fmt.Sprintf("the body is longer than %d bytes", e.Limit)
}

// An EncodingError reports that a response has a content encoding that the client did not request. It is
// not decoded.
type EncodingError struct{ Encoding string }

func (e *EncodingError) Error() string {
	if len(e.Encoding) > 40 { // not truncated: redaction needs the whole value to detect a secret
		return "the body has a content encoding that was not requested"
	}
	return fmt.Sprintf("the body has the content encoding %q, which was not requested", e.Encoding)
}

// NewClient returns a client for tools. It has no timeout: use a request context with a deadline. It uses no proxy
// and keeps no cookies. It speaks HTTP/1.1, where a server cannot keep a client busy outside responses, and
// supports only gzip: reading a body with another encoding fails with an *[EncodingError]. It follows up to five
// redirects, but none from https to http, and none that would send a body to another origin; there it sends only
// the headers User-Agent, Accept and Accept-Language. A blocked request is an error that wraps a *[RefusedError].
//
// A request with Close set gets a new connection. On a reused connection that the server closes, net/http retries
// by itself, even requests that make changes: it treats GET and requests with an Idempotency-Key header as safe.
func NewClient(o Options) *http.Client {
	return newClient(o, guard{allowed: slices.Clone(o.AllowHosts), interfaceAddrs: net.InterfaceAddrs}.dial)
}

func newClient(o Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	base := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
	}
	t := &transport{maxBody: o.MaxBodyBytes, base: base, unshared: base.Clone()}
	t.unshared.DisableKeepAlives = true
	if t.maxBody <= 0 {
		t.maxBody = defaultBodyBytes
	}
	return &http.Client{Transport: t, CheckRedirect: checkRedirect}
}

// A transport checks each request, including redirects, and limits the response.
type transport struct {
	maxBody  int64
	base     *http.Transport
	unshared *http.Transport // one connection per request
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkRequest(req); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	base := t.base
	if req.Close {
		base = t.unshared
	}
	resp, err := base.RoundTrip(req)
	var refused *RefusedError
	if errors.As(err, &refused) {
		return nil, &RefusedError{URL: req.URL.Redacted(), Why: refused.Why, NotAllowed: refused.NotAllowed}
	}
	if err != nil {
		return nil, err
	}
	// The transport removes Content-Encoding from bodies it has decompressed.
	if encoding := strings.Join(resp.Header.Values("Content-Encoding"), ", "); encoding != "" && !strings.EqualFold(encoding, "identity") {
		resp.Body = encodedBody{resp.Body, encoding}
	}
	resp.Body = &limitedBody{ReadCloser: resp.Body, remaining: t.maxBody, limit: t.maxBody}
	return resp, nil
}

// checkRequest checks the URL and the Host header of a request.
func checkRequest(req *http.Request) error {
	if why := urlProblem(req.URL); why != "" {
		return &RefusedError{URL: req.URL.Redacted(), Why: why}
	}
	if req.Host != "" && req.Host != req.URL.Host {
		return &RefusedError{URL: req.URL.Redacted(), Why: "the Host header names another host"}
	}
	return nil
}

// CloseIdleConnections implements the interface that [http.Client.CloseIdleConnections] uses.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// redirectCheckKey is the context key of [WithRedirectCheck].
type redirectCheckKey struct{}

// ErrDoNotFollow makes a client return a redirect as the response instead of following it; see [WithRedirectCheck].
var ErrDoNotFollow = errors.New("the redirect is not followed")

// WithRedirectCheck returns a context whose requests follow a redirect only if follow returns nil for its URL. If
// follow returns [ErrDoNotFollow], the redirect is the response; any other error fails the request.
func WithRedirectCheck(ctx context.Context, follow func(*url.URL) error) context.Context {
	return context.WithValue(ctx, redirectCheckKey{}, follow)
}

// TrackConnected returns a context, and a function that reports whether a request with it has had a connection: the
// server may have received the request then.
func TrackConnected(ctx context.Context) (context.Context, func() bool) {
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	return ctx, connected.Load
}

// checkRedirect decides whether to follow a redirect and with which headers. RoundTrip checks its URL.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first, last := via[0].URL, via[len(via)-1].URL
	refuse := func(why string) error { return &RefusedError{URL: req.URL.Redacted(), Why: why} }
	follow, ok := req.Context().Value(redirectCheckKey{}).(func(*url.URL) error)
	var unfollowed error
	if ok {
		unfollowed = follow(req.URL)
	}
	if errors.Is(unfollowed, ErrDoNotFollow) {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return refuse(fmt.Sprintf("more than %d redirects", maxRedirects))
	}
	if last.Scheme == "https" && req.URL.Scheme == "http" {
		return refuse("a redirect from https to http")
	}
	if unfollowed != nil {
		return refuse("the server redirects to it: " + unfollowed.Error())
	}
	// The query of the last URL may hold a secret.
	req.Header.Del("Referer")
	left := func(r *http.Request) bool { return !SameOrigin(first, r.URL) }
	if !left(req) && !slices.ContainsFunc(via, left) {
		return nil
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return refuse("a redirect of a " + req.Method + " request to another origin")
	}
	req.Header = safeHeaders(req.Header)
	return nil
}

// safeHeaders returns the headers that any server may see. net/http itself drops only six names, and
// keeps them if just the port or the scheme changes.
func safeHeaders(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"User-Agent", "Accept", "Accept-Language"} {
		if values := h.Values(name); len(values) > 0 {
			out[name] = values
		}
	}
	return out
}

// SameOrigin reports whether two checked URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && HostOf(a) == HostOf(b)
}

// An encodedBody fails on every read.
type encodedBody struct {
	io.Closer
	encoding string
}

// Read implements [io.Reader].
func (b encodedBody) Read([]byte) (int, error) { return 0, &EncodingError{Encoding: b.encoding} }

// A limitedBody fails if more than its limit is read.
type limitedBody struct {
	io.ReadCloser
	remaining, limit int64
}

// Read implements [io.Reader].
func (b *limitedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.remaining+1 {
		p = p[:b.remaining+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.remaining {
		n, err = int(b.remaining), &BodyError{Limit: b.limit}
	}
	b.remaining -= int64(n)
	return n, err
}
