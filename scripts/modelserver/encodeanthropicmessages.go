package modelserver

import "encoding/json"

// anthropicEncoder is Anthropic's messages: a stream is events with names, about
// blocks that start, grow and stop.
type anthropicEncoder struct{}

func (anthropicEncoder) contentType() string { return "text/event-stream" }
func (anthropicEncoder) keepAlive() string   { return ": keep-alive\n\n" }

func (anthropicEncoder) event(name string, o object) []byte {
	o["type"] = name
	return append([]byte("event: "+name+"\n"), dataEvent(o)...)
}

func (f anthropicEncoder) beginMessage(m *message) []byte {
	o := f.messageObject(m, []object{})
	o["usage"] = object{"input_tokens": m.input, "output_tokens": 1}
	return append(f.event("message_start", object{"message": o}), f.event("ping", object{})...)
}

func (f anthropicEncoder) beginItem(m *message, it *item) []byte {
	return f.event("content_block_start", object{"index": it.index, "content_block": it.withMembers(f.contentBlock(m, it, json.RawMessage("{}"), ""))})
}

// contentBlock returns a block: of a call with its arguments, of all others with text.
func (anthropicEncoder) contentBlock(m *message, it *item, arguments json.RawMessage, text string) object {
	switch it.kind {
	case said:
		return object{"type": "text", "text": quoteInvalid(text)}
	case thought:
		return object{"type": "thinking", "thinking": quoteInvalid(text), "signature": quoteInvalid(it.signature)}
	}
	id := it.id
	if id == "" {
		id = m.newID("toolu_", "_", it.index) // required
	}
	return object{"type": "tool_use", "id": id, "name": it.name, "input": arguments}
}

func (f anthropicEncoder) textDelta(_ *message, it *item, text string) []byte {
	switch it.kind {
	case said:
		return f.deltaEvent(it, object{"type": "text_delta", "text": quoteInvalid(text)})
	case thought:
		return f.deltaEvent(it, object{"type": "thinking_delta", "thinking": quoteInvalid(text)})
	}
	return f.deltaEvent(it, object{"type": "input_json_delta", "partial_json": quoteInvalid(text)})
}

func (f anthropicEncoder) deltaEvent(it *item, delta object) []byte {
	return f.event("content_block_delta", object{"index": it.index, "delta": delta})
}

func (f anthropicEncoder) endItem(_ *message, it *item) []byte {
	var out []byte
	if it.signature != "" {
		out = f.deltaEvent(it, object{"type": "signature_delta", "signature": quoteInvalid(it.signature)})
	}
	return append(out, f.event("content_block_stop", object{"index": it.index})...)
}

func (anthropicEncoder) stopReason(m *message) string {
	return m.stopReason("end_turn", "tool_use", "max_tokens")
}

func (f anthropicEncoder) endMessage(m *message) []byte {
	out := f.event("message_delta", object{
		"delta": object{"stop_reason": f.stopReason(m), "stop_sequence": nil}, "usage": object{"output_tokens": m.output},
	})
	return append(out, f.event("message_stop", object{})...)
}

func (f anthropicEncoder) errorEvent(_ *message, text string) []byte {
	return f.event("error", errorBody(Messages, text))
}

func (anthropicEncoder) messageObject(m *message, content []object) object {
	return object{
		"id": m.newID("msg_"), "type": "message", "role": "assistant", "model": m.model, "content": content,
		"stop_reason": nil, "stop_sequence": nil,
	}
}

// wholeMessage returns the message. Arguments that are no JSON are sent as a string,
// because they could not be sent otherwise.
func (f anthropicEncoder) wholeMessage(m *message) []byte {
	content := []object{}
	for _, it := range m.items {
		arguments := json.RawMessage(it.text)
		switch {
		case it.text == "":
			arguments = json.RawMessage("{}")
		case it.kind == called && !json.Valid(arguments):
			arguments = quoteInvalid(it.text)
		}
		content = append(content, it.withMembers(f.contentBlock(m, it, arguments, it.text)))
	}
	o := f.messageObject(m, content)
	o["stop_reason"] = f.stopReason(m)
	o["usage"] = object{"input_tokens": m.input, "output_tokens": m.output}
	return marshal(o)
}
