package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	return HTTPRequest{Method: http.MethodPost, URL: c.at(out.api.path).Redacted(), Header: header, Body: out.body}, nil
}

// An outgoing is a request for a reply, and what has to be known of it later.
type outgoing struct {
	api     *protocol
	body    []byte
	names   names
	tools   bool // there are some
	limited bool // the form of the response is
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
	e := &encoding{protocol: api, facts: c.facts, name: c.name, model: c.model, req: req, names: known, said: &c.said}
	body, err := e.write()
	if err != nil {
		return nil, err
	}
	return &outgoing{api, body, known, len(req.Tools) > 0, req.Format != nil || req.AnyJSON}, nil
}

// newRequest returns a request over an API.
func (c *Client) newRequest(ctx context.Context, p *protocol, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.at(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("model request: %w", err)
	}
	req.Header = c.headerOf(p, body)
	return req, nil
}

// headerOf returns the header of a request over an API: what that wants and the
// client's own, which wins.
func (c *Client) headerOf(p *protocol, body []byte) http.Header {
	h := http.Header{"Accept": {p.accept}, "User-Agent": {"oneshot"}}
	if body != nil {
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
