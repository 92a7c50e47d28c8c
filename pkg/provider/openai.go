package provider

import (
	"oneshot/pkg/chat"
)

// formatName is the required name of a format; it has no effect.
const formatName = "answer"

// encodeChat encodes a request for /chat/completions.
func encodeChat(e *encoding) error {
	e.body.text("model", e.model)
	e.body.setPieces("messages", e.messages(e.chatMessage))
	e.body.set("stream", yes)
	e.offerTools(functionTool)
	switch {
	case e.req.Format != nil:
		form := e.body.child("response_format")
		form.text("type", "json_schema")
		form.set("json_schema", e.namedFormat(new(object)).json())
	case e.req.AnyJSON:
		e.body.child("response_format").text("type", "json_object")
	}
	if err := e.setParams(); err != nil {
		return err
	}
	e.body.set("stream_options", []byte(`{"include_usage":true}`))
	return nil
}

// offerTools adds the tools, and forbids calls in a request for the answer.
func (e *encoding) offerTools(form func(name, description string, parameters []byte) *object) {
	if len(e.req.Tools) == 0 {
		return
	}
	e.body.set("tools", e.tools(form))
	if e.isForAnswer() {
		e.body.text("tool_choice", "none")
	}
}

// namedFormat adds the request's format to an object.
func (e *encoding) namedFormat(o *object) *object {
	o.text("name", formatName)
	o.set("strict", yes)
	o.set("schema", e.req.Format)
	return o
}

// chatMessage encodes a message for chat completions.
func (e *encoding) chatMessage(m chat.Message) *object {
	o := newObject("role", string(m.Role))
	if m.Role == chat.Tool {
		o.text("tool_call_id", m.CallID)
	}
	if m.Content == "" && len(m.Calls) > 0 {
		o.set("content", []byte("null"))
	} else {
		o.text("content", m.Content)
	}
	if len(m.Calls) > 0 {
		o.set("tool_calls", e.chatCalls(m.Calls))
	}
	return o
}

// chatCalls encodes calls with arguments as strings.
func (e *encoding) chatCalls(calls []chat.Call) []byte {
	var out [][]byte
	for _, c := range calls {
		o := newObject("id", c.ID, "type", "function")
		f := o.child("function")
		f.text("name", e.names.toWire(c.Name))
		f.text("arguments", string(arguments(c)))
		mapValues(e.facts.ForeignCall, func(name string, value []byte) []byte {
			o.set(name, append([]byte(nil), value...))
			return value
		})
		out = append(out, o.json())
	}
	return array(out)
}

// chatState repairs the calls of a message. Servers send arguments as strings, or some as objects, which they get back
// as such.
func chatState(body []byte, calls []chat.Call) ([]byte, bool) {
	return repairEchoedCalls(body, calls, func(raw []byte, c chat.Call) []byte {
		if isKind(raw, '{') {
			return nil
		}
		return stringArguments(raw, c)
	})
}

// encodeResponses encodes a request for /responses. The server must not store anything, so reasoning is returned
// encrypted and sent back with the conversation.
func encodeResponses(e *encoding) error {
	e.body.text("model", e.model)
	if e.req.System != "" {
		e.body.text("instructions", e.req.System)
	}
	e.body.setPieces("input", e.conversation(e.responseItems))
	e.body.set("stream", yes)
	e.offerTools(flatTool)
	switch {
	case e.req.Format != nil:
		e.body.child("text").set("format", e.namedFormat(newObject("type", "json_schema")).json())
	case e.req.AnyJSON:
		e.body.child("text").child("format").text("type", "json_object")
	}
	if err := e.setParams(); err != nil {
		return err
	}
	e.body.set("store", no)
	e.body.set("include", []byte(`["reasoning.encrypted_content"]`))
	return nil
}

// flatTool encodes a tool for /responses. Without strict:false the server would rewrite the schema for its strict mode.
func flatTool(name, description string, parameters []byte) *object {
	o := newObject("type", "function", "name", name, "description", description)
	o.set("parameters", parameters)
	o.set("strict", no)
	return o
}

// responseItems appends a message as items.
func (e *encoding) responseItems(t *transcript, m chat.Message) {
	if said, ok := e.providerState(m); ok {
		items, _ := elements(said) // providerState returns only arrays
		t.add(items...)
		return
	}
	switch {
	case m.Role == chat.Tool:
		t.add(newObject("type", "function_call_output", "call_id", m.CallID, "output", m.Content).json())
		return
	case m.Content != "" || len(m.Calls) == 0:
		t.add(newObject("role", string(m.Role), "content", m.Content).json())
	}
	for _, c := range m.Calls {
		t.add(newObject("type", "function_call", "call_id", c.ID,
			"name", e.names.toWire(c.Name), "arguments", string(arguments(c))).json())
	}
}

// responsesState repairs the calls among items.
func responsesState(body []byte, calls []chat.Call) ([]byte, bool) {
	return repairEchoedItems(body, calls, "function_call", func(item []byte, c chat.Call) []byte {
		item = changeMember(item, "call_id", func(raw []byte) []byte { return sameText(raw, c.ID) })
		return changeMember(item, "arguments", func(raw []byte) []byte { return stringArguments(raw, c) })
	})
}
