package provider

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/provider/wire"
)

// List returns the models of the server, sorted by name. Errors are those of [Client.Reply]; the request is not
// retried, and the whole list must arrive within the idle limit.
func (c *Client) List(ctx context.Context) ([]wire.ModelInfo, error) {
	p := c.protocol.Load()
	body, err := c.fetchInfo(ctx, "list of models", http.MethodGet, p.ListPath, nil)
	if err != nil {
		return nil, err
	}
	list, err := p.ParseModels(body)
	if err != nil {
		return nil, unexpectedAnswer(err)
	}
	slices.SortFunc(list, func(a, b wire.ModelInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Show returns the model's capabilities, if the server reports any; otherwise no request is made. Errors are as in
// [Client.List].
func (c *Client) Show(ctx context.Context) (wire.Capabilities, error) {
	p := c.protocol.Load()
	if !c.ReportsCapabilities() {
		return wire.Capabilities{}, nil
	}
	body, err := c.fetchInfo(ctx, "description of the model", http.MethodPost, p.ShowPath, wire.NewObject("model", c.model).Pieces())
	if err != nil {
		return wire.Capabilities{}, err
	}
	can, err := p.ParseModel(body)
	if err != nil {
		return wire.Capabilities{}, unexpectedAnswer(err)
	}
	return can, nil
}

// ReportsCapabilities reports whether the server reports the capabilities of its models.
func (c *Client) ReportsCapabilities() bool { return c.protocol.Load().ShowPath != "" }

// fetchInfo makes one information request and returns the answer, a JSON object.
func (c *Client) fetchInfo(ctx context.Context, what, method, path string, text wire.Pieces) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.idle, &TimeoutError{What: what, Limit: c.idle})
	defer cancel()
	answer, err := c.fetchOnce(ctx, method, path, text)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	if IsConnectionFault(err) {
		err = &UnavailableError{Attempts: 1, Err: err}
	}
	return answer, err
}

// fetchOnce makes one request.
func (c *Client) fetchOnce(ctx context.Context, method, path string, text wire.Pieces) ([]byte, error) {
	req, err := c.newRequest(ctx, c.protocol.Load(), method, path, text)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.requestError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, c.statusError(nil, resp, resp.Body)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBytes+1))
	if err != nil {
		return nil, c.requestError(ctx, err)
	}
	if err := checkObject(answer, c.maxBytes); err != nil {
		return nil, &BrokenOffError{Err: err}
	}
	return answer, nil
}

// checkObject checks that a body is one JSON object.
func checkObject(body []byte, maxBytes int64) error {
	switch v := jsontext.Value(bytes.TrimSpace(body)); {
	case len(v) == 0:
		return &wire.Error{Kind: wire.Empty, Message: "response is empty"}
	case int64(len(body)) > maxBytes:
		return &wire.Error{Kind: wire.TooLarge, Message: "response is over the limit", Offset: maxBytes}
	case v.Kind() != '{' || !v.IsValid(wire.Lenient):
		return &wire.Error{Kind: wire.Malformed, Message: "not a JSON object"}
	}
	return nil
}

// unexpectedAnswer returns the error of a valid JSON answer with unexpected content.
func unexpectedAnswer(err error) error {
	return &BrokenOffError{Err: &wire.Error{Kind: wire.Malformed, Message: wire.Excerpt(err.Error())}}
}
