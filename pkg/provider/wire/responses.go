package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Responses decodes one body of OpenAI's /v1/responses: an event stream or one whole response.
// It ends with response.completed, response.incomplete or response.failed; anything after that
// is not read.
//
// The native message is the array of output items in their final form.
type Responses struct {
	body
	queue         callQueue
	calls         map[string]*pendingCall // by item key
	streamedItems map[string]bool         // keys of the items whose text arrived in deltas
	output        []outputItem
	id            string // of the response
	hasRefusal    bool
}

// An outputItem is a finished item of the output.
type outputItem struct {
	index int // in the output, if the server sends it
	raw   string
}

// NewResponses returns a decoder for a body of at most maxBytes bytes.
func NewResponses(maxBytes int64) *Responses {
	d := &Responses{calls: map[string]*pendingCall{}, streamedItems: map[string]bool{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole response.
func (d *Responses) message(v gjson.Result) (bool, error) {
	ref := itemKey(v)
	switch event := v.Get("type").Str; event {
	case "response.created":
		return true, d.beginResponse(v.Get("response"))
	case "response.output_text.delta":
		d.addItemDelta(ref, jsonTexts{v.Get("delta")}, nil)
	case "response.refusal.delta":
		d.hasRefusal = true
		d.addItemDelta(ref, jsonTexts{v.Get("delta")}, nil)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.addItemDelta(ref, nil, jsonTexts{v.Get("delta")})
	case "response.output_item.added":
		d.reopenItem(ref)
		d.beginCall(ref, v.Get("item"))
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		return true, d.readArguments(ref, v.Get("delta"))
	case "response.function_call_arguments.done":
		d.endCall(d.calls[ref], v.Get("arguments"))
	case "response.custom_tool_call_input.done":
		d.endCall(d.calls[ref], v.Get("input"))
	case "response.output_item.done":
		d.readItem(ref, tokenCount(v.Get("output_index")), v.Get("item"))
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
	return cmp.Or(idText(v.Get("output_index")), idText(v.Get("item_id")), idText(v.Get("item.id")))
}

// beginResponse reads the start of the response.
func (d *Responses) beginResponse(response gjson.Result) error {
	id := idText(response.Get("id"))
	if d.id != "" && id != d.id {
		return errSpliced
	}
	d.id = id
	d.setModel(response.Get("model"))
	return nil
}

// addItemDelta adds a text delta of an item.
func (d *Responses) addItemDelta(ref string, content, reasoning jsonTexts) {
	if !d.streamedItems[ref] {
		d.streamedItems[ref] = true
		d.reserveNative(nodeBytes + len(ref))
	}
	d.addText(content, reasoning)
}

// reopenItem frees the key of an ended call: Ollama gives all calls of a response the same
// index.
func (d *Responses) reopenItem(ref string) {
	if c := d.calls[ref]; c != nil && c.ended {
		delete(d.calls, ref)
	}
}

// beginCall begins an item if it is a call.
func (d *Responses) beginCall(ref string, item gjson.Result) *pendingCall {
	if !isCall(item) {
		return nil
	}
	c := d.calls[ref]
	if c == nil {
		c = d.queue.add(item.Get("call_id"), item.Get("name"), gjson.Result{})
		c.isCustom = item.Get("type").Str == "custom_tool_call"
		d.calls[ref] = c
	}
	return c
}

// readArguments reads an arguments delta of a call.
func (d *Responses) readArguments(ref string, text gjson.Result) error {
	c := d.calls[ref]
	if c == nil {
		return errUnknownCall
	}
	return d.queue.appendArguments(c, text)
}

// endCall ends a call with its complete arguments. LM Studio sends the arguments only here.
func (d *Responses) endCall(c *pendingCall, args gjson.Result) {
	if c != nil && !c.ended {
		c.setArguments(args)
		c.ended = len(c.args) > 0
		d.queue.emitEnded(d.addCall)
	}
}

// readItem reads a finished item.
func (d *Responses) readItem(ref string, index int, v gjson.Result) {
	switch v.Get("type").Str {
	case "message":
		d.each(v.Get("content"), func(part gjson.Result) {
			refusal := part.Get("refusal")
			d.hasRefusal = d.hasRefusal || refusal.Str != ""
			d.addItemText(ref, jsonTexts{part.Get("text"), refusal}, nil)
		})
	case "reasoning":
		d.addItemText(ref, nil, append(d.textsOf(v.Get("summary")), d.textsOf(v.Get("content"))...))
	case "function_call", "custom_tool_call":
		if c := d.beginCall(ref, v); !c.ended {
			c.setArguments(v.Get("arguments"), v.Get("input"))
			c.ended = v.Get("status").Str != "incomplete"
			d.queue.emitEnded(d.addCall)
		}
	}
	if v.IsObject() && d.err == nil {
		if d.reserveNative(nodeBytes + len(v.Raw)); !d.exceedsNative() {
			d.output = append(d.output, outputItem{index, strings.Clone(v.Raw)})
		}
	}
}

// addItemText adds the text of an item that did not arrive in deltas.
func (d *Responses) addItemText(ref string, content, reasoning jsonTexts) {
	if !d.streamedItems[ref] {
		d.addText(content, reasoning)
	}
}

// finish reads the end of the response, or a whole one.
func (d *Responses) finish(response gjson.Result) {
	d.setModel(response.Get("model"))
	if f := parseErrorMember(response.Get("error")); f.isSet() {
		d.noteErrorSource(response)
		d.failServer(f)
		return
	}
	usage := response.Get("usage") // before the calls, which may exceed the limit
	d.resp.Usage = chat.Usage{InputTokens: tokenCount(usage.Get("input_tokens")), OutputTokens: tokenCount(usage.Get("output_tokens"))}
	if len(d.output) == 0 {
		i := 0
		d.each(response.Get("output"), func(item gjson.Result) {
			d.readItem(strconv.Itoa(i), i, item)
			i++
		})
	}
	if d.err != nil {
		return
	}
	reason := response.Get("status")
	if why := response.Get("incomplete_details.reason"); why.Str != "" {
		reason = why
	}
	d.setStop(reason)
	if d.hasRefusal {
		d.resp.Stop = chat.StopOther
	}
	d.queue.emitAll(d.resp.Stop, d.addCall)
	d.done = true
}

// end returns false: only the last event completes the response.
func (d *Responses) end(bool) bool { return false }

// native returns the items in the order of the output, unless they are only text or an item is
// missing for a call.
func (d *Responses) native() *chat.Native {
	slices.SortStableFunc(d.output, func(a, b outputItem) int { return cmp.Compare(a.index, b.index) })
	body, more, calls := []byte("["), false, 0
	for i, item := range d.output {
		v := gjson.Parse(item.raw)
		body = append(appendComma(body, i), item.raw...)
		more = more || !isPlainMessage(v)
		if isCall(v) {
			calls++
		}
	}
	if !more || calls != len(d.queue.calls) {
		return nil
	}
	return &chat.Native{API: "responses", Body: append(body, ']')}
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
				plain = plain && !hasContent(part.Get("annotations").Raw) && part.Get("type").Str == "output_text"
				return plain
			})
		default:
			plain = plain && !hasContent(v.Raw)
		}
		return plain
	})
	return plain
}
