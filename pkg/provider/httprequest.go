package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
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
	header := c.requestHeader(out.protocol, out.body)
	for _, name := range CredentialHeaders() {
		if header[name] != nil {
			header[name] = []string{maskedCredential}
		}
	}
	return HTTPRequest{Method: http.MethodPost, URL: c.endpointURL(out.protocol.Path).Redacted(), Header: header, Body: out.body.Bytes()}, nil
}

// A composedRequest is an encoded request, with the data needed to interpret its response.
type composedRequest struct {
	protocol  *wire.Protocol
	body      wire.Pieces
	names     toolNames
	hasTools  bool // the request has tools
	hasFormat bool // the request has a format
	maxCalls  int  // limit of calls in the response; 0 for none
}

// compose encodes a request for the client's current protocol.
func (c *Client) compose(req chat.Request) (*composedRequest, error) {
	p := c.protocol.Load()
	if req.AnyJSON && p.NoAnyJSON {
		return nil, &FormatError{Err: fmt.Errorf("the API %s cannot enforce JSON without a schema", p.API)}
	}
	if err := checkAttachments(p, req.Messages); err != nil {
		return nil, err
	}
	if c.sanitize == nil && slices.ContainsFunc(req.Messages, c.isForeign) {
		return nil, errors.New("model request: a message is of another model, and the client has no Sanitize")
	}
	known, err := newToolNames(c.facts.AnyName, req.Tools)
	if err != nil {
		return nil, err
	}
	params := make(map[string]json.RawMessage)
	maps.Copy(params, c.defaults)
	maps.Copy(params, req.Params)
	req.Params = params
	if !c.facts.KeepsConstraints {
		req.Tools = withSchemaHints(req.Tools)
	}
	e := &wire.Encoding{
		Protocol: p, Variant: c.facts.Variant, Model: c.model, FullName: c.name, Request: req,
		ToolName: known.toWire, Sanitize: c.sanitizeOtherModelMessage, Transcript: c.sent.Acquire(p, req),
	}
	text, err := e.Encode()
	if err != nil {
		return nil, err
	}
	c.sent.Release(e.Transcript)
	return &composedRequest{p, text, known, len(req.Tools) > 0, req.Format != nil || req.AnyJSON, req.MaxCalls}, nil
}

// checkAttachments refuses attachments for which a protocol has no form.
func checkAttachments(p *wire.Protocol, messages []chat.Message) error {
	for _, m := range messages {
		for _, a := range m.Attachments {
			if !slices.Contains(p.Attachments, a.Type) {
				return &AttachmentError{API: p.API, Name: a.Name, Type: a.Type}
			}
		}
	}
	return nil
}

// newRequest returns an HTTP request for an API.
func (c *Client) newRequest(ctx context.Context, p *wire.Protocol, method, path string, text wire.Pieces) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.endpointURL(path).String(), text.Reader())
	if err != nil {
		return nil, fmt.Errorf("model request: %w", err)
	}
	if req.GetBody == nil { // net/http does not know the length of a body in pieces
		req.ContentLength = text.Size()
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(text.Reader()), nil }
	}
	req.Header = c.requestHeader(p, text)
	return req, nil
}

// requestHeader returns the headers of a request: those of the API, overridden by the client's.
func (c *Client) requestHeader(p *wire.Protocol, text wire.Pieces) http.Header {
	h := http.Header{"Accept": {p.Accept}, "User-Agent": {"oneshot"}}
	if text != nil {
		h.Set("Content-Type", "application/json")
	}
	maps.Copy(h, p.Header)
	maps.Copy(h, c.header)
	return h
}

// endpointURL returns the URL of a path below the base URL, which may already end in the path's version.
func (c *Client) endpointURL(path string) *url.URL {
	if strings.HasSuffix(strings.TrimRight(c.base.Path, "/"), "/v1") {
		path = strings.TrimPrefix(path, "v1/")
	}
	path, query, _ := strings.Cut(path, "?")
	to := c.base.JoinPath(path)
	to.RawQuery = strings.Trim(to.RawQuery+"&"+query, "&")
	return to
}
