package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// An encoder encodes a request.
type encoder struct{ *wire.Encoding }

// encode encodes a request for /v1/messages. The system prompt is constant during a run, so it and the tools
// before it are marked for caching.
func encode(state *wire.Encoding) error {
	e := encoder{state}
	e.Body.Text("model", e.Model)
	if e.Request.System != "" {
		block := wire.NewObject("type", "text", "text", e.Request.System)
		block.Child("cache_control").Text("type", "ephemeral")
		e.Body.Set("system", wire.Array([][]byte{block.JSON()}))
	}
	e.Body.SetPieces("messages", e.Conversation(e.appendBlocks))
	e.Body.Set("stream", []byte("true"))
	if len(e.Request.Tools) > 0 {
		e.Body.Set("tools", e.Tools(encodeTool))
		if e.IsForAnswer() {
			e.Body.Child("tool_choice").Text("type", "none")
		}
	}
	if e.Request.Format != nil {
		form := e.Body.Child("output_config").Child("format")
		form.Text("type", "json_schema")
		form.Set("schema", e.Request.Format)
	}
	e.translateParams()
	return nil
}

// translateParams translates parameters: stop is always an array, the lowest effort with thinking is "low", and
// thinking is disabled by another parameter.
func (e encoder) translateParams() {
	if stop, ok := wire.StringValue(e.Request.Params["stop"]); ok {
		e.Request.Params["stop"] = wire.Array([][]byte{wire.Quote(stop)})
	}
	switch effort, _ := wire.StringValue(e.Request.Params["effort"]); effort {
	case "minimal":
		e.Request.Params["effort"] = wire.Quote("low")
	case "none":
		delete(e.Request.Params, "effort")
		e.Body.Child("thinking").Text("type", "disabled")
	}
}

// encodeTool encodes a tool for Anthropic's API.
func encodeTool(name, description string, parameters []byte) *wire.Object {
	o := wire.NewObject("name", name, "description", description)
	o.Set("input_schema", parameters)
	return o
}

// appendBlocks appends a message as blocks. User and assistant must alternate, so consecutive messages of a role are
// merged; tool results belong to the user.
func (e encoder) appendBlocks(t *wire.Transcript, m chat.Message) {
	speaker := "user"
	if m.Role == chat.Assistant {
		speaker = "assistant"
	}
	t.AddBlocks(speaker, e.encodeBlocks(m)...)
}

// encodeBlocks encodes a message as blocks. A text block must not be empty.
func (e encoder) encodeBlocks(m chat.Message) (out [][]byte) {
	if said, ok := e.ProviderState(m); ok {
		out, _ = wire.Elements(said) // providerState returns only arrays
		return slices.DeleteFunc(out, isEmptyText)
	}
	if m.Role == chat.Tool {
		return [][]byte{wire.NewObject("type", "tool_result", "tool_use_id", blockID(m.CallID), "content", m.Content).JSON()}
	}
	for _, a := range m.Attachments {
		out = append(out, encodeAttachment(a))
	}
	if strings.TrimSpace(m.Content) != "" {
		out = append(out, wire.NewObject("type", "text", "text", m.Content).JSON())
	}
	for _, c := range m.Calls {
		o := wire.NewObject("type", "tool_use", "id", blockID(c.ID), "name", e.ToolName(c.Name))
		o.Set("input", wire.Arguments(c))
		out = append(out, o.JSON())
	}
	return out
}

// encodeAttachment encodes an image or a PDF document as a block.
func encodeAttachment(a chat.Attachment) []byte {
	o := wire.NewObject("type", "document", "title", a.Name)
	if a.IsImage() {
		o = wire.NewObject("type", "image")
	}
	source := o.Child("source")
	source.Text("type", "base64")
	source.Text("media_type", a.Type)
	source.Text("data", wire.Base64(a))
	return o.JSON()
}

// isEmptyText reports whether a block is an empty text, which models send and the API rejects.
func isEmptyText(block []byte) bool {
	var b struct{ Type, Text string }
	return json.Unmarshal(block, &b) == nil && b.Type == "text" && strings.TrimSpace(b.Text) == ""
}

// blockID converts a call ID, possibly of another server, to Anthropic's characters: letters, digits, "_" and "-".
func blockID(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, id)
}

// repairState repairs the calls among blocks.
func repairState(body []byte, calls []chat.Call) ([]byte, bool) {
	return wire.RepairItems(body, calls, "tool_use", func(block []byte, c chat.Call) []byte {
		block = wire.ChangeMember(block, "id", func(raw []byte) []byte { return wire.QuoteIfChanged(raw, blockID(c.ID)) })
		return wire.ChangeMember(block, "input", func(raw []byte) []byte {
			if jsontext.Value(raw).Kind() == '{' {
				return nil
			}
			return wire.Arguments(c)
		})
	})
}
