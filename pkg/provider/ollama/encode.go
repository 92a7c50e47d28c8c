package ollama

import (
	"bytes"
	"encoding/json"

	"github.com/ollama/ollama/api"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// An encoder encodes a request.
type encoder struct{ *wire.Encoding }

// encode encodes a request for /api/chat. A request for the answer has no tools: with tools and a format the server would
// enforce the format, but the template would still ask for calls.
//
// Ollama's own types are used where they are lossless. Tools, the format and options are encoded as given: [api.Tool]
// lacks most of JSON Schema, the encoder drops whitespace of a format, and a server may support more options.
func encode(state *wire.Encoding) error {
	e := encoder{state}
	stream := true
	e.Body.Merge(api.ChatRequest{Model: e.Model}, "messages", "options")
	e.Body.SetPieces("messages", e.Messages(e.message))
	e.Body.Merge(api.ChatRequest{Stream: &stream}, "options")
	if len(e.Request.Tools) > 0 && !e.IsForAnswer() {
		e.Body.Set("tools", e.Tools(wire.FunctionTool))
	}
	switch {
	case e.Request.Format != nil:
		e.Body.Set("format", e.Request.Format)
	case e.Request.AnyJSON:
		e.Body.Text("format", "json")
	}
	e.Body.Child("options")
	return e.translateThink()
}

// translateThink checks the thinking effort and translates the values of other APIs, as Ollama does in its compatible
// APIs.
func (e encoder) translateThink() error {
	if effort, ok := wire.StringValue(e.Request.Params["effort"]); ok {
		value, known := map[string]string{"none": "false", "minimal": `"low"`, "xhigh": `"max"`}[effort]
		if known {
			e.Request.Params["effort"] = json.RawMessage(value)
		}
	}
	for _, name := range []string{"think", "effort"} {
		if value := e.Request.Params[name]; value != nil {
			if err := json.Unmarshal(value, new(api.ThinkValue)); err != nil {
				return e.ParamError(name, err.Error())
			}
		}
	}
	return nil
}

// message encodes a message for Ollama.
func (e encoder) message(m chat.Message) *wire.Object {
	out := api.Message{Role: string(m.Role), Content: m.Content, ToolCalls: e.calls(m.Calls)}
	if m.Role == chat.Tool {
		out.ToolName, out.ToolCallID = e.ToolName(m.Name), m.CallID
	}
	for _, a := range m.Attachments {
		out.Images = append(out.Images, a.Data)
	}
	o := new(wire.Object)
	o.Merge(out)
	return o
}

// calls encodes calls with arguments as objects, preserving the digits of numbers.
func (e encoder) calls(calls []chat.Call) []api.ToolCall {
	var out []api.ToolCall
	for i, c := range calls {
		f := api.ToolCallFunction{Index: i, Name: e.ToolName(c.Name), Arguments: api.NewToolCallFunctionArguments()}
		wire.MapValues(wire.Arguments(c), func(name string, value []byte) []byte {
			f.Arguments.Set(name, json.RawMessage(bytes.Clone(value)))
			return value
		})
		out = append(out, api.ToolCall{ID: c.ID, Function: f})
	}
	return out
}

// repairState repairs the calls of a message.
func repairState(body []byte, calls []chat.Call) ([]byte, bool) {
	return wire.RepairCalls(body, calls, func(raw []byte, c chat.Call) []byte {
		if wire.IsKind(raw, '{') {
			return nil
		}
		return wire.Arguments(c)
	})
}
