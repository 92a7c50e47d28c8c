package model

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout    = 10 * time.Second
	maxHeaderBytes = 64 << 10
)

// newHTTPClient returns an HTTP client for one model server. It shares nothing
// with other clients, follows no redirect, keeps no cookies, offers no
// compression and uses no proxy but the one it is given. A connection serves one
// request: between two turns a pooled one would often be dead by the time it is
// needed, and a new one costs nothing next to a model's reply.
func newHTTPClient(c Config) *http.Client {
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	t := &http.Transport{
		DialContext:            dial,
		TLSHandshakeTimeout:    dialTimeout,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if c.RootCAs != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: c.RootCAs}
	}
	if c.Proxy != nil {
		t.Proxy = http.ProxyURL(c.Proxy)
	}
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
