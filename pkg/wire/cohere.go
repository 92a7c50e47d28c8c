package wire

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Cohere decodes one body of Cohere's /v2/chat: a stream of events, which
// message-end ends, or one whole message. The plan that the model makes for its
// calls (tool_plan) is reasoning.
type Cohere struct {
	body
	queue queue
	tools map[string]*pending // by index
	begun bool                // message-start has come
}

// NewCohere returns a decoder for a body of at most maxBytes bytes.
func NewCohere(maxBytes int64) *Cohere {
	d := &Cohere{tools: map[string]*pending{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole message.
func (d *Cohere) message(v gjson.Result) (bool, error) {
	index, delta := key(v.Get("index")), v.Get("delta")
	message := delta.Get("message")
	switch v.Get("type").Str {
	case "message-start":
		if d.begun {
			return true, errSpliced
		}
		d.begun = true
	case "tool-plan-delta":
		d.say(nil, texts{message.Get("tool_plan")})
	case "content-start", "content-delta":
		d.content(message.Get("content"))
	case "tool-call-start":
		d.tools[index] = d.tool(message.Get("tool_calls"))
	case "tool-call-delta":
		if d.tools[index] == nil {
			return true, errUnbegun
		}
		return true, d.queue.write(d.tools[index], message.Get("tool_calls.function.arguments"))
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

// content reads a part of the content, or a piece of one.
func (d *Cohere) content(part gjson.Result) {
	d.say(texts{part.Get("text")}, texts{part.Get("thinking")})
}

// tool reads the beginning of a call.
func (d *Cohere) tool(v gjson.Result) *pending {
	return d.queue.add(v.Get("id"), v.Get("function.name"), v.Get("function.arguments"))
}

// endTool reads the end of a call.
func (d *Cohere) endTool(c *pending) {
	if c != nil {
		c.ended = true
		d.queue.settle(d.call)
	}
}

// wholeMessage reads a message that comes whole.
func (d *Cohere) wholeMessage(v gjson.Result) {
	d.say(nil, texts{v.Get("message.tool_plan")})
	d.each(v.Get("message.content"), d.content)
	d.use(v) // before the calls, which can be too many
	for _, call := range d.callItems(v.Get("message.tool_calls")) {
		d.endTool(d.tool(call))
	}
	d.finish(v)
}

// use notes the usage.
func (d *Cohere) use(v gjson.Result) {
	d.resp.Usage = chat.Usage{InputTokens: count(v.Get("usage.tokens.input_tokens")), OutputTokens: count(v.Get("usage.tokens.output_tokens"))}
}

// finish reads the end of the message.
func (d *Cohere) finish(v gjson.Result) {
	if f := errorFault(v.Get("error")); f.said() {
		d.noteFault(v)
		d.refuse(f)
		return
	}
	d.stopped(v.Get("finish_reason"))
	d.use(v)
	d.queue.finish(d.resp.Stop, d.call)
	d.done = true
}

// end reports whether the response is whole: only its last event makes it so.
func (d *Cohere) end(bool) bool { return false }

// native returns nil: nothing sends anything back to Cohere.
func (d *Cohere) native() *chat.Native { return nil }
