package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Responses decodes one body of OpenAI's /v1/responses: a stream of events or
// one whole response. It ends with response.completed, response.incomplete or
// response.failed; what comes after is not read.
//
// The message in the form of its server is the array of the output items as
// they came when they were done.
type Responses struct {
	body
	queue         callQueue
	calls         map[string]*pendingCall // by the places of their items
	streamedItems map[string]bool         // the places of the items whose text came in pieces
	output        []outputItem
	id            string // of the response
	hasRefusal    bool
}

// An outputItem is an item of the output that is done.
type outputItem struct {
	index int // in the output, if the server says it
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

// itemKey returns the place of the item that an event is about: its index or,
// for servers that do not say it, its id.
func itemKey(v gjson.Result) string {
	return cmp.Or(idText(v.Get("output_index")), idText(v.Get("item_id")), idText(v.Get("item.id")))
}

// beginResponse reads the beginning of the response.
func (d *Responses) beginResponse(response gjson.Result) error {
	id := idText(response.Get("id"))
	if d.id != "" && id != d.id {
		return errSpliced
	}
	d.id = id
	d.setModel(response.Get("model"))
	return nil
}

// addItemDelta reads a piece of the text of an item.
func (d *Responses) addItemDelta(ref string, content, reasoning jsonTexts) {
	if !d.streamedItems[ref] {
		d.streamedItems[ref] = true
		d.reserveNative(nodeBytes + len(ref))
	}
	d.addText(content, reasoning)
}

// reopenItem makes room for an item where another one has ended: Ollama gives all
// calls of a response the same place.
func (d *Responses) reopenItem(ref string) {
	if c := d.calls[ref]; c != nil && c.ended {
		delete(d.calls, ref)
	}
}

// beginCall reads the beginning of an item, which is of interest if it is a call.
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

// readArguments reads a piece of the arguments of a call.
func (d *Responses) readArguments(ref string, text gjson.Result) error {
	c := d.calls[ref]
	if c == nil {
		return errUnknownCall
	}
	return d.queue.appendArguments(c, text)
}

// endCall ends a call, if it has arguments. These are said once more here; LM
// Studio says them only here.
func (d *Responses) endCall(c *pendingCall, args gjson.Result) {
	if c != nil && !c.ended {
		c.setArguments(args)
		c.ended = len(c.args) > 0
		d.queue.emitEnded(d.addCall)
	}
}

// readItem reads an item that is done.
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

// addItemText reads the text of an item whose text has not come in pieces.
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
	usage := response.Get("usage") // before the calls, which can be too many
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

// end reports whether the response is whole: only its last event makes it so.
func (d *Responses) end(bool) bool { return false }

// native returns the items in the order of the output, unless they are nothing
// but text. Where a call never became an item that is done, they are not the
// message.
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

// isCall reports whether an item is a call of ours.
func isCall(item gjson.Result) bool {
	kind := item.Get("type").Str
	return kind == "function_call" || kind == "custom_tool_call"
}

// isPlainMessage reports whether an item is nothing but text.
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
