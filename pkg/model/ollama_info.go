package model

import (
	"bytes"
	"cmp"
	"context"
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
	SizeBytes int64
}

// Capabilities are what a model can do, as its server knows it.
type Capabilities struct {
	ContextLength int  // tokens that it was made for; 0 if the server does not say
	NumCtx        int  // tokens that its own settings (the Modelfile) ask for; 0 if they do not
	Completion    bool // answers chats
	Tools         bool // calls tools natively
	Thinking      bool // its reasoning comes apart from its text
}

// List returns the models that the server has, sorted by name. Errors are those
// of [Ollama.Reply]; nothing is repeated, and the whole has to be there within
// the idle limit.
func (o *Ollama) List(ctx context.Context) ([]ModelInfo, error) {
	var list *api.ListResponse
	err := o.inform(ctx, "list of models", func(ctx context.Context, c *api.Client) (err error) {
		list, err = c.List(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]ModelInfo, 0, len(list.Models))
	for _, m := range list.Models {
		out = append(out, ModelInfo{Name: m.Name, SizeBytes: m.Size})
	}
	slices.SortFunc(out, func(a, b ModelInfo) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Show returns what the model can do. Errors are as in [Ollama.List].
func (o *Ollama) Show(ctx context.Context) (Capabilities, error) {
	var about *api.ShowResponse
	err := o.inform(ctx, "description of the model", func(ctx context.Context, c *api.Client) (err error) {
		about, err = c.Show(ctx, &api.ShowRequest{Model: o.model})
		return err
	})
	if err != nil {
		return Capabilities{}, err
	}
	can := func(c ollama.Capability) bool { return slices.Contains(about.Capabilities, c) }
	return Capabilities{
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

// inform makes one request through Ollama's own client.
func (o *Ollama) inform(ctx context.Context, what string, ask func(context.Context, *api.Client) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, o.idle, &TimeoutError{What: what, Limit: o.idle})
	defer cancel()
	guarded := *o.client
	guarded.Transport = guard{next: o.client.Transport, maxBytes: o.maxBytes, model: o.model}
	err := ask(ctx, api.NewClient(o.base, &guarded))
	var own reported
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.error
	}
	err = o.failure(ctx, err)
	if isConnectionFault(err) {
		err = &UnavailableError{Attempts: 1, Err: err}
	}
	return err
}

// A guard stands between Ollama's client and the network, because that client
// reads bodies of any size, takes an empty one for an answer, keeps one line of
// an error's text, and signs requests with a key from the home directory when
// an environment variable says so. It lets through only whole JSON, and reports
// everything else itself.
type guard struct {
	next     http.RoundTripper
	maxBytes int64
	model    string
}

// A reported error comes out of a guard.
type reported struct{ error }

// RoundTrip makes one request. Contrary to the custom it returns an error for an
// answer other than 200.
func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Del("Authorization")
	if user := req.URL.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, reported{refusal(resp, resp.Body, g.model)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, g.maxBytes+1))
	if err != nil {
		return nil, err
	}
	if err := wholeObject(body, g.maxBytes); err != nil {
		return nil, reported{&CutError{Err: err}}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// wholeObject checks that a body is one JSON object.
func wholeObject(body []byte, maxBytes int64) error {
	switch v := jsontext.Value(bytes.TrimSpace(body)); {
	case len(v) == 0:
		return &wire.Error{Kind: wire.Empty, Message: "response is empty"}
	case int64(len(body)) > maxBytes:
		return &wire.Error{Kind: wire.Large, Message: "response is over the limit", Offset: maxBytes}
	case v.Kind() != jsontext.KindBeginObject || !v.IsValid():
		return &wire.Error{Kind: wire.Garbled, Message: "not a JSON object"}
	}
	return nil
}
