package responses

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// An encoder encodes a request.
type encoder struct{ *wire.Encoding }

// encode encodes a request for /responses. The server must not store anything, so reasoning is returned
// encrypted and sent back with the conversation.
func encode(state *wire.Encoding) error {
	e := encoder{state}
	e.Body.Text("model", e.Model)
	if e.Request.System != "" {
		e.Body.Text("instructions", e.Request.System)
	}
	e.Body.SetPieces("input", e.Conversation(e.appendItems))
	e.Body.Set("stream", []byte("true"))
	e.OfferTools(encodeTool)
	switch {
	case e.Request.Format != nil:
		e.Body.Child("text").Set("format", e.NamedFormat(wire.NewObject("type", "json_schema")).JSON())
	case e.Request.AnyJSON:
		e.Body.Child("text").Child("format").Text("type", "json_object")
	}
	return nil
}

// encodeTool encodes a tool for /responses. Without strict:false the server would rewrite the schema for its strict mode.
func encodeTool(name, description string, parameters []byte) *wire.Object {
	o := wire.NewObject("type", "function", "name", name, "description", description)
	o.Set("parameters", parameters)
	o.Set("strict", []byte("false"))
	return o
}

// appendItems appends a message as items.
func (e encoder) appendItems(t *wire.Transcript, m chat.Message) {
	if said, ok := e.ProviderState(m); ok {
		items, _ := wire.Elements(said) // providerState returns only arrays
		t.Add(items...)
		return
	}
	switch {
	case m.Role == chat.Tool:
		t.Add(wire.NewObject("type", "function_call_output", "call_id", m.CallID, "output", m.Content).JSON())
		return
	case len(m.Attachments) > 0:
		o := wire.NewObject("role", string(m.Role))
		o.Set("content", encodeParts(m))
		t.Add(o.JSON())
	case m.Content != "" || len(m.Calls) == 0:
		t.Add(wire.NewObject("role", string(m.Role), "content", m.Content).JSON())
	}
	for _, c := range m.Calls {
		t.Add(wire.NewObject("type", "function_call", "call_id", c.ID,
			"name", e.ToolName(c.Name), "arguments", string(wire.Arguments(c))).JSON())
	}
}

// encodeParts encodes the text and the attachments of a message.
func encodeParts(m chat.Message) []byte {
	parts := [][]byte{wire.NewObject("type", "input_text", "text", m.Content).JSON()}
	for _, a := range m.Attachments {
		o := wire.NewObject("type", "input_file", "filename", a.Name, "file_data", wire.DataURL(a))
		if a.IsImage() {
			o = wire.NewObject("type", "input_image", "image_url", wire.DataURL(a))
		}
		parts = append(parts, o.JSON())
	}
	return wire.Array(parts)
}

// repairState repairs the calls among items.
func repairState(body []byte, calls []chat.Call) ([]byte, bool) {
	return wire.RepairItems(body, calls, "function_call", func(item []byte, c chat.Call) []byte {
		item = wire.ChangeMember(item, "call_id", func(raw []byte) []byte { return wire.QuoteIfChanged(raw, c.ID) })
		return wire.ChangeMember(item, "arguments", func(raw []byte) []byte { return wire.StringArguments(raw, c) })
	})
}
