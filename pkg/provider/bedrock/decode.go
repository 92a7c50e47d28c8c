package bedrock

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A reader reads one object, or the events of ConverseStream as JSON objects, each under its
// name. It does not read the binary frames of AWS event streams.
type reader struct {
	*wire.Response
	tools map[string]*wire.PendingCall // by contentBlockIndex
	begun bool                         // messageStart has arrived
}

// Message reads an event or a whole response.
func (d *reader) Message(v gjson.Result) (known bool, err error) {
	if usage := v.Get("usage"); usage.Exists() {
		d.setUsage(usage) // before the calls, which may exceed the limit
	}
	v.ForEach(func(k, v gjson.Result) bool {
		var mine bool
		mine, err = d.readMember(k.Str, v)
		known = known || mine
		return err == nil
	})
	if d.Stop != "" && !d.Failed() {
		d.EmitAllCalls(d.Stop)
	}
	return known, err
}

// readMember reads an event, or a member of a whole response, and reports whether it is one.
func (d *reader) readMember(name string, v gjson.Result) (bool, error) {
	switch name {
	case "messageStart":
		if d.begun {
			return true, wire.ErrSpliced
		}
		d.begun = true
	case "output":
		d.readContent(v.Get("message.content"))
	case "contentBlockStart":
		d.beginTool(v, v.Get("start.toolUse"))
	case "contentBlockDelta":
		return true, d.readDelta(v, v.Get("delta"))
	case "contentBlockStop":
		d.EndCall(d.tools[wire.StringOrNumber(v.Get("contentBlockIndex"))])
	case "messageStop":
		d.SetStop(v.Get("stopReason"))
	case "stopReason":
		d.SetStop(v)
	case "metadata":
		d.setUsage(v.Get("usage"))
	case "usage":
	default:
		if !isException(name) {
			return false, nil
		}
		d.FailServer(v, wire.ErrorReport{Message: wire.JoinedMessages(v), Codes: []string{name}})
	}
	return true, nil
}

// setUsage records the usage. The server counts cached input separately.
func (d *reader) setUsage(u gjson.Result) {
	read, written := u.Get("cacheReadInputTokens"), u.Get("cacheWriteInputTokens")
	d.Usage = chat.Usage{
		InputTokens: wire.TokenCount(u.Get("inputTokens"), read, written), OutputTokens: wire.TokenCount(u.Get("outputTokens")),
		CachedInputTokens: wire.TokenCount(read), CacheWriteTokens: wire.TokenCount(written),
	}
}

// readContent reads the content of a whole message.
func (d *reader) readContent(content gjson.Result) {
	d.Each(content, func(block gjson.Result) {
		d.AddText(wire.Texts{block.Get("text")}, wire.Texts{block.Get("reasoningContent.reasoningText.text")})
		d.EndCall(d.beginTool(gjson.Result{}, block.Get("toolUse")))
	})
}

// beginTool begins a call if use is one.
func (d *reader) beginTool(at, use gjson.Result) *wire.PendingCall {
	if !use.IsObject() {
		return nil
	}
	c := d.BeginCall(use.Get("toolUseId"), use.Get("name"), use.Get("input"))
	d.tools[wire.StringOrNumber(at.Get("contentBlockIndex"))] = c
	return c
}

// readDelta reads a delta of a content block.
func (d *reader) readDelta(at, delta gjson.Result) error {
	d.AddText(wire.Texts{delta.Get("text")}, wire.Texts{delta.Get("reasoningContent.text")})
	c, input := d.tools[wire.StringOrNumber(at.Get("contentBlockIndex"))], delta.Get("toolUse.input")
	switch {
	case c != nil:
		return d.AppendArguments(c, input)
	case wire.ArgumentText(input) != "":
		return wire.ErrUnknownCall
	}
	return nil
}

// Native returns nil: no client sends messages back to Bedrock.
func (d *reader) Native() []byte { return nil }
