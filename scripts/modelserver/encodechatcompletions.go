package modelserver

// chatCompletionsEncoder is OpenAI's chat completions: a stream is events of one kind, and a
// call is known by its index.
type chatCompletionsEncoder struct{}

func (chatCompletionsEncoder) contentType() string { return "text/event-stream" }
func (chatCompletionsEncoder) keepAlive() string   { return ": keep-alive\n\n" }

func (f chatCompletionsEncoder) beginMessage(m *message) []byte {
	return f.deltaChunk(m, object{"role": "assistant", "content": ""})
}

func (f chatCompletionsEncoder) beginItem(m *message, it *item) []byte {
	if it.kind != called {
		return nil
	}
	function := object{"name": it.name, "arguments": ""}
	return f.callsChunk(m, it.withMembers(f.callDelta(it, function)))
}

// callDelta returns the first part of a call, or all of it.
func (chatCompletionsEncoder) callDelta(it *item, function object) object {
	o := object{"index": it.nth, "type": "function", "function": function}
	if it.id != "" {
		o["id"] = it.id
	}
	return o
}

func (f chatCompletionsEncoder) textDelta(m *message, it *item, text string) []byte {
	switch it.kind {
	case said:
		return f.deltaChunk(m, it.withMembers(object{"content": quoteInvalid(text)}))
	case thought:
		return f.deltaChunk(m, it.withMembers(object{"reasoning": quoteInvalid(text)}))
	}
	return f.callsChunk(m, object{"index": it.nth, "function": object{"arguments": quoteInvalid(text)}})
}

// endItem returns the signature of reasoning. The end of a call is not encoded.
func (f chatCompletionsEncoder) endItem(m *message, it *item) []byte {
	if it.signature == "" {
		return nil
	}
	return f.deltaChunk(m, object{"reasoning_details": []object{f.reasoningDetail(it)}})
}

// reasoningDetail returns the form in which OpenRouter passes on reasoning.
func (chatCompletionsEncoder) reasoningDetail(it *item) object {
	return object{"type": "reasoning.encrypted", "data": quoteInvalid(it.signature), "format": "unknown", "index": it.nth}
}

func (f chatCompletionsEncoder) callsChunk(m *message, call object) []byte {
	return f.deltaChunk(m, object{"tool_calls": []object{call}})
}

func (f chatCompletionsEncoder) deltaChunk(m *message, delta object) []byte {
	return f.chunk(m, []object{{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
}

func (f chatCompletionsEncoder) chunk(m *message, choices []object, usage object) []byte {
	o := object{"id": m.newID("chatcmpl-"), "object": "chat.completion.chunk", "created": createdUnix, "model": m.model, "choices": choices}
	if usage != nil {
		o["usage"] = usage
	}
	return dataEvent(o)
}

// createdUnix is [created] in seconds.
const createdUnix = 1795251600

// dataEvent returns an event without a name.
func dataEvent(o object) []byte {
	return append(append([]byte("data: "), marshal(o)...), "\n\n"...)
}

func (f chatCompletionsEncoder) endMessage(m *message) []byte {
	out := f.chunk(m, []object{{"index": 0, "delta": object{}, "finish_reason": f.stopReason(m)}}, nil)
	if m.usage {
		out = append(out, f.chunk(m, []object{}, f.usageObject(m))...)
	}
	return append(out, "data: [DONE]\n\n"...)
}

func (chatCompletionsEncoder) stopReason(m *message) string {
	return m.stopReason("stop", "tool_calls", "length")
}

func (chatCompletionsEncoder) usageObject(m *message) object {
	return object{"prompt_tokens": m.input, "completion_tokens": m.output, "total_tokens": m.input + m.output}
}

func (chatCompletionsEncoder) errorEvent(_ *message, text string) []byte {
	return dataEvent(errorBody(Chat, text))
}

func (f chatCompletionsEncoder) wholeMessage(m *message) []byte {
	message := object{"role": "assistant", "content": quoteInvalid(m.joinedText(said))}
	var calls, details []object
	for _, it := range m.items {
		switch {
		case it.kind == called:
			o := it.withMembers(f.callDelta(it, object{"name": it.name, "arguments": quoteInvalid(it.text)}))
			delete(o, "index")
			calls = append(calls, o)
		default:
			it.withMembers(message)
		}
		if it.signature != "" {
			details = append(details, f.reasoningDetail(it))
		}
	}
	if text := m.joinedText(thought); text != "" {
		message["reasoning"] = quoteInvalid(text)
	}
	if details != nil {
		message["reasoning_details"] = details
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return marshal(object{
		"id": m.newID("chatcmpl-"), "object": "chat.completion", "created": createdUnix, "model": m.model, "usage": f.usageObject(m),
		"choices": []object{{"index": 0, "message": message, "finish_reason": f.stopReason(m)}},
	})
}
