package model

import (
	"bytes"
	"encoding/json"

	"github.com/ollama/ollama/api"

	"oneshot/pkg/chat"
)

// encodeOllama writes a request for /api/chat. A prompt over the context is to
// be refused and not cut at its beginning, and a response over the context to
// end there. A request for the answer has no tools: with both tools and a
// format the server would hold the model to the format in any case, and the
// template would still ask it for calls.
//
// Its own types write what they hold without loss. Tools, the format and options
// are JSON as it was given: [api.Tool] has no place for most of JSON Schema, the
// encoder drops the blanks of a format, and a server may know more options.
func encodeOllama(e *encoding) error {
	stream, cut := true, false
	e.body.merge(api.ChatRequest{Model: e.model}, "messages", "options")
	e.body.setPieces("messages", e.messages(e.ollamaMessage))
	e.body.merge(api.ChatRequest{Stream: &stream}, "options")
	if len(e.req.Tools) > 0 && !e.answering() {
		e.body.set("tools", e.tools(functionTool))
	}
	switch {
	case e.req.Format != nil:
		e.body.set("format", e.req.Format)
	case e.req.AnyJSON:
		e.body.text("format", "json")
	}
	e.body.in("options")
	if err := e.thinkParam(); err != nil {
		return err
	}
	if err := e.placeParams(); err != nil {
		return err
	}
	e.body.merge(api.ChatRequest{Truncate: &cut, Shift: &cut})
	return nil
}

// thinkParam checks how much the model is to think, and translates the words
// that others have for it, as Ollama itself does in its compatible APIs.
func (e *encoding) thinkParam() error {
	if effort, ok := unquote(e.req.Params["effort"]); ok {
		value, known := map[string]string{"none": "false", "minimal": `"low"`, "xhigh": `"max"`}[effort]
		if known {
			e.req.Params["effort"] = json.RawMessage(value)
		}
	}
	for _, name := range []string{"think", "effort"} {
		if value := e.req.Params[name]; value != nil {
			if err := json.Unmarshal(value, new(api.ThinkValue)); err != nil {
				return e.misplaced(name, err.Error())
			}
		}
	}
	return nil
}

// ollamaMessage returns a message in the form of Ollama.
func (e *encoding) ollamaMessage(m chat.Message) *object {
	out := api.Message{Role: string(m.Role), Content: m.Content, ToolCalls: e.ollamaCalls(m.Calls)}
	if m.Role == chat.Tool {
		out.ToolName, out.ToolCallID = e.names.wire(m.Name), m.CallID
	}
	o := new(object)
	o.merge(out)
	return o
}

// ollamaCalls returns calls with their arguments as objects, whose values keep
// their digits.
func (e *encoding) ollamaCalls(calls []chat.Call) []api.ToolCall {
	var out []api.ToolCall
	for i, c := range calls {
		f := api.ToolCallFunction{Index: i, Name: e.names.wire(c.Name), Arguments: api.NewToolCallFunctionArguments()}
		splice(arguments(c), func(name string, value []byte) []byte {
			f.Arguments.Set(name, json.RawMessage(bytes.Clone(value)))
			return value
		})
		out = append(out, api.ToolCall{ID: c.ID, Function: f})
	}
	return out
}

// echoOllama mends the calls of a message.
func echoOllama(body []byte, calls []chat.Call) ([]byte, bool) {
	return echoCalls(body, calls, func(raw []byte, c chat.Call) []byte {
		if isKind(raw, '{') {
			return nil
		}
		return arguments(c)
	})
}
