package modelserver

import "encoding/json"

// ollamaEncoder is Ollama's own protocol: a stream is JSON objects, a line each. A
// call comes in one object, when it is whole, and reasoning has no signature.
type ollamaEncoder struct{}

func (ollamaEncoder) contentType() string              { return "application/x-ndjson" }
func (ollamaEncoder) keepAlive() string                { return "\n" }
func (ollamaEncoder) beginMessage(*message) []byte     { return nil }
func (ollamaEncoder) beginItem(*message, *item) []byte { return nil }
func (ollamaEncoder) errorEvent(_ *message, text string) []byte {
	return append(marshal(errorBody(Ollama, text)), '\n')
}

func (f ollamaEncoder) textDelta(m *message, it *item, text string) []byte {
	switch it.kind {
	case said:
		return f.line(m, it.withMembers(object{"role": "assistant", "content": quoteInvalid(text)}))
	case thought:
		return f.line(m, it.withMembers(object{"role": "assistant", "content": "", "thinking": quoteInvalid(text)}))
	}
	return nil
}

func (f ollamaEncoder) endItem(m *message, it *item) []byte {
	if it.kind != called {
		return nil
	}
	return f.line(m, object{"role": "assistant", "content": "", "tool_calls": []object{f.callObject(it)}})
}

// callObject returns a call. Arguments that are no JSON are sent as a string, because
// they could not be sent otherwise.
func (ollamaEncoder) callObject(it *item) object {
	function := object{"index": it.nth, "name": it.name}
	switch {
	case json.Valid([]byte(it.text)):
		function["arguments"] = json.RawMessage(it.text)
	case it.text != "":
		function["arguments"] = quoteInvalid(it.text)
	}
	o := object{"function": function}
	if it.id != "" {
		o["id"] = it.id
	}
	return it.withMembers(o)
}

// line returns a line of the stream, with members beside the usual ones.
func (ollamaEncoder) line(m *message, said object) []byte {
	return append(marshal(object{"model": m.model, "created_at": created, "message": said, "done": false}), '\n')
}

// created is the time of all messages.
const created = "2026-11-21T09:00:00.000000001Z"

func (f ollamaEncoder) endMessage(m *message) []byte {
	return append(f.lastLine(m, object{"role": "assistant", "content": ""}), '\n')
}

func (f ollamaEncoder) wholeMessage(m *message) []byte {
	message := object{"role": "assistant", "content": quoteInvalid(m.joinedText(said))}
	if text := m.joinedText(thought); text != "" {
		message["thinking"] = quoteInvalid(text)
	}
	var calls []object
	for _, it := range m.items {
		if it.kind == called {
			calls = append(calls, f.callObject(it))
		} else {
			it.withMembers(message)
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return f.lastLine(m, message)
}

// lastLine returns the object that ends a message.
func (ollamaEncoder) lastLine(m *message, said object) []byte {
	return marshal(object{
		"model": m.model, "created_at": created, "message": said, "done": true, "done_reason": m.stopReason("stop", "stop", "length"),
		"prompt_eval_count": m.input, "eval_count": m.output,
	})
}
