package modelserver

// responsesEncoder is OpenAI's responses: a stream is numbered events with names,
// about items that are added, grow and are done.
type responsesEncoder struct{}

func (responsesEncoder) contentType() string { return "text/event-stream" }
func (responsesEncoder) keepAlive() string   { return ": keep-alive\n\n" }

// event returns the next event.
func (responsesEncoder) event(m *message, name string, o object) []byte {
	o["type"], o["sequence_number"] = name, m.events
	m.events++
	return append([]byte("event: "+name+"\n"), dataEvent(o)...)
}

// itemEvent returns the next event about an item.
func (f responsesEncoder) itemEvent(m *message, it *item, name string, o object) []byte {
	o["output_index"] = it.index
	if o["item"] == nil {
		o["item_id"] = f.itemID(m, it)
	}
	return f.event(m, "response."+name, o)
}

func (f responsesEncoder) beginMessage(m *message) []byte {
	out := f.event(m, "response.created", object{"response": f.responseObject(m, "in_progress", []object{})})
	return append(out, f.event(m, "response.in_progress", object{"response": f.responseObject(m, "in_progress", []object{})})...)
}

func (f responsesEncoder) beginItem(m *message, it *item) []byte {
	out := f.itemEvent(m, it, "output_item.added", object{"item": f.itemObject(m, &item{kind: it.kind, id: it.id, name: it.name, index: it.index, members: it.members}, "in_progress")})
	if name := partNames[it.kind]; name != "" {
		out = append(out, f.itemEvent(m, it, name+".added", f.withContentIndex(it.kind, object{"part": f.textPart(it.kind, "")}))...)
	}
	return out
}

// The types of items' parts, and the member with their text.
var (
	partNames = map[kind]string{said: "content_part", thought: "reasoning_summary_part"}
	textNames = map[kind]string{said: "output_text", thought: "reasoning_summary_text", called: "function_call_arguments"}
)

// withContentIndex returns the object with the index of the only part of an item.
func (responsesEncoder) withContentIndex(k kind, o object) object {
	switch k {
	case said:
		o["content_index"] = 0
	case thought:
		o["summary_index"] = 0
	}
	return o
}

// contentParts returns the parts of an item: none until there is text.
func (f responsesEncoder) contentParts(it *item) []object {
	if it.text == "" {
		return []object{}
	}
	return []object{f.textPart(it.kind, it.text)}
}

func (responsesEncoder) textPart(k kind, text string) object {
	if k == thought {
		return object{"type": "summary_text", "text": quoteInvalid(text)}
	}
	return object{"type": "output_text", "text": quoteInvalid(text), "annotations": []object{}, "logprobs": []object{}}
}

func (f responsesEncoder) textDelta(m *message, it *item, text string) []byte {
	return f.itemEvent(m, it, textNames[it.kind]+".delta", f.withContentIndex(it.kind, object{"delta": quoteInvalid(text)}))
}

func (f responsesEncoder) endItem(m *message, it *item) []byte {
	member := "text"
	if it.kind == called {
		member = "arguments"
	}
	out := f.itemEvent(m, it, textNames[it.kind]+".done", f.withContentIndex(it.kind, object{member: quoteInvalid(it.text)}))
	if name := partNames[it.kind]; name != "" {
		out = append(out, f.itemEvent(m, it, name+".done", f.withContentIndex(it.kind, object{"part": f.textPart(it.kind, it.text)}))...)
	}
	return append(out, f.itemEvent(m, it, "output_item.done", object{"item": f.itemObject(m, it, "completed")})...)
}

func (responsesEncoder) itemID(m *message, it *item) string {
	prefix := map[kind]string{said: "msg_", thought: "rs_", called: "fc_"}[it.kind]
	return m.newID(prefix, "_", it.index)
}

// itemObject returns an item with its content so far.
func (f responsesEncoder) itemObject(m *message, it *item, status string) object {
	o := object{"id": f.itemID(m, it), "status": status}
	switch it.kind {
	case said:
		o["type"], o["role"], o["content"] = "message", "assistant", f.contentParts(it)
	case thought:
		o["type"], o["summary"] = "reasoning", f.contentParts(it)
		if it.signature != "" {
			o["encrypted_content"] = quoteInvalid(it.signature)
		}
	case called:
		o["type"], o["name"], o["arguments"] = "function_call", it.name, quoteInvalid(it.text)
		if it.id != "" {
			o["call_id"] = it.id
		}
	}
	return it.withMembers(o)
}

func (f responsesEncoder) endMessage(m *message) []byte {
	_, name, _ := f.endStatus(m)
	return f.event(m, name, object{"response": f.finalResponse(m)})
}

// endStatus returns the final status, its event, and the details of an incomplete
// response.
func (responsesEncoder) endStatus(m *message) (status, event string, details any) {
	reason := m.stopReason("", "", "max_output_tokens")
	if reason == "" {
		return "completed", "response.completed", nil
	}
	return "incomplete", "response.incomplete", object{"reason": reason}
}

// finalResponse returns the response with everything in it.
func (f responsesEncoder) finalResponse(m *message) object {
	status, _, details := f.endStatus(m)
	output := []object{}
	for _, it := range m.items {
		output = append(output, f.itemObject(m, it, "completed"))
	}
	o := f.responseObject(m, status, output)
	o["incomplete_details"] = details
	o["usage"] = object{"input_tokens": m.input, "output_tokens": m.output, "total_tokens": m.input + m.output}
	return o
}

func (responsesEncoder) responseObject(m *message, status string, output []object) object {
	return object{
		"id": m.newID("resp_"), "object": "response", "created_at": createdUnix, "model": m.model, "status": status, "output": output,
		"error": nil, "incomplete_details": nil, "usage": nil, "store": false,
	}
}

func (f responsesEncoder) errorEvent(m *message, text string) []byte {
	return f.event(m, "error", object{"code": "server_error", "message": text, "param": nil})
}

func (f responsesEncoder) wholeMessage(m *message) []byte { return marshal(f.finalResponse(m)) }
