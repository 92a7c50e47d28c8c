package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// An Encoding is the state of encoding a request.
type Encoding struct {
	*Protocol
	Variant
	Model      string // name of the model on the server
	FullName   string // its name in records, as PROVIDER/NAME
	Request    chat.Request
	ToolName   func(name string) string          // converts a tool's name for the server
	Sanitize   func(m chat.Message) chat.Message // makes a message of another model safe for this one
	Transcript *Transcript                       // encoded messages of an earlier request
	Body       Object                            // the request so far
}

// A Variant has the properties of a server that implements a protocol in its own way.
type Variant struct {
	// TokenLimit is the parameter of the API chat that limits the tokens of a
	// response; "" is max_tokens.
	TokenLimit string
	// ForeignCall is an object with members to add to calls of other models in the
	// API chat; nil for none.
	ForeignCall json.RawMessage
}

// A ParameterError reports that a parameter of a request cannot be sent.
type ParameterError struct {
	Name string
	API  string
	Why  string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("parameter %s: %s (API %s)", e.Name, e.Why, e.API)
}

// ParamError returns an error about a parameter.
func (e *Encoding) ParamError(name, why string) error {
	return &ParameterError{Name: name, API: e.API, Why: why}
}

// Encode returns the body of the request. The protocol's encoder sets required members,
// parameters may add members, and defaults come last.
func (e *Encoding) Encode() (Pieces, error) {
	if f := e.Request.Format; f != nil && !jsontext.Value(f).IsValid() {
		return nil, fmt.Errorf("request format: not JSON: %.40q", f)
	}
	for _, f := range e.Request.Tools {
		if !jsontext.Value(f.Parameters).IsValid() {
			return nil, fmt.Errorf("tool %s: parameters are not JSON: %.40q", f.Name, f.Parameters)
		}
	}
	if err := e.EncodeRequest(e); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Request.Params)) {
		value := e.Request.Params[name]
		if !jsontext.Value(value).IsValid() {
			return nil, e.ParamError(name, fmt.Sprintf("not JSON: %.40q", value))
		}
		if err := e.setParam(name, value); err != nil {
			return nil, err
		}
	}
	for _, d := range e.Defaults {
		e.Body.Set(d.Name, []byte(d.JSON))
	}
	return e.Body.Pieces(), nil
}

// setParam sets a parameter at its position in the API.
func (e *Encoding) setParam(name string, value json.RawMessage) error {
	at, own := &e.Body, name
	path, known := e.Params[name]
	if name == "max_tokens" && e.TokenLimit != "" && path == name {
		path = e.TokenLimit
	}
	switch {
	case known && path == "":
		return e.ParamError(name, "not supported")
	case known:
		outer, inner, nested := strings.Cut(path, ".")
		if own = outer; nested {
			at, own = at.Child(outer), inner
		}
	case e.ParamsObject != "":
		at = at.Child(e.ParamsObject)
	}
	if at == nil || !at.Set(own, value) {
		return e.ParamError(name, "already set by the request or another parameter")
	}
	return nil
}

// IsForAnswer reports whether the request is for the final answer. Its tools only explain the
// conversation.
func (e *Encoding) IsForAnswer() bool { return e.Request.Purpose == chat.PurposeAnswer }

// A ToolEncoder encodes a tool. The parameters are a JSON Schema.
type ToolEncoder func(name, description string, parameters []byte) *Object

// Tools encodes the tools of the request.
func (e *Encoding) Tools(encode ToolEncoder) []byte {
	var out [][]byte
	for _, f := range e.Request.Tools {
		out = append(out, encode(e.ToolName(f.Name), f.Description, f.Parameters).JSON())
	}
	return Array(out)
}

// OfferTools adds the tools, and forbids calls in a request for the answer.
func (e *Encoding) OfferTools(encode ToolEncoder) {
	if len(e.Request.Tools) == 0 {
		return
	}
	e.Body.Set("tools", e.Tools(encode))
	if e.IsForAnswer() {
		e.Body.Text("tool_choice", "none")
	}
}

// NamedFormat adds the request's format to an object in OpenAI's form. The name is required and
// has no effect.
func (e *Encoding) NamedFormat(o *Object) *Object {
	o.Text("name", "answer")
	o.Set("strict", []byte("true"))
	o.Set("schema", e.Request.Format)
	return o
}

// FunctionTool encodes a tool in the form of OpenAI's chat completions.
func FunctionTool(name, description string, parameters []byte) *Object {
	o := NewObject("type", "function")
	f := o.Child("function")
	f.Text("name", name)
	f.Text("description", description)
	f.Set("parameters", parameters)
	return o
}

// Conversation encodes the messages with add, reusing the encoding of earlier requests.
func (e *Encoding) Conversation(add func(*Transcript, chat.Message)) Pieces {
	t := e.Transcript
	for _, m := range e.Request.Messages[len(t.messages):] {
		add(t, e.Sanitize(m))
	}
	t.messages = e.Request.Messages
	return t.pieces()
}

// Messages encodes the system prompt and the conversation, with one object for each message: this
// model's messages in their native form, others by encode.
func (e *Encoding) Messages(encode func(chat.Message) *Object) Pieces {
	if e.Transcript.entries == 0 && e.Request.System != "" {
		e.Transcript.Add(NewObject("role", "system", "content", e.Request.System).JSON())
	}
	return e.Conversation(func(t *Transcript, m chat.Message) {
		native, ok := e.ProviderState(m)
		if !ok {
			native = encode(m).JSON()
		}
		t.Add(native)
	})
}

// ProviderState returns the native form of an assistant message if it is of this API and this
// model.
func (e *Encoding) ProviderState(m chat.Message) ([]byte, bool) {
	if n := m.Native; n != nil && n.API == e.API && n.Model == e.FullName {
		return e.RepairState(n.Body, m.Calls)
	}
	return nil, false
}

// Base64 returns the data of an attachment in base64.
func Base64(a chat.Attachment) string { return base64.StdEncoding.EncodeToString(a.Data) }

// DataURL returns an attachment as a data URL.
func DataURL(a chat.Attachment) string { return "data:" + a.Type + ";base64," + Base64(a) }

// Arguments returns the arguments of a call, which must be an object.
func Arguments(c chat.Call) []byte {
	if IsKind(c.Arguments, '{') {
		return c.Arguments
	}
	return []byte("{}")
}
