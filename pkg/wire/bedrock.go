package wire

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Bedrock decodes one body of Amazon Bedrock's Converse: one object, or the
// events of ConverseStream as JSON objects, each under its name. (The binary
// frames in which AWS sends them are not for this package.) The response is
// whole when a stopReason has come and the body ends.
type Bedrock struct {
	body
	queue queue
	tools map[string]*pending // by contentBlockIndex
	begun bool                // messageStart has come
}

// NewBedrock returns a decoder for a body of at most maxBytes bytes.
func NewBedrock(maxBytes int64) *Bedrock {
	d := &Bedrock{tools: map[string]*pending{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole response.
func (d *Bedrock) message(v gjson.Result) (known bool, err error) {
	if usage := v.Get("usage"); usage.Exists() {
		d.use(usage) // before the calls, which can be too many
	}
	v.ForEach(func(k, v gjson.Result) bool {
		var mine bool
		mine, err = d.member(k.Str, v)
		known = known || mine
		return err == nil
	})
	if d.resp.Stop != "" && d.err == nil {
		d.queue.finish(d.resp.Stop, d.call)
	}
	return known, err
}

// member reads an event, or a member of a whole response, and reports whether it
// is one.
func (d *Bedrock) member(name string, v gjson.Result) (bool, error) {
	switch name {
	case "messageStart":
		if d.begun {
			return true, errSpliced
		}
		d.begun = true
	case "output":
		d.content(v.Get("message.content"))
	case "contentBlockStart":
		d.tool(v, v.Get("start.toolUse"))
	case "contentBlockDelta":
		return true, d.delta(v, v.Get("delta"))
	case "contentBlockStop":
		d.endTool(d.tools[key(v.Get("contentBlockIndex"))])
	case "messageStop":
		d.stopped(v.Get("stopReason"))
	case "stopReason":
		d.stopped(v)
	case "metadata":
		d.use(v.Get("usage"))
	case "usage":
	default:
		if !strings.HasSuffix(name, "Exception") {
			return false, nil
		}
		d.noteFault(v)
		d.refuse(fault{sentence(v), []string{name}})
	}
	return true, nil
}

// use notes the usage.
func (d *Bedrock) use(u gjson.Result) {
	d.resp.Usage = chat.Usage{InputTokens: count(u.Get("inputTokens")), OutputTokens: count(u.Get("outputTokens"))}
}

// content reads the content of a whole message.
func (d *Bedrock) content(content gjson.Result) {
	d.each(content, func(block gjson.Result) {
		d.say(texts{block.Get("text")}, texts{block.Get("reasoningContent.reasoningText.text")})
		d.endTool(d.tool(gjson.Result{}, block.Get("toolUse")))
	})
}

// tool reads the beginning of a call, if it is one.
func (d *Bedrock) tool(at, use gjson.Result) *pending {
	if !use.IsObject() {
		return nil
	}
	c := d.queue.add(use.Get("toolUseId"), use.Get("name"), use.Get("input"))
	d.tools[key(at.Get("contentBlockIndex"))] = c
	return c
}

// delta reads a piece of a block.
func (d *Bedrock) delta(at, delta gjson.Result) error {
	d.say(texts{delta.Get("text")}, texts{delta.Get("reasoningContent.text")})
	c, input := d.tools[key(at.Get("contentBlockIndex"))], delta.Get("toolUse.input")
	switch {
	case c != nil:
		return d.queue.write(c, input)
	case written(input) != "":
		return errUnbegun
	}
	return nil
}

// endTool reads the end of a call, if there is one.
func (d *Bedrock) endTool(c *pending) {
	if c != nil {
		c.ended = true
		d.queue.settle(d.call)
	}
}

// end reports whether the response is whole.
func (d *Bedrock) end(bool) bool { return d.resp.Stop != "" }

// native returns nil: nothing sends anything back to Bedrock.
func (d *Bedrock) native() *chat.Native { return nil }
