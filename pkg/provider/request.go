package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"oneshot/pkg/chat"
)

// An HTTPRequest is a request for display, with credentials masked.
type HTTPRequest struct {
	Method string
	URL    string
	Header http.Header
	Body   json.RawMessage
}

// maskedCredential replaces a credential.
const maskedCredential = "***"

// CredentialHeaders returns the names of headers that hold credentials.
func CredentialHeaders() []string {
	return []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Auth-Token"}
}

// Compose returns the first request that [Client.Reply] would send. Values of [CredentialHeaders] and a password in the
// URL are masked. Errors are those of Reply about requests that cannot be sent.
func (c *Client) Compose(req chat.Request) (HTTPRequest, error) {
	out, err := c.compose(req)
	if err != nil {
		return HTTPRequest{}, err
	}
	header := c.headerOf(out.api, out.body)
	for _, name := range CredentialHeaders() {
		if header[name] != nil {
			header[name] = []string{maskedCredential}
		}
	}
	return HTTPRequest{Method: http.MethodPost, URL: c.urlOf(out.api.path).Redacted(), Header: header, Body: out.body.bytes()}, nil
}

// A composedRequest is an encoded request, with the data needed to interpret its response.
type composedRequest struct {
	api       *protocol
	body      body
	names     toolNames
	hasTools  bool // the request has tools
	hasFormat bool // the request has a format
	maxCalls  int  // limit of calls in the response; 0 for none
}

// compose encodes a request for the client's current API.
func (c *Client) compose(req chat.Request) (*composedRequest, error) {
	api := c.api.Load()
	if api == nil {
		return nil, errUnknownAPI
	}
	known, err := newNames(c.facts.AnyName, req.Tools)
	if err != nil {
		return nil, err
	}
	params := make(map[string]json.RawMessage)
	maps.Copy(params, c.defaults)
	maps.Copy(params, req.Params)
	req.Params = params
	e := &encoding{protocol: api, facts: c.facts, name: c.name, model: c.model, req: req, names: known, mask: c.mask, previous: c.sent.acquire(api.api, req)}
	text, err := e.encodeBody()
	if err != nil {
		return nil, err
	}
	c.sent.release(e.previous)
	return &composedRequest{api, text, known, len(req.Tools) > 0, req.Format != nil || req.AnyJSON, req.MaxCalls}, nil
}

// newRequest returns an HTTP request for an API.
func (c *Client) newRequest(ctx context.Context, p *protocol, method, path string, text body) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.urlOf(path).String(), text.reader())
	if err != nil {
		return nil, fmt.Errorf("model request: %w", err)
	}
	if req.GetBody == nil { // net/http does not know the length of a body in pieces
		req.ContentLength = text.size()
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(text.reader()), nil }
	}
	req.Header = c.headerOf(p, text)
	return req, nil
}

// headerOf returns the headers of a request: those of the API, overridden by the client's.
func (c *Client) headerOf(p *protocol, text body) http.Header {
	h := http.Header{"Accept": {p.accept}, "User-Agent": {"oneshot"}}
	if text != nil {
		h.Set("Content-Type", "application/json")
	}
	maps.Copy(h, p.header)
	maps.Copy(h, c.header)
	return h
}

// urlOf returns the URL of a path below the base URL, which may already end in the path's version.
func (c *Client) urlOf(path string) *url.URL {
	if strings.HasSuffix(strings.TrimRight(c.base.Path, "/"), "/v1") {
		path = strings.TrimPrefix(path, "v1/")
	}
	path, query, _ := strings.Cut(path, "?")
	to := c.base.JoinPath(path)
	to.RawQuery = strings.Trim(to.RawQuery+"&"+query, "&")
	return to
}
