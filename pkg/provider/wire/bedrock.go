package wire

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Bedrock decodes one body of Amazon Bedrock's Converse: one object, or the events of
// ConverseStream as JSON objects, each under its name. It does not decode the binary frames of
// AWS event streams. The response is complete if a stopReason has arrived and the body ends.
type Bedrock struct {
	body
	queue callQueue
	tools map[string]*pendingCall // by contentBlockIndex
	begun bool                    // messageStart has arrived
}

// NewBedrock returns a decoder for a body of at most maxBytes bytes.
func NewBedrock(maxBytes int64) *Bedrock {
	d := &Bedrock{tools: map[string]*pendingCall{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole response.
func (d *Bedrock) message(v gjson.Result) (known bool, err error) {
	if usage := v.Get("usage"); usage.Exists() {
		d.setUsage(usage) // before the calls, which may exceed the limit
	}
	v.ForEach(func(k, v gjson.Result) bool {
		var mine bool
		mine, err = d.readMember(k.Str, v)
		known = known || mine
		return err == nil
	})
	if d.resp.Stop != "" && d.err == nil {
		d.queue.emitAll(d.resp.Stop, d.addCall)
	}
	return known, err
}

// readMember reads an event, or a member of a whole response, and reports whether it is one.
func (d *Bedrock) readMember(name string, v gjson.Result) (bool, error) {
	switch name {
	case "messageStart":
		if d.begun {
			return true, errSpliced
		}
		d.begun = true
	case "output":
		d.readContent(v.Get("message.content"))
	case "contentBlockStart":
		d.beginTool(v, v.Get("start.toolUse"))
	case "contentBlockDelta":
		return true, d.readDelta(v, v.Get("delta"))
	case "contentBlockStop":
		d.endTool(d.tools[idText(v.Get("contentBlockIndex"))])
	case "messageStop":
		d.setStop(v.Get("stopReason"))
	case "stopReason":
		d.setStop(v)
	case "metadata":
		d.setUsage(v.Get("usage"))
	case "usage":
	default:
		if !strings.HasSuffix(name, "Exception") {
			return false, nil
		}
		d.noteErrorSource(v)
		d.failServer(errorReport{joinedMessages(v), []string{name}})
	}
	return true, nil
}

func (d *Bedrock) setUsage(u gjson.Result) {
	d.resp.Usage = chat.Usage{InputTokens: tokenCount(u.Get("inputTokens")), OutputTokens: tokenCount(u.Get("outputTokens"))}
}

// readContent reads the content of a whole message.
func (d *Bedrock) readContent(content gjson.Result) {
	d.each(content, func(block gjson.Result) {
		d.addText(jsonTexts{block.Get("text")}, jsonTexts{block.Get("reasoningContent.reasoningText.text")})
		d.endTool(d.beginTool(gjson.Result{}, block.Get("toolUse")))
	})
}

// beginTool begins a call if use is one.
func (d *Bedrock) beginTool(at, use gjson.Result) *pendingCall {
	if !use.IsObject() {
		return nil
	}
	c := d.queue.add(use.Get("toolUseId"), use.Get("name"), use.Get("input"))
	d.tools[idText(at.Get("contentBlockIndex"))] = c
	return c
}

// readDelta reads a delta of a content block.
func (d *Bedrock) readDelta(at, delta gjson.Result) error {
	d.addText(jsonTexts{delta.Get("text")}, jsonTexts{delta.Get("reasoningContent.text")})
	c, input := d.tools[idText(at.Get("contentBlockIndex"))], delta.Get("toolUse.input")
	switch {
	case c != nil:
		return d.queue.appendArguments(c, input)
	case argumentText(input) != "":
		return errUnknownCall
	}
	return nil
}

// endTool ends a call; c may be nil.
func (d *Bedrock) endTool(c *pendingCall) {
	if c != nil {
		c.ended = true
		d.queue.emitEnded(d.addCall)
	}
}

// end reports whether the response is complete.
func (d *Bedrock) end(bool) bool { return d.resp.Stop != "" }

// native returns nil: no client sends messages back to Bedrock.
func (d *Bedrock) native() *chat.Native { return nil }
