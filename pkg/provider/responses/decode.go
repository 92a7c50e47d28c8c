package responses

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A reader reads an event stream or one whole response. It ends with response.completed,
// response.incomplete or response.failed.
//
// The native message is the array of output items in their final form.
type reader struct {
	*wire.Response
	calls         map[string]*wire.PendingCall // by item key
	streamedItems map[string]bool              // keys of the items whose text arrived in deltas
	output        []outputItem
	id            string // of the response
	hasRefusal    bool
}

// An outputItem is a finished item of the output.
type outputItem struct {
	index int // in the output, if the server sends it
	raw   string
}

func newReader(r *wire.Response) wire.Reader {
	return &reader{Response: r, calls: map[string]*wire.PendingCall{}, streamedItems: map[string]bool{}}
}

// Message reads an event or a whole response.
func (d *reader) Message(v gjson.Result) (bool, error) {
	ref := itemKey(v)
	switch event := v.Get("type").Str; event {
	case "response.created":
		return true, d.beginResponse(v.Get("response"))
	case "response.output_text.delta":
		d.addItemDelta(ref, wire.Texts{v.Get("delta")}, nil)
	case "response.refusal.delta":
		d.hasRefusal = true
		d.addItemDelta(ref, wire.Texts{v.Get("delta")}, nil)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.addItemDelta(ref, nil, wire.Texts{v.Get("delta")})
	case "response.output_item.added":
		d.dropEndedCall(ref)
		d.beginCall(ref, v.Get("item"))
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		return true, d.readArguments(ref, v.Get("delta"))
	case "response.function_call_arguments.done":
		d.endCall(d.calls[ref], v.Get("arguments"))
	case "response.custom_tool_call_input.done":
		d.endCall(d.calls[ref], v.Get("input"))
	case "response.output_item.done":
		d.readItem(ref, wire.TokenCount(v.Get("output_index")), v.Get("item"))
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		d.finish(v.Get("response"))
	case "":
		if !v.Get("output").IsArray() {
			return false, nil
		}
		d.finish(v)
	default:
		return strings.HasPrefix(event, "response."), nil
	}
	return true, nil
}

// itemKey returns the key of an event's item: its index or, for servers that do not send it, its
// id.
func itemKey(v gjson.Result) string {
	return cmp.Or(wire.StringOrNumber(v.Get("output_index")), wire.StringOrNumber(v.Get("item_id")), wire.StringOrNumber(v.Get("item.id")))
}

// beginResponse reads the start of the response.
func (d *reader) beginResponse(response gjson.Result) error {
	id := wire.StringOrNumber(response.Get("id"))
	if d.id != "" && id != d.id {
		return wire.ErrSpliced
	}
	d.id = id
	d.SetModel(response.Get("model"))
	return nil
}

// addItemDelta adds a text delta of an item.
func (d *reader) addItemDelta(ref string, content, reasoning wire.Texts) {
	if !d.streamedItems[ref] {
		d.streamedItems[ref] = true
		d.ReserveEntry(len(ref))
	}
	d.AddText(content, reasoning)
}

// dropEndedCall frees the key of an ended call: Ollama gives all calls of a response the same
// index.
func (d *reader) dropEndedCall(ref string) {
	if c := d.calls[ref]; c != nil && c.Ended {
		delete(d.calls, ref)
	}
}

// beginCall begins an item if it is a call.
func (d *reader) beginCall(ref string, item gjson.Result) *wire.PendingCall {
	if !isCall(item) {
		return nil
	}
	c := d.calls[ref]
	if c == nil {
		c = d.BeginCall(item.Get("call_id"), item.Get("name"), gjson.Result{})
		c.Custom = item.Get("type").Str == "custom_tool_call"
		d.calls[ref] = c
	}
	return c
}

// readArguments reads an arguments delta of a call.
func (d *reader) readArguments(ref string, text gjson.Result) error {
	c := d.calls[ref]
	if c == nil {
		return wire.ErrUnknownCall
	}
	return d.AppendArguments(c, text)
}

// endCall ends a call with its complete arguments. LM Studio sends the arguments only here.
func (d *reader) endCall(c *wire.PendingCall, args gjson.Result) {
	if c != nil && !c.Ended {
		c.SetArguments(args)
		c.Ended = len(c.Args) > 0
		d.EmitEndedCalls()
	}
}

// readItem reads a finished item.
func (d *reader) readItem(ref string, index int, v gjson.Result) {
	switch v.Get("type").Str {
	case "message":
		d.Each(v.Get("content"), func(part gjson.Result) {
			refusal := part.Get("refusal")
			d.hasRefusal = d.hasRefusal || refusal.Str != ""
			d.addItemText(ref, wire.Texts{part.Get("text"), refusal}, nil)
		})
	case "reasoning":
		d.addItemText(ref, nil, append(d.TextsOf(v.Get("summary")), d.TextsOf(v.Get("content"))...))
	case "function_call", "custom_tool_call":
		if c := d.beginCall(ref, v); !c.Ended {
			c.SetArguments(v.Get("arguments"), v.Get("input"))
			c.Ended = v.Get("status").Str != "incomplete"
			d.EmitEndedCalls()
		}
	}
	if v.IsObject() && !d.Failed() {
		if d.ReserveEntry(len(v.Raw)); !d.ExceedsNative() {
			d.output = append(d.output, outputItem{index, strings.Clone(v.Raw)})
		}
	}
}

// addItemText adds the text of an item that did not arrive in deltas.
func (d *reader) addItemText(ref string, content, reasoning wire.Texts) {
	if !d.streamedItems[ref] {
		d.AddText(content, reasoning)
	}
}

// finish reads the end of the response, or a whole one.
func (d *reader) finish(response gjson.Result) {
	d.SetModel(response.Get("model"))
	if e := wire.ParseErrorMember(response.Get("error")); e.IsSet() {
		d.FailServer(response, e)
		return
	}
	usage := response.Get("usage") // before the calls, which may exceed the limit
	d.Usage = chat.Usage{
		InputTokens: wire.TokenCount(usage.Get("input_tokens")), OutputTokens: wire.TokenCount(usage.Get("output_tokens")),
		CachedInputTokens: wire.TokenCount(usage.Get("input_tokens_details.cached_tokens")),
		CacheWriteTokens:  wire.TokenCount(usage.Get("input_tokens_details.cache_write_tokens")),
		ReasoningTokens:   wire.TokenCount(usage.Get("output_tokens_details.reasoning_tokens")),
	}
	if len(d.output) == 0 {
		i := 0
		d.Each(response.Get("output"), func(item gjson.Result) {
			d.readItem(strconv.Itoa(i), i, item)
			i++
		})
	}
	if d.Failed() {
		return
	}
	reason := response.Get("status")
	if why := response.Get("incomplete_details.reason"); why.Str != "" {
		reason = why
	}
	d.SetStop(reason)
	if d.hasRefusal {
		d.Stop = chat.StopOther
	}
	d.EmitAllCalls(d.Stop)
	d.End()
}

// Native returns the items in the order of the output, unless they are only text or an item is
// missing for a call.
func (d *reader) Native() []byte {
	slices.SortStableFunc(d.output, func(a, b outputItem) int { return cmp.Compare(a.index, b.index) })
	body, more, calls := []byte("["), false, 0
	for i, item := range d.output {
		v := gjson.Parse(item.raw)
		body = append(wire.AppendComma(body, i), item.raw...)
		more = more || !isPlainMessage(v)
		if isCall(v) {
			calls++
		}
	}
	if !more || calls != d.CallCount() {
		return nil
	}
	return append(body, ']')
}

// isCall reports whether an item is a client call.
func isCall(item gjson.Result) bool {
	kind := item.Get("type").Str
	return kind == "function_call" || kind == "custom_tool_call"
}

// isPlainMessage reports whether an item is only text.
func isPlainMessage(item gjson.Result) bool {
	plain := item.Get("type").Str == "message"
	item.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "id", "type", "status", "role":
		case "content":
			v.ForEach(func(_, part gjson.Result) bool {
				plain = plain && !wire.HasContent(part.Get("annotations").Raw) && part.Get("type").Str == "output_text"
				return plain
			})
		default:
			plain = plain && !wire.HasContent(v.Raw)
		}
		return plain
	})
	return plain
}
