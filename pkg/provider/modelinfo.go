package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/ollama/ollama/api"
	ollama "github.com/ollama/ollama/types/model"

	"oneshot/pkg/provider/wire"
)

// A ModelInfo is one model that a server has.
type ModelInfo struct {
	Name      string
	SizeBytes int64 // 0 if unknown
}

// Capabilities are the capabilities of a model according to its server.
type Capabilities struct {
	Known         bool // the server reports capabilities; otherwise the rest is zero
	ContextLength int  // trained context length in tokens; 0 if unknown
	NumCtx        int  // context length in tokens in its own settings (the Modelfile); 0 if not set
	Completion    bool // supports chat
	Tools         bool // supports native tool calls
	Thinking      bool // returns reasoning separately from text
}

// List returns the models of the server, sorted by name. Errors are those of [Client.Reply]; the request is not
// retried, and the whole list must arrive within the idle limit.
func (c *Client) List(ctx context.Context) ([]ModelInfo, error) {
	p := c.api.Load()
	if p == nil {
		return nil, errUnknownAPI
	}
	body, err := c.fetchInfo(ctx, "list of models", http.MethodGet, p.listPath, nil)
	if err != nil {
		return nil, err
	}
	list, err := p.list(body)
	if err != nil {
		return nil, unexpectedAnswer(err)
	}
	slices.SortFunc(list, func(a, b ModelInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// listOllama parses Ollama's list of models.
func listOllama(body []byte) (out []ModelInfo, err error) {
	var list api.ListResponse
	err = json.Unmarshal(body, &list)
	for _, m := range list.Models {
		out = append(out, ModelInfo{Name: m.Name, SizeBytes: m.Size})
	}
	return out, err
}

// listIDs parses the list of models of all other APIs.
func listIDs(body []byte) (out []ModelInfo, err error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.Unmarshal(body, &list)
	for _, m := range list.Data {
		out = append(out, ModelInfo{Name: m.ID})
	}
	return out, err
}

// Show returns the model's capabilities. Only Ollama reports them; for other APIs no request is made. Errors are as
// in [Client.List].
func (c *Client) Show(ctx context.Context) (Capabilities, error) {
	if c.API() != Ollama {
		return Capabilities{}, nil
	}
	body, err := c.fetchInfo(ctx, "description of the model", http.MethodPost, "api/show", newObject("model", c.model).body())
	if err != nil {
		return Capabilities{}, err
	}
	var about api.ShowResponse
	if err := json.Unmarshal(body, &about); err != nil {
		return Capabilities{}, unexpectedAnswer(err)
	}
	can := func(c ollama.Capability) bool { return slices.Contains(about.Capabilities, c) }
	return Capabilities{
		Known:         true,
		ContextLength: contextLength(about.ModelInfo),
		NumCtx:        numCtx(about.Parameters),
		Completion:    can(ollama.CapabilityCompletion) || len(about.Capabilities) == 0, // old servers list none
		Tools:         can(ollama.CapabilityTools),
		Thinking:      can(ollama.CapabilityThinking),
	}, nil
}

// contextLength returns the context length in a model's metadata, stored under the name of its architecture.
func contextLength(info map[string]any) int {
	family, _ := info["general.architecture"].(string)
	length, _ := info[family+".context_length"].(float64)
	return int(length)
}

// numCtx returns the context length in a model's settings, which are lines of name and value.
func numCtx(settings string) int {
	for line := range strings.Lines(settings) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "num_ctx" {
			n, err := strconv.Atoi(words[1])
			if err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// fetchInfo makes one information request and returns the answer, a JSON object.
func (c *Client) fetchInfo(ctx context.Context, what, method, path string, text body) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.idle, &TimeoutError{What: what, Limit: c.idle})
	defer cancel()
	answer, err := c.fetch(ctx, method, path, text)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	if isConnectionFault(err) {
		err = &UnavailableError{Attempts: 1, Err: err}
	}
	return answer, err
}

// fetch makes one request.
func (c *Client) fetch(ctx context.Context, method, path string, text body) ([]byte, error) {
	req, err := c.newRequest(ctx, c.api.Load(), method, path, text)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, c.statusError(nil, resp, resp.Body)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBytes+1))
	if err != nil {
		return nil, c.failure(ctx, err)
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
	case v.Kind() != '{' || !v.IsValid(lenient):
		return &wire.Error{Kind: wire.Malformed, Message: "not a JSON object"}
	}
	return nil
}

// unexpectedAnswer returns the error of a valid JSON answer with unexpected content.
func unexpectedAnswer(err error) error {
	return &BrokenOffError{Err: &wire.Error{Kind: wire.Malformed, Message: wire.Excerpt(err.Error())}}
}

// errUnknownAPI is the error of a client with an unknown API.
var errUnknownAPI = errors.New("model request: unknown API")
