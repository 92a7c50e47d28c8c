package wire

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Chat decodes one body of OpenAI's /v1/chat/completions, or of one of the
// many servers that speak it: an event stream of chunks or one whole object,
// whichever comes, whatever was asked for. Only the first choice counts.
//
// The response is whole when a finish_reason has come and the body ends, with or
// without a "[DONE]". A "[DONE]" alone makes it whole with [chat.StopOther]: the
// server has said that there is no more, but not that the model was done, and
// routers say it also after a stream that broke behind them. Without either it
// is cut: Ollama ends like that when the process that runs the model dies.
//
// A refusal is text like any other, with [chat.StopOther].
type Chat struct {
	body
	queue   queue
	refs    refs
	legacy  *pending // a function_call
	parts   node     // the message, put together
	whole   string   // the message, if it came whole
	id      string   // of the last message
	one     identity // of the response
	begun   bool     // the choice has been there
	refused bool
}

// NewChat returns a decoder for a body of at most maxBytes bytes.
func NewChat(maxBytes int64) *Chat {
	d := &Chat{queue: queue{eager: true}}
	d.body = newBody(maxBytes, d)
	d.queue.body, d.parts.kept = &d.body, &d.kept
	return d
}

// message reads a chunk or a whole response.
func (d *Chat) message(v gjson.Result) (bool, error) {
	if base := v.Get("base_resp"); base.Get("status_code").Num != 0 { // of MiniMax
		d.noteFault(base)
		d.refuse(fault{message: cmp.Or(base.Get("status_msg").Str, base.Raw)})
		return true, nil
	}
	choices := v.Get("choices")
	d.named(v.Get("model"))
	d.use(v.Get("usage"))
	d.use(v.Get("x_groq.usage"))
	if choice := d.first(choices); choice.Exists() {
		d.use(choice.Get("usage")) // of Moonshot
		return true, d.choice(key(v.Get("id")), choice)
	}
	return choices.IsArray() || !choices.Exists() && v.Get("usage").Exists(), nil
}

// use notes the usage, if there is any.
func (d *Chat) use(u gjson.Result) {
	if u.IsObject() {
		d.resp.Usage = chat.Usage{InputTokens: count(u.Get("prompt_tokens")), OutputTokens: count(u.Get("completion_tokens"))}
	}
}

// choice reads the choice of a chunk or of a whole response.
func (d *Chat) choice(id string, choice gjson.Result) error {
	if f := errorFault(choice.Get("error")); f.said() { // of OpenRouter
		d.noteFault(choice)
		d.refuse(f)
		return nil
	}
	d.begun = true
	piece, reason := choice.Get("delta"), choice.Get("finish_reason")
	if message := choice.Get("message"); !piece.IsObject() && message.IsObject() {
		piece, d.whole, d.done = message, message.Raw, true
		d.keep(len(d.whole))
	}
	if err := d.piece(id, piece, reason.Str != ""); err != nil {
		return err
	}
	if reason.Str != "" || d.done {
		d.finish(reason)
	}
	return nil
}

// piece reads a delta, or the message if it comes whole. A message that says nothing may
// have any id: some routers make the first one themselves.
func (d *Chat) piece(id string, v gjson.Result, ends bool) error {
	var p chatPiece
	v.ForEach(func(k, v gjson.Result) bool {
		p.member(k.Str, v)
		return true
	})
	said, thought, err := p.texts(&d.body)
	if err != nil {
		return err
	}
	calls := d.callItems(p.calls)
	if d.resp.Stop != "" && id != d.id && (said.size() > 0 || len(calls) > 0) {
		return errLate
	}
	if (said.size() > 0 || thought.size() > 0 || len(calls) > 0 || ends) && !d.one.holds(id) {
		return errSpliced
	}
	d.id = id
	d.refused = d.refused || p.refusal.Str != ""
	d.say(said, thought)
	v.ForEach(func(k, v gjson.Result) bool {
		d.collect(k.Str, v)
		return d.err == nil
	})
	for i, call := range calls {
		if err := d.toolCall(call, i, len(calls)); err != nil {
			return err
		}
	}
	err = d.functionCall(p.function)
	d.queue.settle(d.call)
	return err
}

// collect adds a member to the message in the form of its server, unless that
// has come whole. Calls are added where they are read.
func (d *Chat) collect(name string, v gjson.Result) {
	if d.err == nil && d.whole == "" && name != "tool_calls" && name != "function_call" {
		d.parts.member(name).merge(name, v, deepest)
	}
}

// toolCall reads the i-th of n pieces of calls that stand in one message.
func (d *Chat) toolCall(v gjson.Result, i, n int) error {
	if d.legacy != nil && d.legacy.ended {
		return errAfter
	}
	p := readPiece(v)
	if d.exceedsKey(p.at.id, p.at.name) {
		return nil
	}
	if d.whole == "" && len(d.queue.calls) > 0 && p.empty() && d.refs.elsewhere(p) {
		return nil
	}
	c := d.refs.find(&d.queue, p, i, n)
	if c == nil || d.whole != "" {
		c = d.queue.add(p.at.id, p.at.name, gjson.Result{})
		c.custom = p.custom
		c.form = newCallForm(d.parts.member("tool_calls").item())
	}
	d.refs.note(c, p)
	c.form.collect(v)
	return d.queue.write(c, p.at.args)
}

// functionCall reads a piece of the call in the older form. Some servers always
// send one, without a name, and some send it beside the same one in the newer
// form: so it waits for the end.
func (d *Chat) functionCall(v gjson.Result) error {
	name, args := v.Get("name"), v.Get("arguments")
	if text := written(args); name.Str == "" && (text == "" || d.legacy == nil && text == "{}") {
		return nil
	}
	if d.legacy == nil {
		d.legacy = &pending{form: newCallForm(d.parts.member("function_call")), body: &d.body}
	}
	if name.Str != "" {
		d.legacy.name, d.legacy.from.Name = strings.Clone(name.Str), d.placed(0, name)
	}
	d.legacy.form.collectFunction(d.legacy.form.call, "arguments", v)
	return d.legacy.write(args)
}

// finish reads a finish_reason. What is not clean stays so: some servers name a
// second reason.
func (d *Chat) finish(reason gjson.Result) {
	if d.resp.Stop == "" || d.resp.Stop == chat.StopEnd {
		d.stopped(reason)
	}
	if d.refused {
		d.resp.Stop = chat.StopOther
	}
	if d.legacy != nil && len(d.queue.calls) == 0 {
		d.queue.calls = append(d.queue.calls, d.legacy)
	}
	d.queue.finish(d.resp.Stop, d.call)
}

// end reports whether the response is whole.
func (d *Chat) end(marked bool) bool {
	if marked && d.begun && d.resp.Stop == "" {
		d.resp.Stop = chat.StopOther
	}
	return d.resp.Stop != ""
}

// native returns the message as the server would have it back, unless it is
// nothing but text.
func (d *Chat) native() *chat.Native {
	if d.whole != "" {
		return nativeMessage("chat", []byte(d.whole))
	}
	return nativeMessage("chat", d.rebuilt())
}

// rebuilt returns the message that has been put together, with the calls that
// have been handed on.
func (d *Chat) rebuilt() []byte {
	sent := 0
	for _, c := range d.queue.calls[:d.queue.sent] {
		c.form.fill(c)
		if c != d.legacy {
			sent++
		}
	}
	if sent == d.queue.sent {
		d.parts.drop("function_call")
	}
	if tools := d.parts.of["tool_calls"]; tools != nil {
		tools.items = tools.items[:sent]
	}
	if role := d.parts.member("role"); role.kind == 0 {
		*role = node{kind: '"', raw: `"assistant"`}
	}
	return d.parts.append(nil)
}
