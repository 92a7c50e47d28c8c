package wire

import (
	"cmp"
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Messages decodes one body of Anthropic's /v1/messages: an event stream or one whole message.
// The response is complete if a stop_reason has arrived and the body ends; message_stop ends it.
//
// The native message is the array of content blocks, merged with all their members. Only
// tool_use blocks are client calls: the server executes the others itself.
type Messages struct {
	body
	queue        callQueue
	blocks       []*block // in the order in which they began
	byRef        map[string]*block
	begun        bool   // message_start has arrived
	id           string // of the message
	promptCounts [len(promptTokens)]int
}

type block struct {
	node    node
	call    *pendingCall // of a tool_use
	input   []byte       // the merged input deltas
	sources []Segment    // of input
	ended   bool
}

// NewMessages returns a decoder for a body of at most maxBytes bytes.
func NewMessages(maxBytes int64) *Messages {
	d := &Messages{byRef: map[string]*block{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole message.
func (d *Messages) message(v gjson.Result) (bool, error) {
	ref := idText(v.Get("index"))
	switch v.Get("type").Str {
	case "message_start":
		return true, d.beginMessage(v.Get("message"))
	case "content_block_start":
		if d.resp.Stop != "" {
			return true, errLateResponse
		}
		d.beginBlock(ref, v.Get("content_block"))
	case "content_block_delta":
		return true, d.readDelta(ref, v.Get("delta"))
	case "content_block_stop":
		d.endBlock(d.byRef[ref])
	case "message_delta":
		d.setUsage(v.Get("usage"))
		if reason := v.Get("delta.stop_reason"); reason.Str != "" {
			d.finish(reason)
		}
	case "message_stop":
		d.finish(gjson.Result{})
		d.done = true
	case "message":
		d.wholeMessage(v)
	case "ping":
	default:
		return false, nil
	}
	return true, nil
}

// beginMessage reads the start of the message. Some routers repeat it; a different one does not
// belong here. It contains the whole message, with its stop_reason, if a server-side program
// made the calls.
func (d *Messages) beginMessage(message gjson.Result) error {
	id := idText(message.Get("id"))
	if d.begun && (id != d.id || len(d.blocks) > 0) {
		return errSpliced
	}
	d.begun, d.id = true, id
	d.readMessage(message)
	return nil
}

// promptTokens are the usage members that count prompt tokens. The server counts cached ones
// separately.
var promptTokens = [3]string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}

// setUsage records the usage. A later one has better numbers, but not always all.
func (d *Messages) setUsage(u gjson.Result) {
	d.resp.Usage.InputTokens = 0
	for i, name := range promptTokens {
		d.promptCounts[i] = cmp.Or(tokenCount(u.Get(name)), d.promptCounts[i])
		d.resp.Usage.InputTokens += d.promptCounts[i]
	}
	d.resp.Usage.OutputTokens = cmp.Or(tokenCount(u.Get("output_tokens")), d.resp.Usage.OutputTokens)
}

// beginBlock begins a content block.
func (d *Messages) beginBlock(ref string, v gjson.Result) *block {
	b := &block{node: node{budget: &d.nativeBudget}}
	d.reserveNative(nodeBytes + len(ref))
	b.node.merge("", v, maxMergeDepth)
	switch v.Get("type").Str {
	case "tool_use":
		b.call = d.queue.add(v.Get("id"), v.Get("name"), v.Get("input"))
		b.call.sources.Program = callerProgram(v.Get("caller"))
	case "text":
		d.addText(jsonTexts{v.Get("text")}, nil)
	case "thinking":
		d.addText(nil, jsonTexts{v.Get("thinking")})
	}
	if id := v.Get("tool_use_id"); id.Str != "" && d.sources != nil {
		if d.sources.ServerResults == nil {
			d.sources.ServerResults = map[string]bool{}
		}
		d.sources.ServerResults[strings.Clone(id.Str)] = true
	}
	d.blocks = append(d.blocks, b)
	d.byRef[ref] = b
	return b
}

// callerProgram returns the ID of the program that made a call, or else its type; "" for the
// model.
func callerProgram(caller gjson.Result) string {
	kind := caller.Get("type").Str
	if kind == "direct" {
		return ""
	}
	return strings.Clone(cmp.Or(caller.Get("tool_id").Str, kind))
}

// readDelta reads a delta of a content block.
func (d *Messages) readDelta(ref string, v gjson.Result) error {
	b, kind := d.byRef[ref], v.Get("type").Str
	switch {
	case b == nil:
		return errors.New("delta for a content block that has not begun")
	case kind == "input_json_delta":
		return b.appendInput(&d.body, v.Get("partial_json"))
	case kind == "text_delta":
		d.addText(jsonTexts{v.Get("text")}, nil)
	case kind == "thinking_delta":
		d.addText(nil, jsonTexts{v.Get("thinking")})
	case kind == "citations_delta":
		v = gjson.Parse(`{"citations":[` + v.Get("citation").Raw + `]}`)
	}
	v.ForEach(func(k, v gjson.Result) bool {
		if k.Str != "type" {
			b.node.member(k.Str).merge(k.Str, v, maxMergeDepth)
		}
		return true
	})
	return nil
}

// appendInput appends a delta of the input.
func (b *block) appendInput(from *body, v gjson.Result) error {
	if b.ended && !isBlank(v.Str) {
		return errAfterEnd
	}
	if from.exceedsArguments(len(b.input) + len(v.Str)) {
		return nil
	}
	b.sources = append(b.sources, from.segmentsOf(len(b.input), v)...)
	b.input = append(b.input, v.Str...)
	from.reserveNative(len(v.Str))
	return nil
}

// endBlock ends a content block.
func (d *Messages) endBlock(b *block) {
	if b == nil || b.ended {
		return
	}
	b.ended = true
	b.setInput()
	if b.call != nil {
		b.call.ended = true
		d.queue.emitEnded(d.addCall)
	}
}

// setInput sets the input from its deltas. Without deltas the input of the block's start counts,
// which is usually {}.
func (b *block) setInput() {
	if isBlank(b.input) {
		return
	}
	if b.call != nil {
		b.call.args, b.call.sources.Arguments = b.input, b.sources
	}
	input := node{kind: '"', inParts: true, text: b.input}
	if validateJSON(b.input) == nil {
		input = node{kind: '{', raw: string(b.input)}
	}
	*b.node.member("input") = input
}

// readMessage reads the members of a message. At its start it usually has no blocks and no
// stop_reason.
func (d *Messages) readMessage(v gjson.Result) {
	d.setModel(v.Get("model"))
	d.setUsage(v.Get("usage"))
	d.each(v.Get("content"), func(item gjson.Result) { d.endBlock(d.beginBlock("", item)) })
	if reason := v.Get("stop_reason"); reason.Str != "" && d.err == nil {
		d.finish(reason)
	}
}

// wholeMessage reads a message that is not streamed.
func (d *Messages) wholeMessage(v gjson.Result) {
	d.readMessage(v)
	if d.err != nil {
		return
	}
	d.finish(gjson.Result{})
	d.done = true
}

// finish reads a stop_reason; the first one counts.
func (d *Messages) finish(reason gjson.Result) {
	if d.resp.Stop != "" {
		return
	}
	d.setStop(reason)
	for _, b := range d.blocks {
		if !b.ended {
			b.setInput()
			b.ended = true
		}
	}
	d.queue.emitAll(d.resp.Stop, d.addCall)
}

// end reports whether the response is complete.
func (d *Messages) end(bool) bool { return d.resp.Stop != "" }

// native returns the content blocks, unless they are only text.
func (d *Messages) native() *chat.Native {
	body, more := []byte("["), false
	for i, b := range d.blocks {
		body = appendComma(body, i)
		at := len(body)
		body = b.node.append(body)
		more = more || !isPlainText(gjson.ParseBytes(body[at:]))
	}
	if !more {
		return nil
	}
	return &chat.Native{API: "messages", Body: append(body, ']')}
}

// isPlainText reports whether a content block is only text.
func isPlainText(b gjson.Result) bool {
	plain := b.Get("type").Str == "text"
	b.ForEach(func(k, v gjson.Result) bool {
		plain = plain && (k.Str == "type" || k.Str == "text" || !hasContent(v.Raw))
		return plain
	})
	return plain
}
