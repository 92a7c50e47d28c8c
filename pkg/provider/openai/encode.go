package openai

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// An encoder encodes a request.
type encoder struct{ *wire.Encoding }

// encode encodes a request for /chat/completions.
func encode(state *wire.Encoding) error {
	e := encoder{state}
	e.Body.Text("model", e.Model)
	e.Body.SetPieces("messages", e.Messages(e.message))
	e.Body.Set("stream", []byte("true"))
	e.OfferTools(wire.FunctionTool)
	switch {
	case e.Request.Format != nil:
		form := e.Body.Child("response_format")
		form.Text("type", "json_schema")
		form.Set("json_schema", e.NamedFormat(new(wire.Object)).JSON())
	case e.Request.AnyJSON:
		e.Body.Child("response_format").Text("type", "json_object")
	}
	return nil
}

// message encodes a message for chat completions.
func (e encoder) message(m chat.Message) *wire.Object {
	o := wire.NewObject("role", string(m.Role))
	if m.Role == chat.Tool {
		o.Text("tool_call_id", m.CallID)
	}
	switch {
	case m.Content == "" && len(m.Calls) > 0:
		o.Set("content", []byte("null"))
	case len(m.Attachments) > 0:
		o.Set("content", encodeParts(m))
	default:
		o.Text("content", m.Content)
	}
	if len(m.Calls) > 0 {
		o.Set("tool_calls", e.calls(m.Calls))
	}
	return o
}

// encodeParts encodes the text and the attachments of a message.
func encodeParts(m chat.Message) []byte {
	parts := [][]byte{wire.NewObject("type", "text", "text", m.Content).JSON()}
	for _, a := range m.Attachments {
		o := wire.NewObject("type", "image_url")
		if a.IsImage() {
			o.Child("image_url").Text("url", wire.DataURL(a))
		} else {
			o = wire.NewObject("type", "file")
			file := o.Child("file")
			file.Text("filename", a.Name)
			file.Text("file_data", wire.DataURL(a))
		}
		parts = append(parts, o.JSON())
	}
	return wire.Array(parts)
}

// calls encodes calls with arguments as strings.
func (e encoder) calls(calls []chat.Call) []byte {
	var out [][]byte
	for _, c := range calls {
		o := wire.NewObject("id", c.ID, "type", "function")
		f := o.Child("function")
		f.Text("name", e.ToolName(c.Name))
		f.Text("arguments", string(wire.Arguments(c)))
		wire.MapValues(e.ForeignCall, func(name string, value []byte) []byte {
			o.Set(name, append([]byte(nil), value...))
			return value
		})
		out = append(out, o.JSON())
	}
	return wire.Array(out)
}

// repairState repairs the calls of a message. Servers send arguments as strings, or some as objects, which they get back
// as such.
func repairState(body []byte, calls []chat.Call) ([]byte, bool) {
	return wire.RepairCalls(body, calls, func(raw []byte, c chat.Call) []byte {
		if wire.IsKind(raw, '{') {
			return nil
		}
		return wire.StringArguments(raw, c)
	})
}
