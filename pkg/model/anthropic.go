package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

// defaultMaxTokens is the limit of a response of Anthropic's API, which wants
// one, where the request has none: enough for reasoning and an answer, and less
// than any model on offer can do.
const defaultMaxTokens = "16384"

// encodeMessages writes a request for /v1/messages. The system prompt does not
// change during a run, so it is marked for the cache, and the tools before it
// with it. There is no way to ask for just any JSON.
func encodeMessages(e *encoding) error {
	if e.req.AnyJSON {
		return &FormatError{Err: errNoAnyJSON}
	}
	e.body.text("model", e.model)
	if e.req.System != "" {
		block := newObject("type", "text", "text", e.req.System)
		block.in("cache_control").text("type", "ephemeral")
		e.body.set("system", array([][]byte{block.json()}))
	}
	e.body.setPieces("messages", e.conversation(e.blockMessage))
	e.body.set("stream", yes)
	if len(e.req.Tools) > 0 {
		e.body.set("tools", e.tools(inputTool))
		if e.answering() {
			e.body.in("tool_choice").text("type", "none")
		}
	}
	if e.req.Format != nil {
		form := e.body.in("output_config").in("format")
		form.text("type", "json_schema")
		form.set("schema", e.req.Format)
	}
	e.anthropicParams()
	if err := e.placeParams(); err != nil {
		return err
	}
	e.body.set("max_tokens", []byte(defaultMaxTokens))
	return nil
}

// anthropicParams translates parameters: stop is always an array, the least
// effort with thinking is "low", and to do without is another parameter.
func (e *encoding) anthropicParams() {
	if stop, ok := unquote(e.req.Params["stop"]); ok {
		e.req.Params["stop"] = array([][]byte{quote(stop)})
	}
	switch effort, _ := unquote(e.req.Params["effort"]); effort {
	case "minimal":
		e.req.Params["effort"] = quote("low")
	case "none":
		delete(e.req.Params, "effort")
		e.body.in("thinking").text("type", "disabled")
	}
}

// inputTool is Anthropic's form of a tool.
func inputTool(name, description string, parameters []byte) *object {
	o := newObject("name", name, "description", description)
	o.set("input_schema", parameters)
	return o
}

// blockMessage appends a message as blocks. User and assistant have to alternate, so what one
// side says in a row is one message; the results of tools are said by the user.
func (e *encoding) blockMessage(t *transcript, m chat.Message) {
	speaker := "user"
	if m.Role == chat.Assistant {
		speaker = "assistant"
	}
	t.addBlocks(speaker, e.blocks(m)...)
}

// blocks returns a message as blocks. A block of text must not be empty.
func (e *encoding) blocks(m chat.Message) (out [][]byte) {
	if said, ok := e.echoed(m); ok {
		out, _ = elements(said) // it is an array, or it would not be echoed
		return slices.DeleteFunc(out, emptyText)
	}
	if m.Role == chat.Tool {
		return [][]byte{newObject("type", "tool_result", "tool_use_id", blockID(m.CallID), "content", m.Content).json()}
	}
	if strings.TrimSpace(m.Content) != "" {
		out = append(out, newObject("type", "text", "text", m.Content).json())
	}
	for _, c := range m.Calls {
		o := newObject("type", "tool_use", "id", blockID(c.ID), "name", e.names.wire(c.Name))
		o.set("input", arguments(c))
		out = append(out, o.json())
	}
	return out
}

// emptyText reports whether a block is text without any, which a model sends and
// its API refuses to take back.
func emptyText(block []byte) bool {
	var b struct{ Type, Text string }
	return json.Unmarshal(block, &b) == nil && b.Type == "text" && strings.TrimSpace(b.Text) == ""
}

// blockID returns the id of a call as Anthropic's API wants it, which another
// server may have chosen: letters, digits, "_" and "-".
func blockID(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, id)
}

// echoMessages mends the calls among blocks.
func echoMessages(body []byte, calls []chat.Call) ([]byte, bool) {
	return echoItems(body, calls, "tool_use", func(block []byte, c chat.Call) []byte {
		block = put(block, "id", func(raw []byte) []byte { return sameText(raw, blockID(c.ID)) })
		return put(block, "input", func(raw []byte) []byte {
			if jsontext.Value(raw).Kind() == '{' {
				return nil
			}
			return arguments(c)
		})
	})
}
