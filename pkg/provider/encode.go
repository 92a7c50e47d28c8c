package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// An encoding is the state of encoding a request for an API.
type encoding struct {
	*protocol
	facts    Facts
	name     string // of the model, as PROVIDER/NAME
	model    string // name on the server
	req      chat.Request
	names    toolNames
	mask     func(string) string // masks secrets in messages of other models
	previous *transcript         // encoded messages of an earlier request
	body     object
}

// A ParameterError says that a parameter of a request cannot be sent.
type ParameterError struct {
	Name string
	API  API
	Why  string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("parameter %s: %s (API %s)", e.Name, e.Why, e.API)
}

// encodeBody returns the body of the request. The API's encoder sets required members, parameters may add members,
// and defaults come last.
func (e *encoding) encodeBody() (body, error) {
	if f := e.req.Format; f != nil && !jsontext.Value(f).IsValid() {
		return nil, fmt.Errorf("request format: not JSON: %.40q", f)
	}
	for _, f := range e.req.Tools {
		if !jsontext.Value(f.Parameters).IsValid() {
			return nil, fmt.Errorf("tool %s: parameters are not JSON: %.40q", f.Name, f.Parameters)
		}
	}
	if err := e.encode(e); err != nil {
		return nil, err
	}
	return e.body.body(), nil
}

// setParams sets all parameters, sorted by name.
func (e *encoding) setParams() error {
	for _, name := range slices.Sorted(maps.Keys(e.req.Params)) {
		value := e.req.Params[name]
		if !jsontext.Value(value).IsValid() {
			return e.paramError(name, fmt.Sprintf("not JSON: %.40q", value))
		}
		if err := e.setParam(name, value); err != nil {
			return err
		}
	}
	return nil
}

// setParam sets a parameter at its position in the API.
func (e *encoding) setParam(name string, value json.RawMessage) error {
	at, own := &e.body, name
	path, known := e.params[name]
	switch {
	case name == "max_tokens" && e.facts.TokenLimit != "" && e.api == Chat:
		own = e.facts.TokenLimit
	case known && path == "":
		return e.paramError(name, "not supported")
	case known:
		outer, inner, nested := strings.Cut(path, ".")
		if own = outer; nested {
			at, own = at.child(outer), inner
		}
	case e.paramsObject != "":
		at = at.child(e.paramsObject)
	}
	if at == nil || !at.set(own, value) {
		return e.paramError(name, "already set by the request or another parameter")
	}
	return nil
}

func (e *encoding) paramError(name, why string) error {
	return &ParameterError{Name: name, API: e.api, Why: why}
}

// isForAnswer reports whether the request is for the final answer. Its tools only explain the conversation.
func (e *encoding) isForAnswer() bool { return e.req.Purpose == chat.PurposeAnswer }

// tools encodes the tools of the request.
func (e *encoding) tools(form func(name, description string, parameters []byte) *object) []byte {
	var out [][]byte
	for _, f := range e.req.Tools {
		if !e.facts.KeepsConstraints {
			f = withSchemaHints(f)
		}
		out = append(out, form(e.names.toWire(f.Name), f.Description, f.Parameters).json())
	}
	return array(out)
}

// conversation encodes the messages with add, reusing the encoding of earlier requests.
func (e *encoding) conversation(add func(*transcript, chat.Message)) body {
	t := e.previous
	for _, m := range e.req.Messages[len(t.messages):] {
		add(t, e.sanitizeForeign(m))
	}
	t.messages = e.req.Messages
	return t.json()
}

// messages encodes the conversation after the system prompt: this model's messages in their native form, others by form.
func (e *encoding) messages(form func(chat.Message) *object) body {
	if e.previous.entries == 0 && e.req.System != "" {
		e.previous.add(newObject("role", "system", "content", e.req.System).json())
	}
	return e.conversation(func(t *transcript, m chat.Message) {
		said, ok := e.providerState(m)
		if !ok {
			said = form(m).json()
		}
		t.add(said)
	})
}

// providerState returns the native form of an assistant message if it is of this API and this model.
func (e *encoding) providerState(m chat.Message) ([]byte, bool) {
	if n := m.Native; n != nil && n.API == string(e.api) && n.Model == e.name {
		return e.repairState(n.Body, m.Calls)
	}
	return nil, false
}

// arguments returns the arguments of a call, which must be an object.
func arguments(c chat.Call) []byte {
	if isKind(c.Arguments, '{') {
		return c.Arguments
	}
	return []byte("{}")
}

// functionTool encodes a tool in OpenAI's format.
func functionTool(name, description string, parameters []byte) *object {
	o := newObject("type", "function")
	f := o.child("function")
	f.text("name", name)
	f.text("description", description)
	f.set("parameters", parameters)
	return o
}

// JSON literals.
var (
	yes = []byte("true")
	no  = []byte("false")
)
