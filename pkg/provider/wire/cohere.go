package wire

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Cohere decodes one body of Cohere's /v2/chat: a stream of events up to message-end, or one
// whole message. The model's plan for its calls (tool_plan) is reasoning.
type Cohere struct {
	body
	queue callQueue
	tools map[string]*pendingCall // by index
	begun bool                    // message-start has arrived
}

// NewCohere returns a decoder for a body of at most maxBytes bytes.
func NewCohere(maxBytes int64) *Cohere {
	d := &Cohere{tools: map[string]*pendingCall{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole message.
func (d *Cohere) message(v gjson.Result) (bool, error) {
	index, delta := idText(v.Get("index")), v.Get("delta")
	message := delta.Get("message")
	switch v.Get("type").Str {
	case "message-start":
		if d.begun {
			return true, errSpliced
		}
		d.begun = true
	case "tool-plan-delta":
		d.addText(nil, jsonTexts{message.Get("tool_plan")})
	case "content-start", "content-delta":
		d.readContent(message.Get("content"))
	case "tool-call-start":
		d.tools[index] = d.beginTool(message.Get("tool_calls"))
	case "tool-call-delta":
		if d.tools[index] == nil {
			return true, errUnknownCall
		}
		return true, d.queue.appendArguments(d.tools[index], message.Get("tool_calls.function.arguments"))
	case "tool-call-end":
		d.endTool(d.tools[index])
	case "message-end":
		d.finish(delta)
	case "":
		if !v.Get("message").IsObject() {
			return false, nil
		}
		d.wholeMessage(v)
	}
	return true, nil
}

// readContent reads a content part or a delta of one.
func (d *Cohere) readContent(part gjson.Result) {
	d.addText(jsonTexts{part.Get("text")}, jsonTexts{part.Get("thinking")})
}

// beginTool begins a call.
func (d *Cohere) beginTool(v gjson.Result) *pendingCall {
	return d.queue.add(v.Get("id"), v.Get("function.name"), v.Get("function.arguments"))
}

// endTool ends a call; c may be nil.
func (d *Cohere) endTool(c *pendingCall) {
	if c != nil {
		c.ended = true
		d.queue.emitEnded(d.addCall)
	}
}

// wholeMessage reads a message that is not streamed.
func (d *Cohere) wholeMessage(v gjson.Result) {
	d.addText(nil, jsonTexts{v.Get("message.tool_plan")})
	d.each(v.Get("message.content"), d.readContent)
	d.setUsage(v) // before the calls, which may exceed the limit
	for _, call := range d.callItems(v.Get("message.tool_calls")) {
		d.endTool(d.beginTool(call))
	}
	d.finish(v)
}

func (d *Cohere) setUsage(v gjson.Result) {
	d.resp.Usage = chat.Usage{InputTokens: tokenCount(v.Get("usage.tokens.input_tokens")), OutputTokens: tokenCount(v.Get("usage.tokens.output_tokens"))}
}

// finish reads the end of the message.
func (d *Cohere) finish(v gjson.Result) {
	if f := parseErrorMember(v.Get("error")); f.isSet() {
		d.noteErrorSource(v)
		d.failServer(f)
		return
	}
	d.setStop(v.Get("finish_reason"))
	d.setUsage(v)
	d.queue.emitAll(d.resp.Stop, d.addCall)
	d.done = true
}

// end returns false: only the last event completes the response.
func (d *Cohere) end(bool) bool { return false }

// native returns nil: no client sends messages back to Cohere.
func (d *Cohere) native() *chat.Native { return nil }
