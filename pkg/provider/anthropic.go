package provider

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// defaultMaxTokens is the default limit of a response, which Anthropic's API requires: enough for reasoning and an
// answer, and within the limits of all available models.
const defaultMaxTokens = "16384"

// encodeMessages encodes a request for /v1/messages. The system prompt is constant during a run, so it and the tools
// before it are marked for caching. The API has no JSON mode without a schema.
func encodeMessages(e *encoding) error {
	if e.req.AnyJSON {
		return &FormatError{Err: errNoAnyJSON}
	}
	e.body.text("model", e.model)
	if e.req.System != "" {
		block := newObject("type", "text", "text", e.req.System)
		block.child("cache_control").text("type", "ephemeral")
		e.body.set("system", array([][]byte{block.json()}))
	}
	e.body.setPieces("messages", e.conversation(e.blockMessage))
	e.body.set("stream", yes)
	if len(e.req.Tools) > 0 {
		e.body.set("tools", e.tools(inputTool))
		if e.isForAnswer() {
			e.body.child("tool_choice").text("type", "none")
		}
	}
	if e.req.Format != nil {
		form := e.body.child("output_config").child("format")
		form.text("type", "json_schema")
		form.set("schema", e.req.Format)
	}
	e.anthropicParams()
	if err := e.setParams(); err != nil {
		return err
	}
	e.body.set("max_tokens", []byte(defaultMaxTokens))
	return nil
}

// anthropicParams translates parameters: stop is always an array, the lowest effort with thinking is "low", and
// thinking is disabled by another parameter.
func (e *encoding) anthropicParams() {
	if stop, ok := unquote(e.req.Params["stop"]); ok {
		e.req.Params["stop"] = array([][]byte{quote(stop)})
	}
	switch effort, _ := unquote(e.req.Params["effort"]); effort {
	case "minimal":
		e.req.Params["effort"] = quote("low")
	case "none":
		delete(e.req.Params, "effort")
		e.body.child("thinking").text("type", "disabled")
	}
}

// inputTool encodes a tool for Anthropic's API.
func inputTool(name, description string, parameters []byte) *object {
	o := newObject("name", name, "description", description)
	o.set("input_schema", parameters)
	return o
}

// blockMessage appends a message as blocks. User and assistant must alternate, so consecutive messages of a role are
// merged; tool results belong to the user.
func (e *encoding) blockMessage(t *transcript, m chat.Message) {
	speaker := "user"
	if m.Role == chat.Assistant {
		speaker = "assistant"
	}
	t.addBlocks(speaker, e.blocks(m)...)
}

// blocks encodes a message as blocks. A text block must not be empty.
func (e *encoding) blocks(m chat.Message) (out [][]byte) {
	if said, ok := e.providerState(m); ok {
		out, _ = elements(said) // providerState returns only arrays
		return slices.DeleteFunc(out, emptyText)
	}
	if m.Role == chat.Tool {
		return [][]byte{newObject("type", "tool_result", "tool_use_id", blockID(m.CallID), "content", m.Content).json()}
	}
	if strings.TrimSpace(m.Content) != "" {
		out = append(out, newObject("type", "text", "text", m.Content).json())
	}
	for _, c := range m.Calls {
		o := newObject("type", "tool_use", "id", blockID(c.ID), "name", e.names.toWire(c.Name))
		o.set("input", arguments(c))
		out = append(out, o.json())
	}
	return out
}

// emptyText reports whether a block is an empty text, which models send and the API rejects.
func emptyText(block []byte) bool {
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

// messagesState repairs the calls among blocks.
func messagesState(body []byte, calls []chat.Call) ([]byte, bool) {
	return repairEchoedItems(body, calls, "tool_use", func(block []byte, c chat.Call) []byte {
		block = changeMember(block, "id", func(raw []byte) []byte { return sameText(raw, blockID(c.ID)) })
		return changeMember(block, "input", func(raw []byte) []byte {
			if jsontext.Value(raw).Kind() == '{' {
				return nil
			}
			return arguments(c)
		})
	})
}
