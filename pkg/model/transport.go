package model

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialTimeout    = 10 * time.Second
	maxHeaderBytes = 64 << 10
)

// A dialFunc opens a connection, as [net.Dialer.DialContext] does.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// newClient returns an HTTP client for one model server. It shares nothing with
// other clients, follows no redirect, keeps no cookies, offers no compression
// and uses no proxy but the one it is given. A connection serves one request:
// between two turns a pooled one would often be dead by the time it is needed,
// and a new one costs nothing next to a model's reply.
func newClient(dial dialFunc, proxy *url.URL) *http.Client {
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
	if proxy != nil {
		t.Proxy = http.ProxyURL(proxy)
	}
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
