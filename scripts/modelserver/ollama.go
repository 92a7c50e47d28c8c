package modelserver

import "encoding/json"

// ollamaForm is Ollama's own protocol: a stream is JSON objects, a line each. A
// call comes in one object, when it is whole, and reasoning has no signature.
type ollamaForm struct{}

func (ollamaForm) contentType() string          { return "application/x-ndjson" }
func (ollamaForm) alive() string                { return "\n" }
func (ollamaForm) begin(*message) []byte        { return nil }
func (ollamaForm) enter(*message, *item) []byte { return nil }
func (ollamaForm) fault(_ *message, text string) []byte {
	return append(marshal(errorBody(Ollama, text)), '\n')
}

func (f ollamaForm) piece(m *message, it *item, text string) []byte {
	switch it.kind {
	case said:
		return f.line(m, it.extended(object{"role": "assistant", "content": quoted(text)}))
	case thought:
		return f.line(m, it.extended(object{"role": "assistant", "content": "", "thinking": quoted(text)}))
	}
	return nil
}

func (f ollamaForm) leave(m *message, it *item) []byte {
	if it.kind != called {
		return nil
	}
	return f.line(m, object{"role": "assistant", "content": "", "tool_calls": []object{f.call(it)}})
}

// call returns a call. Arguments that are no JSON are sent as a string, because
// they could not be sent otherwise.
func (ollamaForm) call(it *item) object {
	function := object{"index": it.nth, "name": it.name}
	switch {
	case json.Valid([]byte(it.text)):
		function["arguments"] = json.RawMessage(it.text)
	case it.text != "":
		function["arguments"] = quoted(it.text)
	}
	o := object{"function": function}
	if it.id != "" {
		o["id"] = it.id
	}
	return it.extended(o)
}

// line returns a line of the stream, with members beside the usual ones.
func (ollamaForm) line(m *message, said object) []byte {
	return append(marshal(object{"model": m.model, "created_at": created, "message": said, "done": false}), '\n')
}

// created is when everything happens.
const created = "2026-11-21T09:00:00.000000001Z"

func (f ollamaForm) end(m *message) []byte {
	return append(f.last(m, object{"role": "assistant", "content": ""}), '\n')
}

func (f ollamaForm) whole(m *message) []byte {
	message := object{"role": "assistant", "content": quoted(m.content(said))}
	if text := m.content(thought); text != "" {
		message["thinking"] = quoted(text)
	}
	var calls []object
	for _, it := range m.items {
		if it.kind == called {
			calls = append(calls, f.call(it))
		} else {
			it.extended(message)
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return f.last(m, message)
}

// last returns the object that ends a message.
func (ollamaForm) last(m *message, said object) []byte {
	return marshal(object{
		"model": m.model, "created_at": created, "message": said, "done": true, "done_reason": m.stopWord("stop", "stop", "length"),
		"prompt_eval_count": m.input, "eval_count": m.output,
	})
}
