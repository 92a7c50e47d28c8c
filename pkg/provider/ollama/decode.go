package ollama

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A reader reads consecutive JSON objects, the last with "done":true, or one whole response.
type reader struct {
	*wire.Response
	message wire.Node // merged from all chunks
}

// Message reads an object of the stream.
func (d *reader) Message(v gjson.Result) (bool, error) {
	message, done := v.Get("message"), v.Get("done")
	content, thinking := message.Get("content"), message.Get("thinking")
	if !wire.IsTextOrNull(content) || !wire.IsTextOrNull(thinking) {
		return false, wire.ErrContentNotText
	}
	d.SetModel(v.Get("model"))
	calls := d.CallItems(message.Get("tool_calls"))
	d.AddText(wire.Texts{content}, wire.Texts{thinking})
	if done.Type == gjson.True { // before the calls, which may exceed the limit
		d.Usage = chat.Usage{InputTokens: wire.TokenCount(v.Get("prompt_eval_count")), OutputTokens: wire.TokenCount(v.Get("eval_count"))}
	}
	for _, c := range calls {
		f := c.Get("function")
		id, name, args := c.Get("id"), f.Get("name"), f.Get("arguments")
		if d.ExceedsArguments(len(wire.ArgumentText(args))) || d.ExceedsKeyLen(id, name) {
			break
		}
		from := wire.CallSources{ID: d.SegmentsOf(0, id), Name: d.ToolNameSegments(0, name), Arguments: d.SegmentsOf(0, args)}
		d.AddCall(wire.CallOf(wire.StringOrNumber(id), wire.StringOrNumber(name), []byte(wire.ArgumentText(args))), from)
	}
	if d.Failed() {
		return true, nil
	}
	d.mergeNative(message, calls)
	if done.Type == gjson.True {
		d.End()
		d.SetStop(v.Get("done_reason"))
	}
	return message.Exists() || done.Exists(), nil
}

// mergeNative merges a chunk into the native message. Calls arrive whole.
func (d *reader) mergeNative(message gjson.Result, calls []gjson.Result) {
	message.ForEach(func(k, v gjson.Result) bool {
		m := d.message.EnsureMember(k.Str)
		if k.Str != "tool_calls" {
			m.Merge(k.Str, v)
			return !d.ExceedsNative()
		}
		for _, c := range calls {
			m.AddItem().Set(c)
		}
		return true
	})
}

// Native returns the message to send back to the server, unless it is only text.
func (d *reader) Native() []byte { return wire.NativeUnlessText(d.message.Append(nil)) }
