package provider

import (
	"bytes"
	"encoding/json"

	"github.com/ollama/ollama/api"

	"oneshot/pkg/chat"
)

// encodeOllama encodes a request for /api/chat. A prompt that exceeds the context must be rejected and not truncated,
// and a response must end there. A request for the answer has no tools: with tools and a format the server would
// enforce the format, but the template would still ask for calls.
//
// Ollama's own types are used where they are lossless. Tools, the format and options are encoded as given: [api.Tool]
// lacks most of JSON Schema, the encoder drops whitespace of a format, and a server may support more options.
func encodeOllama(e *encoding) error {
	stream, cut := true, false
	e.body.merge(api.ChatRequest{Model: e.model}, "messages", "options")
	e.body.setPieces("messages", e.messages(e.ollamaMessage))
	e.body.merge(api.ChatRequest{Stream: &stream}, "options")
	if len(e.req.Tools) > 0 && !e.isForAnswer() {
		e.body.set("tools", e.tools(functionTool))
	}
	switch {
	case e.req.Format != nil:
		e.body.set("format", e.req.Format)
	case e.req.AnyJSON:
		e.body.text("format", "json")
	}
	e.body.child("options")
	if err := e.translateThink(); err != nil {
		return err
	}
	if err := e.setParams(); err != nil {
		return err
	}
	e.body.merge(api.ChatRequest{Truncate: &cut, Shift: &cut})
	return nil
}

// translateThink checks the thinking effort and translates the values of other APIs, as Ollama does in its compatible
// APIs.
func (e *encoding) translateThink() error {
	if effort, ok := unquote(e.req.Params["effort"]); ok {
		value, known := map[string]string{"none": "false", "minimal": `"low"`, "xhigh": `"max"`}[effort]
		if known {
			e.req.Params["effort"] = json.RawMessage(value)
		}
	}
	for _, name := range []string{"think", "effort"} {
		if value := e.req.Params[name]; value != nil {
			if err := json.Unmarshal(value, new(api.ThinkValue)); err != nil {
				return e.paramError(name, err.Error())
			}
		}
	}
	return nil
}

// ollamaMessage encodes a message for Ollama.
func (e *encoding) ollamaMessage(m chat.Message) *object {
	out := api.Message{Role: string(m.Role), Content: m.Content, ToolCalls: e.ollamaCalls(m.Calls)}
	if m.Role == chat.Tool {
		out.ToolName, out.ToolCallID = e.names.toWire(m.Name), m.CallID
	}
	o := new(object)
	o.merge(out)
	return o
}

// ollamaCalls encodes calls with arguments as objects, preserving the digits of numbers.
func (e *encoding) ollamaCalls(calls []chat.Call) []api.ToolCall {
	var out []api.ToolCall
	for i, c := range calls {
		f := api.ToolCallFunction{Index: i, Name: e.names.toWire(c.Name), Arguments: api.NewToolCallFunctionArguments()}
		mapValues(arguments(c), func(name string, value []byte) []byte {
			f.Arguments.Set(name, json.RawMessage(bytes.Clone(value)))
			return value
		})
		out = append(out, api.ToolCall{ID: c.ID, Function: f})
	}
	return out
}

// ollamaState repairs the calls of a message.
func ollamaState(body []byte, calls []chat.Call) ([]byte, bool) {
	return repairEchoedCalls(body, calls, func(raw []byte, c chat.Call) []byte {
		if isKind(raw, '{') {
			return nil
		}
		return arguments(c)
	})
}
