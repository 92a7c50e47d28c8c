package modelserver

// chatForm is OpenAI's chat completions: a stream is events of one kind, and a
// call is known by its index.
type chatForm struct{}

func (chatForm) contentType() string { return "text/event-stream" }
func (chatForm) alive() string       { return ": keep-alive\n\n" }

func (f chatForm) begin(m *message) []byte {
	return f.delta(m, object{"role": "assistant", "content": ""})
}

func (f chatForm) enter(m *message, it *item) []byte {
	if it.kind != called {
		return nil
	}
	function := object{"name": it.name, "arguments": ""}
	return f.calls(m, it.extended(f.call(it, function)))
}

// call returns the first part of a call, or all of it.
func (chatForm) call(it *item, function object) object {
	o := object{"index": it.nth, "type": "function", "function": function}
	if it.id != "" {
		o["id"] = it.id
	}
	return o
}

func (f chatForm) piece(m *message, it *item, text string) []byte {
	switch it.kind {
	case said:
		return f.delta(m, it.extended(object{"content": quoted(text)}))
	case thought:
		return f.delta(m, it.extended(object{"reasoning": quoted(text)}))
	}
	return f.calls(m, object{"index": it.nth, "function": object{"arguments": quoted(text)}})
}

// leave says the signature of reasoning; that a call has ended, nothing says.
func (f chatForm) leave(m *message, it *item) []byte {
	if it.signature == "" {
		return nil
	}
	return f.delta(m, object{"reasoning_details": []object{f.detail(it)}})
}

// detail is how OpenRouter passes on what belongs to reasoning.
func (chatForm) detail(it *item) object {
	return object{"type": "reasoning.encrypted", "data": quoted(it.signature), "format": "unknown", "index": it.nth}
}

func (f chatForm) calls(m *message, call object) []byte {
	return f.delta(m, object{"tool_calls": []object{call}})
}

func (f chatForm) delta(m *message, delta object) []byte {
	return f.chunk(m, []object{{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
}

func (f chatForm) chunk(m *message, choices []object, usage object) []byte {
	o := object{"id": m.id("chatcmpl-"), "object": "chat.completion.chunk", "created": createdUnix, "model": m.model, "choices": choices}
	if usage != nil {
		o["usage"] = usage
	}
	return data(o)
}

// createdUnix is [created] in seconds.
const createdUnix = 1795251600

// data returns an event without a name.
func data(o object) []byte {
	return append(append([]byte("data: "), marshal(o)...), "\n\n"...)
}

func (f chatForm) end(m *message) []byte {
	out := f.chunk(m, []object{{"index": 0, "delta": object{}, "finish_reason": f.reason(m)}}, nil)
	if m.usage {
		out = append(out, f.chunk(m, []object{}, f.usage(m))...)
	}
	return append(out, "data: [DONE]\n\n"...)
}

func (chatForm) reason(m *message) string { return m.stopWord("stop", "tool_calls", "length") }

func (chatForm) usage(m *message) object {
	return object{"prompt_tokens": m.input, "completion_tokens": m.output, "total_tokens": m.input + m.output}
}

func (chatForm) fault(_ *message, text string) []byte { return data(errorBody(Chat, text)) }

func (f chatForm) whole(m *message) []byte {
	message := object{"role": "assistant", "content": quoted(m.content(said))}
	var calls, details []object
	for _, it := range m.items {
		switch {
		case it.kind == called:
			o := it.extended(f.call(it, object{"name": it.name, "arguments": quoted(it.text)}))
			delete(o, "index")
			calls = append(calls, o)
		default:
			it.extended(message)
		}
		if it.signature != "" {
			details = append(details, f.detail(it))
		}
	}
	if text := m.content(thought); text != "" {
		message["reasoning"] = quoted(text)
	}
	if details != nil {
		message["reasoning_details"] = details
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return marshal(object{
		"id": m.id("chatcmpl-"), "object": "chat.completion", "created": createdUnix, "model": m.model, "usage": f.usage(m),
		"choices": []object{{"index": 0, "message": message, "finish_reason": f.reason(m)}},
	})
}
