package cohere

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A reader reads a stream of events up to message-end, or one whole message. The model's plan for
// its calls (tool_plan) is reasoning.
type reader struct {
	*wire.Response
	tools map[string]*wire.PendingCall // by index
	begun bool                         // message-start has arrived
}

// Message reads an event or a whole message.
func (d *reader) Message(v gjson.Result) (bool, error) {
	index, delta := wire.StringOrNumber(v.Get("index")), v.Get("delta")
	message := delta.Get("message")
	switch v.Get("type").Str {
	case "message-start":
		if d.begun {
			return true, wire.ErrSpliced
		}
		d.begun = true
	case "tool-plan-delta":
		d.AddText(nil, wire.Texts{message.Get("tool_plan")})
	case "content-start", "content-delta":
		d.readContent(message.Get("content"))
	case "tool-call-start":
		d.tools[index] = d.beginTool(message.Get("tool_calls"))
	case "tool-call-delta":
		if d.tools[index] == nil {
			return true, wire.ErrUnknownCall
		}
		return true, d.AppendArguments(d.tools[index], message.Get("tool_calls.function.arguments"))
	case "tool-call-end":
		d.EndCall(d.tools[index])
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
func (d *reader) readContent(part gjson.Result) {
	d.AddText(wire.Texts{part.Get("text")}, wire.Texts{part.Get("thinking")})
}

// beginTool begins a call.
func (d *reader) beginTool(v gjson.Result) *wire.PendingCall {
	return d.BeginCall(v.Get("id"), v.Get("function.name"), v.Get("function.arguments"))
}

// wholeMessage reads a message that is not streamed.
func (d *reader) wholeMessage(v gjson.Result) {
	d.AddText(nil, wire.Texts{v.Get("message.tool_plan")})
	d.Each(v.Get("message.content"), d.readContent)
	d.setUsage(v) // before the calls, which may exceed the limit
	for _, call := range d.CallItems(v.Get("message.tool_calls")) {
		d.EndCall(d.beginTool(call))
	}
	d.finish(v)
}

func (d *reader) setUsage(v gjson.Result) {
	u := v.Get("usage")
	d.Usage = chat.Usage{
		InputTokens: wire.TokenCount(u.Get("tokens.input_tokens")), OutputTokens: wire.TokenCount(u.Get("tokens.output_tokens")),
		CachedInputTokens: wire.TokenCount(u.Get("cached_tokens")),
	}
}

// finish reads the end of the message.
func (d *reader) finish(v gjson.Result) {
	if e := wire.ParseErrorMember(v.Get("error")); e.IsSet() {
		d.FailServer(v, e)
		return
	}
	d.SetStop(v.Get("finish_reason"))
	d.setUsage(v)
	d.EmitAllCalls(d.Stop)
	d.End()
}

// Native returns nil: no client sends messages back to Cohere.
func (d *reader) Native() []byte { return nil }
