package anthropic

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

// A reader reads an event stream or one whole message. message_stop ends the stream.
//
// The native message is the array of content blocks, merged with all their members. Only
// tool_use blocks are client calls: the server executes the others itself.
type reader struct {
	*wire.Response
	blocks   []*block // in the order in which they began
	byRef    map[string]*block
	begun    bool   // message_start has arrived
	id       string // of the message
	uncached int    // input tokens that are neither read from the cache nor written to it
}

type block struct {
	node    wire.Node
	call    *wire.PendingCall // of a tool_use
	input   []byte            // the merged input deltas
	sources []wire.Segment    // of input
	ended   bool
}

// Message reads an event or a whole message.
func (d *reader) Message(v gjson.Result) (bool, error) {
	ref := wire.StringOrNumber(v.Get("index"))
	switch v.Get("type").Str {
	case "message_start":
		return true, d.beginMessage(v.Get("message"))
	case "content_block_start":
		if d.Stop != "" {
			return true, wire.ErrLateResponse
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
		d.End()
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
func (d *reader) beginMessage(message gjson.Result) error {
	id := wire.StringOrNumber(message.Get("id"))
	if d.begun && (id != d.id || len(d.blocks) > 0) {
		return wire.ErrSpliced
	}
	d.begun, d.id = true, id
	d.readMessage(message)
	return nil
}

// setUsage records the usage. A later one has better numbers, but not always all. The server counts cached input
// separately.
func (d *reader) setUsage(u gjson.Result) {
	latest := func(name string, last int) int { return cmp.Or(wire.TokenCount(u.Get(name)), last) }
	d.uncached = latest("input_tokens", d.uncached)
	d.Usage.CacheWriteTokens = latest("cache_creation_input_tokens", d.Usage.CacheWriteTokens)
	d.Usage.CachedInputTokens = latest("cache_read_input_tokens", d.Usage.CachedInputTokens)
	d.Usage.InputTokens = d.uncached + d.Usage.CacheWriteTokens + d.Usage.CachedInputTokens
	d.Usage.OutputTokens = latest("output_tokens", d.Usage.OutputTokens)
	d.Usage.ReasoningTokens = latest("output_tokens_details.thinking_tokens", d.Usage.ReasoningTokens)
}

// beginBlock begins a content block.
func (d *reader) beginBlock(ref string, v gjson.Result) *block {
	b := &block{node: d.NewNode()}
	d.ReserveEntry(len(ref))
	b.node.Merge("", v)
	switch v.Get("type").Str {
	case "tool_use":
		b.call = d.BeginCall(v.Get("id"), v.Get("name"), v.Get("input"))
		b.call.Sources.Program = callerProgram(v.Get("caller"))
	case "text":
		d.AddText(wire.Texts{v.Get("text")}, nil)
	case "thinking":
		d.AddText(nil, wire.Texts{v.Get("thinking")})
	}
	d.NoteServerResult(v.Get("tool_use_id"))
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
func (d *reader) readDelta(ref string, v gjson.Result) error {
	b, kind := d.byRef[ref], v.Get("type").Str
	switch {
	case b == nil:
		return errors.New("delta for a content block that has not begun")
	case kind == "input_json_delta":
		return b.appendInput(d.Response, v.Get("partial_json"))
	case kind == "text_delta":
		d.AddText(wire.Texts{v.Get("text")}, nil)
	case kind == "thinking_delta":
		d.AddText(nil, wire.Texts{v.Get("thinking")})
	case kind == "citations_delta":
		v = gjson.Parse(`{"citations":[` + v.Get("citation").Raw + `]}`)
	}
	v.ForEach(func(k, v gjson.Result) bool {
		if k.Str != "type" {
			b.node.EnsureMember(k.Str).Merge(k.Str, v)
		}
		return true
	})
	return nil
}

// appendInput appends a delta of the input.
func (b *block) appendInput(r *wire.Response, v gjson.Result) error {
	if b.ended && strings.TrimSpace(v.Str) != "" {
		return wire.ErrAfterEnd
	}
	if r.ExceedsArguments(len(b.input) + len(v.Str)) {
		return nil
	}
	b.sources = append(b.sources, r.SegmentsOf(len(b.input), v)...)
	b.input = append(b.input, v.Str...)
	r.ReserveNative(len(v.Str))
	return nil
}

// endBlock ends a content block.
func (d *reader) endBlock(b *block) {
	if b == nil || b.ended {
		return
	}
	b.ended = true
	b.setInputFromDeltas()
	d.EndCall(b.call)
}

// setInputFromDeltas sets the input from its deltas. Without deltas the input of the block's start counts,
// which is usually {}.
func (b *block) setInputFromDeltas() {
	if len(bytes.TrimSpace(b.input)) == 0 {
		return
	}
	if b.call != nil {
		b.call.Args, b.call.Sources.Arguments = b.input, b.sources
	}
	input := wire.TextNode(b.input)
	if jsontext.Value(b.input).IsValid() {
		input = wire.RawNode(string(b.input))
	}
	*b.node.EnsureMember("input") = input
}

// readMessage reads the members of a message. At its start it usually has no blocks and no
// stop_reason.
func (d *reader) readMessage(v gjson.Result) {
	d.SetModel(v.Get("model"))
	d.setUsage(v.Get("usage"))
	d.Each(v.Get("content"), func(item gjson.Result) { d.endBlock(d.beginBlock("", item)) })
	if reason := v.Get("stop_reason"); reason.Str != "" && !d.Failed() {
		d.finish(reason)
	}
}

// wholeMessage reads a message that is not streamed.
func (d *reader) wholeMessage(v gjson.Result) {
	d.readMessage(v)
	if d.Failed() {
		return
	}
	d.finish(gjson.Result{})
	d.End()
}

// finish reads a stop_reason; the first one counts.
func (d *reader) finish(reason gjson.Result) {
	if d.Stop != "" {
		return
	}
	d.SetStop(reason)
	for _, b := range d.blocks {
		if !b.ended {
			b.setInputFromDeltas()
			b.ended = true
		}
	}
	d.EmitAllCalls(d.Stop)
}

// Native returns the content blocks, unless they are only text.
func (d *reader) Native() []byte {
	body, more := []byte("["), false
	for i, b := range d.blocks {
		body = wire.AppendComma(body, i)
		at := len(body)
		body = b.node.Append(body)
		more = more || !isPlainText(gjson.ParseBytes(body[at:]))
	}
	if !more {
		return nil
	}
	return append(body, ']')
}

// isPlainText reports whether a content block is only text.
func isPlainText(b gjson.Result) bool {
	plain := b.Get("type").Str == "text"
	b.ForEach(func(k, v gjson.Result) bool {
		plain = plain && (k.Str == "type" || k.Str == "text" || !wire.HasContent(v.Raw))
		return plain
	})
	return plain
}
