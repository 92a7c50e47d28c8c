package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// An encoding is a request on its way to the body of an API.
type encoding struct {
	*protocol
	facts Facts
	name  string // who is asked, as PROVIDER/NAME
	model string // the same on the server
	req   chat.Request
	names names
	mask  func(string) string // of what another model has said
	past  *transcript         // of the messages that an earlier request had
	body  object
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

// write returns the body of the request. The encoder of the API says what must
// be there, parameters may add to it, and defaults fill in the rest.
func (e *encoding) write() (body, error) {
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

// placeParams puts every parameter in its place, in the order of their names.
func (e *encoding) placeParams() error {
	for _, name := range slices.Sorted(maps.Keys(e.req.Params)) {
		value := e.req.Params[name]
		if !jsontext.Value(value).IsValid() {
			return e.misplaced(name, fmt.Sprintf("not JSON: %.40q", value))
		}
		if err := e.place(name, value); err != nil {
			return err
		}
	}
	return nil
}

// place puts a parameter in its place.
func (e *encoding) place(name string, value json.RawMessage) error {
	at, own := &e.body, name
	path, known := e.params[name]
	switch {
	case name == "max_tokens" && e.facts.TokenLimit != "" && e.api == Chat:
		own = e.facts.TokenLimit
	case known && path == "":
		return e.misplaced(name, "there is no place for it")
	case known:
		outer, inner, nested := strings.Cut(path, ".")
		if own = outer; nested {
			at, own = at.in(outer), inner
		}
	case e.home != "":
		at = at.in(e.home)
	}
	if at == nil || !at.set(own, value) {
		return e.misplaced(name, "the request or another parameter says it already")
	}
	return nil
}

// misplaced returns the error of a parameter.
func (e *encoding) misplaced(name, why string) error {
	return &ParameterError{Name: name, API: e.api, Why: why}
}

// answering reports whether the request is for the answer, so that tools are
// there only to explain the conversation.
func (e *encoding) answering() bool { return e.req.Purpose == chat.PurposeAnswer }

// tools returns the tools of the request, each as form makes it.
func (e *encoding) tools(form func(name, description string, parameters []byte) *object) []byte {
	var out [][]byte
	for _, f := range e.req.Tools {
		if !e.facts.KeepsConstraints {
			f = spelledOut(f)
		}
		out = append(out, form(e.names.wire(f.Name), f.Description, f.Parameters).json())
	}
	return array(out)
}

// conversation returns the messages as add appends them to a transcript.
func (e *encoding) conversation(add func(*transcript, chat.Message)) body {
	t := e.past
	for _, m := range e.req.Messages[len(t.messages):] {
		add(t, e.foreign(m))
	}
	t.messages = e.req.Messages
	return t.json()
}

// messages returns the conversation with the system prompt in front: what this
// model said as it said it, and everything else as form makes it.
func (e *encoding) messages(form func(chat.Message) *object) body {
	if e.past.entries == 0 && e.req.System != "" {
		e.past.add(newObject("role", "system", "content", e.req.System).json())
	}
	return e.conversation(func(t *transcript, m chat.Message) {
		said, ok := e.echoed(m)
		if !ok {
			said = form(m).json()
		}
		t.add(said)
	})
}

// echoed returns what an assistant said in its own form, if that is this API
// and this model.
func (e *encoding) echoed(m chat.Message) ([]byte, bool) {
	if n := m.Native; n != nil && n.API == string(e.api) && n.Model == e.name {
		return e.echo(n.Body, m.Calls)
	}
	return nil, false
}

// arguments returns the arguments of a call as every server takes them: an
// object.
func arguments(c chat.Call) []byte {
	if isKind(c.Arguments, '{') {
		return c.Arguments
	}
	return []byte("{}")
}

// functionTool is the form of a tool that OpenAI has introduced.
func functionTool(name, description string, parameters []byte) *object {
	o := newObject("type", "function")
	f := o.in("function")
	f.text("name", name)
	f.text("description", description)
	f.set("parameters", parameters)
	return o
}

// Values that requests have in common.
var (
	yes = []byte("true")
	no  = []byte("false")
)
