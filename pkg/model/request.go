package model

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

// An HTTPRequest is a request as it would be sent, for a person to look at:
// what could be a credential is hidden.
type HTTPRequest struct {
	Method string
	URL    string
	Header http.Header
	Body   json.RawMessage
}

// hidden stands in place of a credential.
const hidden = "***"

// CredentialHeaders returns the names of headers whose values are credentials.
func CredentialHeaders() []string {
	return []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Auth-Token"}
}

// Compose returns what [Client.Reply] would send first. The values of
// [CredentialHeaders] and a password in the URL are hidden. Errors are those of
// Reply about what cannot be sent.
func (c *Client) Compose(req chat.Request) (HTTPRequest, error) {
	out, err := c.compose(req)
	if err != nil {
		return HTTPRequest{}, err
	}
	header := c.headerOf(out.api, out.body)
	for _, name := range CredentialHeaders() {
		if header[name] != nil {
			header[name] = []string{hidden}
		}
	}
	return HTTPRequest{Method: http.MethodPost, URL: c.at(out.api.path).Redacted(), Header: header, Body: out.body.bytes()}, nil
}

// An outgoing is a request for a reply, and what has to be known of it later.
type outgoing struct {
	api       *protocol
	body      body
	names     names
	tools     bool // there are some
	limited   bool // the form of the response is
	mostCalls int  // of the response; 0 for any number
}

// compose encodes a request for the API that the client uses now.
func (c *Client) compose(req chat.Request) (*outgoing, error) {
	api := c.api.Load()
	if api == nil {
		return nil, errNoAPI
	}
	known, err := newNames(c.facts.AnyName, req.Tools)
	if err != nil {
		return nil, err
	}
	params := make(map[string]json.RawMessage)
	maps.Copy(params, c.defaults)
	maps.Copy(params, req.Params)
	req.Params = params
	e := &encoding{protocol: api, facts: c.facts, name: c.name, model: c.model, req: req, names: known, mask: c.mask, past: c.sent.take(api.api, req)}
	text, err := e.write()
	if err != nil {
		return nil, err
	}
	c.sent.keep(e.past)
	return &outgoing{api, text, known, len(req.Tools) > 0, req.Format != nil || req.AnyJSON, req.MostCalls}, nil
}

// newRequest returns a request over an API.
func (c *Client) newRequest(ctx context.Context, p *protocol, method, path string, text body) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.at(path).String(), text.reader())
	if err != nil {
		return nil, fmt.Errorf("model request: %w", err)
	}
	if req.GetBody == nil { // a body in pieces
		req.ContentLength = text.size()
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(text.reader()), nil }
	}
	req.Header = c.headerOf(p, text)
	return req, nil
}

// headerOf returns the header of a request over an API: what that wants and the
// client's own, which wins.
func (c *Client) headerOf(p *protocol, text body) http.Header {
	h := http.Header{"Accept": {p.accept}, "User-Agent": {"oneshot"}}
	if text != nil {
		h.Set("Content-Type", "application/json")
	}
	maps.Copy(h, p.header)
	maps.Copy(h, c.header)
	return h
}

// at returns the address of a path below the base URL, which may or may not end
// in the version that the path begins with.
func (c *Client) at(path string) *url.URL {
	if strings.HasSuffix(strings.TrimRight(c.base.Path, "/"), "/v1") {
		path = strings.TrimPrefix(path, "v1/")
	}
	path, query, _ := strings.Cut(path, "?")
	to := c.base.JoinPath(path)
	to.RawQuery = strings.Trim(to.RawQuery+"&"+query, "&")
	return to
}
