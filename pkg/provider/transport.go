package provider

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	dialTimeout    = 10 * time.Second
	maxHeaderBytes = 64 << 10
)

// A dialer opens connections, as [net.Dialer.DialContext] does.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// newHTTPClient returns an HTTP client that connects only to the model server at a base URL or to the proxy. It shares
// nothing with other clients, follows no redirects, keeps no cookies, requests no compression and uses only the given
// proxy. Each connection serves one request: a pooled one would often be dead by the next turn, and a new one costs
// little compared to a model's reply.
func newHTTPClient(c Config, base *url.URL) *http.Client {
	dial := dialer(c.Dial)
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	t := &http.Transport{
		DialContext:            dial.onlyTo(addressOf(cmp.Or(c.Proxy, base))),
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTimeout,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if c.Proxy != nil {
		t.Proxy = http.ProxyURL(c.Proxy)
	}
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// addressOf returns host and port of a URL for dialing.
func addressOf(u *url.URL) string {
	port := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
}

// onlyTo returns a dialer that connects to a single address.
func (d dialer) onlyTo(want string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" || !strings.EqualFold(address, want) {
			return nil, fmt.Errorf("refused to connect to %s: this client connects only to %s", address, want)
		}
		return d(ctx, network, address)
	}
}
