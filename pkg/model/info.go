package model

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

	"oneshot/pkg/wire"
)

// A ModelInfo is one model that a server has.
type ModelInfo struct {
	Name      string
	SizeBytes int64 // 0 if the server does not say
}

// Capabilities are what a model can do, as its server knows it.
type Capabilities struct {
	Known         bool // the server says; otherwise the rest is zero
	ContextLength int  // tokens that it was made for; 0 if the server does not say
	NumCtx        int  // tokens that its own settings (the Modelfile) ask for; 0 if they do not
	Completion    bool // answers chats
	Tools         bool // calls tools natively
	Thinking      bool // its reasoning comes apart from its text
}

// List returns the models that the server has, sorted by name. Errors are those
// of [Client.Reply]; nothing is repeated, and the whole has to be there within
// the idle limit.
func (c *Client) List(ctx context.Context) ([]ModelInfo, error) {
	p := c.api.Load()
	if p == nil {
		return nil, errNoAPI
	}
	body, err := c.inform(ctx, "list of models", http.MethodGet, p.models, nil)
	if err != nil {
		return nil, err
	}
	list, err := p.list(body)
	if err != nil {
		return nil, unreadable(err)
	}
	slices.SortFunc(list, func(a, b ModelInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// listOllama reads Ollama's list of models.
func listOllama(body []byte) (out []ModelInfo, err error) {
	var list api.ListResponse
	err = json.Unmarshal(body, &list)
	for _, m := range list.Models {
		out = append(out, ModelInfo{Name: m.Name, SizeBytes: m.Size})
	}
	return out, err
}

// listIDs reads the list of models of everyone else.
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

// Show returns what the model can do. Only Ollama says; elsewhere nothing is
// asked. Errors are as in [Client.List].
func (c *Client) Show(ctx context.Context) (Capabilities, error) {
	if c.API() != Ollama {
		return Capabilities{}, nil
	}
	body, err := c.inform(ctx, "description of the model", http.MethodPost, "api/show", newObject("model", c.model).body())
	if err != nil {
		return Capabilities{}, err
	}
	var about api.ShowResponse
	if err := json.Unmarshal(body, &about); err != nil {
		return Capabilities{}, unreadable(err)
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

// contextLength finds the context length among the metadata of a model, where
// it stands under the name of its architecture.
func contextLength(info map[string]any) int {
	family, _ := info["general.architecture"].(string)
	length, _ := info[family+".context_length"].(float64)
	return int(length)
}

// numCtx finds the context among the settings of a model: a name and a value to
// a line.
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

// inform makes one request for information and returns its answer, which is a
// JSON object.
func (c *Client) inform(ctx context.Context, what, method, path string, text body) ([]byte, error) {
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
		return nil, c.refusal(nil, resp, resp.Body)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBytes+1))
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	if err := wholeObject(answer, c.maxBytes); err != nil {
		return nil, &CutError{Err: err}
	}
	return answer, nil
}

// wholeObject checks that a body is one JSON object.
func wholeObject(body []byte, maxBytes int64) error {
	switch v := jsontext.Value(bytes.TrimSpace(body)); {
	case len(v) == 0:
		return &wire.Error{Kind: wire.Empty, Message: "response is empty"}
	case int64(len(body)) > maxBytes:
		return &wire.Error{Kind: wire.Large, Message: "response is over the limit", Offset: maxBytes}
	case v.Kind() != '{' || !v.IsValid(lenient):
		return &wire.Error{Kind: wire.Garbled, Message: "not a JSON object"}
	}
	return nil
}

// unreadable returns the error of an answer that is JSON, and not what was
// asked for.
func unreadable(err error) error {
	return &CutError{Err: &wire.Error{Kind: wire.Garbled, Message: wire.Excerpt(err.Error())}}
}

// errNoAPI is the error of a client without a protocol.
var errNoAPI = errors.New("model request: the API does not exist")
