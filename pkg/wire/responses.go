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
	queue   queue
	calls   map[string]*pending // by the places of their items
	heard   map[string]bool     // the places of the items whose text came in pieces
	output  []outputItem
	id      string // of the response
	refused bool
}

// An outputItem is an item of the output that is done.
type outputItem struct {
	index int // in the output, if the server says it
	raw   string
}

// NewResponses returns a decoder for a body of at most maxBytes bytes.
func NewResponses(maxBytes int64) *Responses {
	d := &Responses{calls: map[string]*pending{}, heard: map[string]bool{}}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads an event or a whole response.
func (d *Responses) message(v gjson.Result) (bool, error) {
	place := placeOf(v)
	switch event := v.Get("type").Str; event {
	case "response.created":
		return true, d.begin(v.Get("response"))
	case "response.output_text.delta":
		d.piece(place, texts{v.Get("delta")}, nil)
	case "response.refusal.delta":
		d.refused = true
		d.piece(place, texts{v.Get("delta")}, nil)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.piece(place, nil, texts{v.Get("delta")})
	case "response.output_item.added":
		d.added(place)
		d.begun(place, v.Get("item"))
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		return true, d.arguments(place, v.Get("delta"))
	case "response.function_call_arguments.done":
		d.over(d.calls[place], v.Get("arguments"))
	case "response.custom_tool_call_input.done":
		d.over(d.calls[place], v.Get("input"))
	case "response.output_item.done":
		d.item(place, count(v.Get("output_index")), v.Get("item"))
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

// placeOf returns the place of the item that an event is about: its index or,
// for servers that do not say it, its id.
func placeOf(v gjson.Result) string {
	return cmp.Or(key(v.Get("output_index")), key(v.Get("item_id")), key(v.Get("item.id")))
}

// begin reads the beginning of the response.
func (d *Responses) begin(response gjson.Result) error {
	id := key(response.Get("id"))
	if d.id != "" && id != d.id {
		return errSpliced
	}
	d.id = id
	d.named(response.Get("model"))
	return nil
}

// piece reads a piece of the text of an item.
func (d *Responses) piece(place string, content, reasoning texts) {
	if !d.heard[place] {
		d.heard[place] = true
		d.keep(nodeBytes + len(place))
	}
	d.say(content, reasoning)
}

// added makes room for an item where another one has ended: Ollama gives all
// calls of a response the same place.
func (d *Responses) added(place string) {
	if c := d.calls[place]; c != nil && c.ended {
		delete(d.calls, place)
	}
}

// begun reads the beginning of an item, which is of interest if it is a call.
func (d *Responses) begun(place string, item gjson.Result) *pending {
	if !isCall(item) {
		return nil
	}
	c := d.calls[place]
	if c == nil {
		c = d.queue.add(item.Get("call_id"), item.Get("name"), gjson.Result{})
		c.custom = item.Get("type").Str == "custom_tool_call"
		d.calls[place] = c
	}
	return c
}

// arguments reads a piece of the arguments of a call.
func (d *Responses) arguments(place string, text gjson.Result) error {
	c := d.calls[place]
	if c == nil {
		return errUnbegun
	}
	return d.queue.write(c, text)
}

// over ends a call, if it has arguments. These are said once more here; LM
// Studio says them only here.
func (d *Responses) over(c *pending, args gjson.Result) {
	if c != nil && !c.ended {
		c.replace(args)
		c.ended = len(c.args) > 0
		d.queue.settle(d.call)
	}
}

// item reads an item that is done.
func (d *Responses) item(place string, index int, v gjson.Result) {
	switch v.Get("type").Str {
	case "message":
		d.each(v.Get("content"), func(part gjson.Result) {
			refusal := part.Get("refusal")
			d.refused = d.refused || refusal.Str != ""
			d.unheard(place, texts{part.Get("text"), refusal}, nil)
		})
	case "reasoning":
		d.unheard(place, nil, append(d.allText(v.Get("summary")), d.allText(v.Get("content"))...))
	case "function_call", "custom_tool_call":
		if c := d.begun(place, v); !c.ended {
			c.replace(v.Get("arguments"), v.Get("input"))
			c.ended = v.Get("status").Str != "incomplete"
			d.queue.settle(d.call)
		}
	}
	if v.IsObject() && d.err == nil {
		if d.keep(nodeBytes + len(v.Raw)); !d.exceedsKept() {
			d.output = append(d.output, outputItem{index, strings.Clone(v.Raw)})
		}
	}
}

// unheard reads the text of an item whose text has not come in pieces.
func (d *Responses) unheard(place string, content, reasoning texts) {
	if !d.heard[place] {
		d.say(content, reasoning)
	}
}

// finish reads the end of the response, or a whole one.
func (d *Responses) finish(response gjson.Result) {
	d.named(response.Get("model"))
	if f := errorFault(response.Get("error")); f.said() {
		d.noteFault(response)
		d.refuse(f)
		return
	}
	usage := response.Get("usage") // before the calls, which can be too many
	d.resp.Usage = chat.Usage{InputTokens: count(usage.Get("input_tokens")), OutputTokens: count(usage.Get("output_tokens"))}
	if len(d.output) == 0 {
		i := 0
		d.each(response.Get("output"), func(item gjson.Result) {
			d.item(strconv.Itoa(i), i, item)
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
	d.stopped(reason)
	if d.refused {
		d.resp.Stop = chat.StopOther
	}
	d.queue.finish(d.resp.Stop, d.call)
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
		body = append(comma(body, i), item.raw...)
		more = more || !plainMessage(v)
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

// plainMessage reports whether an item is nothing but text.
func plainMessage(item gjson.Result) bool {
	plain := item.Get("type").Str == "message"
	item.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "id", "type", "status", "role":
		case "content":
			v.ForEach(func(_, part gjson.Result) bool {
				plain = plain && !says(part.Get("annotations").Raw) && part.Get("type").Str == "output_text"
				return plain
			})
		default:
			plain = plain && !says(v.Raw)
		}
		return plain
	})
	return plain
}
