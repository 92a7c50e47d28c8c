package modelserver

import "encoding/json"

// messagesForm is Anthropic's messages: a stream is events with names, about
// blocks that start, grow and stop.
type messagesForm struct{}

func (messagesForm) contentType() string { return "text/event-stream" }
func (messagesForm) alive() string       { return ": keep-alive\n\n" }

func (messagesForm) event(name string, o object) []byte {
	o["type"] = name
	return append([]byte("event: "+name+"\n"), data(o)...)
}

func (f messagesForm) begin(m *message) []byte {
	o := f.message(m, []object{})
	o["usage"] = object{"input_tokens": m.input, "output_tokens": 1}
	return append(f.event("message_start", object{"message": o}), f.event("ping", object{})...)
}

func (f messagesForm) enter(m *message, it *item) []byte {
	return f.event("content_block_start", object{"index": it.index, "content_block": it.extended(f.block(m, it, json.RawMessage("{}"), ""))})
}

// block returns a block: of a call with its arguments, of all others with text.
func (messagesForm) block(m *message, it *item, arguments json.RawMessage, text string) object {
	switch it.kind {
	case said:
		return object{"type": "text", "text": quoted(text)}
	case thought:
		return object{"type": "thinking", "thinking": quoted(text), "signature": quoted(it.signature)}
	}
	id := it.id
	if id == "" {
		id = m.id("toolu_", "_", it.index) // there is none without
	}
	return object{"type": "tool_use", "id": id, "name": it.name, "input": arguments}
}

func (f messagesForm) piece(_ *message, it *item, text string) []byte {
	switch it.kind {
	case said:
		return f.delta(it, object{"type": "text_delta", "text": quoted(text)})
	case thought:
		return f.delta(it, object{"type": "thinking_delta", "thinking": quoted(text)})
	}
	return f.delta(it, object{"type": "input_json_delta", "partial_json": quoted(text)})
}

func (f messagesForm) delta(it *item, delta object) []byte {
	return f.event("content_block_delta", object{"index": it.index, "delta": delta})
}

func (f messagesForm) leave(_ *message, it *item) []byte {
	var out []byte
	if it.signature != "" {
		out = f.delta(it, object{"type": "signature_delta", "signature": quoted(it.signature)})
	}
	return append(out, f.event("content_block_stop", object{"index": it.index})...)
}

func (messagesForm) reason(m *message) string {
	return m.stopWord("end_turn", "tool_use", "max_tokens")
}

func (f messagesForm) end(m *message) []byte {
	out := f.event("message_delta", object{
		"delta": object{"stop_reason": f.reason(m), "stop_sequence": nil}, "usage": object{"output_tokens": m.output},
	})
	return append(out, f.event("message_stop", object{})...)
}

func (f messagesForm) fault(_ *message, text string) []byte {
	return f.event("error", errorBody(Messages, text))
}

func (messagesForm) message(m *message, content []object) object {
	return object{
		"id": m.id("msg_"), "type": "message", "role": "assistant", "model": m.model, "content": content,
		"stop_reason": nil, "stop_sequence": nil,
	}
}

// whole returns the message. Arguments that are no JSON are sent as a string,
// because they could not be sent otherwise.
func (f messagesForm) whole(m *message) []byte {
	content := []object{}
	for _, it := range m.items {
		arguments := json.RawMessage(it.text)
		switch {
		case it.text == "":
			arguments = json.RawMessage("{}")
		case it.kind == called && !json.Valid(arguments):
			arguments = quoted(it.text)
		}
		content = append(content, it.extended(f.block(m, it, arguments, it.text)))
	}
	o := f.message(m, content)
	o["stop_reason"] = f.reason(m)
	o["usage"] = object{"input_tokens": m.input, "output_tokens": m.output}
	return marshal(o)
}
