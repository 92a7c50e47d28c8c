// Package netguard makes the HTTP clients that tools use. It is the only place
// that does: a client made here cannot be talked into reaching the machine it
// runs on, the network around it or a cloud's metadata service.
//
// Two things are checked. The spelling of every URL, of redirects too, so that
// nobody reads another host in it than the client ([CheckURL]). And the address
// of every connection at the moment it is made, after the name was looked up:
// what a name meant a moment ago, or means to somebody else, plays no part.
//
// Which hosts a tool may talk to is decided by package policy. The client of a
// model is not made here: it may well be a server on this machine.
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

// Options are the choices of a client.
type Options struct {
	// AllowHosts are hosts that may be reached although their addresses are
	// private or their ports unusual.
	AllowHosts []HostPort
	// MaxBodyBytes limits the body of a response after decompression; 0 is 16 MiB.
	// Reading beyond it fails with a *[BodyError].
	MaxBodyBytes int64
}

// Refused is a request that the guard did not let through.
type Refused struct {
	URL string // without a password
	Why string

	Unlisted bool // because AllowHosts does not have it, as it can have private hosts and their ports
}

func (e *Refused) Error() string { return fmt.Sprintf("%s is refused: %s", e.URL, e.Why) }

// A BodyError says that the body of a response is longer than the client reads.
type BodyError struct{ Limit int64 }

func (e *BodyError) Error() string {
	return fmt.Sprintf("the body is longer than %d bytes", e.Limit)
}

// An EncodingError says that the body of a response came in a compression that the client did
// not ask for. It is not unpacked.
type EncodingError struct{ Encoding string }

func (e *EncodingError) Error() string {
	if len(e.Encoding) > 40 { // not a part of it: the rest may be needed to see a secret in it
		return "the body is encoded in a way that was not asked for"
	}
	return fmt.Sprintf("the body is encoded as %q, which was not asked for", e.Encoding)
}

// NewClient returns a client for tools. It has no time limit of its own: give
// its requests a context with a deadline. It uses no proxy and keeps no cookies. It
// speaks HTTP/1.1, in which a server cannot keep a client busy beside its responses, and
// of compressions it knows gzip: reading a body in any other fails with an *[EncodingError].
// It follows up to five redirects, but none from https to http, and none that
// would send a body to another origin; there, only the headers User-Agent, Accept
// and Accept-Language are repeated. What it does not let through is an error that
// wraps a *[Refused].
//
// A request whose Close is set has a new connection of its own. On one that was used before,
// net/http makes a request again by itself if the server closes it, also one that changes
// something: of a GET, and of whatever has a header Idempotency-Key, it takes that for harmless.
func NewClient(o Options) *http.Client {
	return newClient(o, guard{allowed: slices.Clone(o.AllowHosts), own: net.InterfaceAddrs}.dial)
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
	t := &transport{maxBody: o.MaxBodyBytes, base: base, alone: base.Clone()}
	t.alone.DisableKeepAlives = true
	if t.maxBody <= 0 {
		t.maxBody = defaultBodyBytes
	}
	return &http.Client{Transport: t, CheckRedirect: checkRedirect}
}

// A transport checks each request on its way out, the first and those of
// redirects, and limits what comes back.
type transport struct {
	maxBody int64
	base    *http.Transport
	alone   *http.Transport // a connection for each request
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := admit(req); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	base := t.base
	if req.Close {
		base = t.alone
	}
	resp, err := base.RoundTrip(req)
	var refused *Refused
	if errors.As(err, &refused) {
		return nil, &Refused{URL: req.URL.Redacted(), Why: refused.Why, Unlisted: refused.Unlisted}
	}
	if err != nil {
		return nil, err
	}
	// What the transport has unpacked does not say so any more.
	if encoding := strings.Join(resp.Header.Values("Content-Encoding"), ", "); encoding != "" && !strings.EqualFold(encoding, "identity") {
		resp.Body = packedBody{resp.Body, encoding}
	}
	resp.Body = &limitedBody{ReadCloser: resp.Body, left: t.maxBody, limit: t.maxBody}
	return resp, nil
}

func admit(req *http.Request) error {
	if why := badURL(req.URL); why != "" {
		return &Refused{URL: req.URL.Redacted(), Why: why}
	}
	if req.Host != "" && req.Host != req.URL.Host {
		return &Refused{URL: req.URL.Redacted(), Why: "the Host header names another host"}
	}
	return nil
}

// CloseIdleConnections is called by [http.Client.CloseIdleConnections].
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// followKey is the key of what [WithFollow] puts into a context.
type followKey struct{}

// ErrStay says that a redirect is not followed: it is the response itself.
var ErrStay = errors.New("the redirect is the response")

// WithFollow returns a context whose requests go on to an address that a server names only if
// follow has no error about it. With [ErrStay] the redirect is the response; any other one is why
// the request fails.
func WithFollow(ctx context.Context, follow func(*url.URL) error) context.Context {
	return context.WithValue(ctx, followKey{}, follow)
}

// WithConnected returns a context, and a function that reports whether a request with it has had a
// connection to a server: then the server may have got it.
func WithConnected(ctx context.Context) (context.Context, func() bool) {
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	return ctx, connected.Load
}

// checkRedirect decides about a redirect and what goes with it. Its URL is
// checked by RoundTrip.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first, last := via[0].URL, via[len(via)-1].URL
	refuse := func(why string) error { return &Refused{URL: req.URL.Redacted(), Why: why} }
	follow, ok := req.Context().Value(followKey{}).(func(*url.URL) error)
	var unfollowed error
	if ok {
		unfollowed = follow(req.URL)
	}
	if errors.Is(unfollowed, ErrStay) {
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
	req.Header = harmless(req.Header)
	return nil
}

// harmless returns the headers that any server may see. net/http itself drops
// only six names, and not when the port or the scheme changes.
func harmless(h http.Header) http.Header {
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

// A packedBody is one that cannot be read.
type packedBody struct {
	io.Closer
	encoding string
}

// Read implements [io.Reader].
func (b packedBody) Read([]byte) (int, error) { return 0, &EncodingError{Encoding: b.encoding} }

// A limitedBody fails when more than its limit is read from it.
type limitedBody struct {
	io.ReadCloser
	left, limit int64
}

// Read implements [io.Reader].
func (b *limitedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), &BodyError{Limit: b.limit}
	}
	b.left -= int64(n)
	return n, err
}
