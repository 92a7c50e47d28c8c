package wire

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Chat decodes one body of OpenAI's /v1/chat/completions, or of one of the many servers that
// implement it: an event stream of chunks or one whole object, whichever arrives. Only the first
// choice counts.
//
// The response is complete if a finish_reason has arrived and the body ends, with or without a
// "[DONE]". A "[DONE]" alone completes it with [chat.StopOther]: the server has sent everything,
// but the model may not have finished, and routers also send it after a broken upstream. Without
// either the response is truncated: Ollama ends like that if the model's process dies.
//
// A refusal is text like any other, with [chat.StopOther].
type Chat struct {
	body
	queue        callQueue
	callIndex    callIndex
	legacy       *pendingCall   // a function_call
	nativeParts  node           // the merged message
	wholeMessage string         // the message, if it arrived whole
	id           string         // of the last message
	identity     streamIdentity // of the response
	begun        bool           // the choice has arrived
	hasRefusal   bool
}

// NewChat returns a decoder for a body of at most maxBytes bytes.
func NewChat(maxBytes int64) *Chat {
	d := &Chat{queue: callQueue{eager: true}}
	d.body = newBody(maxBytes, d)
	d.queue.body, d.nativeParts.budget = &d.body, &d.nativeBudget
	return d
}

// message reads a chunk or a whole response.
func (d *Chat) message(v gjson.Result) (bool, error) {
	if base := v.Get("base_resp"); base.Get("status_code").Num != 0 { // MiniMax
		d.noteErrorSource(base)
		d.failServer(errorReport{message: cmp.Or(base.Get("status_msg").Str, base.Raw)})
		return true, nil
	}
	choices := v.Get("choices")
	d.setModel(v.Get("model"))
	d.setUsage(v.Get("usage"))
	d.setUsage(v.Get("x_groq.usage"))
	if choice := d.firstChoice(choices); choice.Exists() {
		d.setUsage(choice.Get("usage")) // Moonshot
		return true, d.readChoice(idText(v.Get("id")), choice)
	}
	return choices.IsArray() || !choices.Exists() && v.Get("usage").Exists(), nil
}

// setUsage records the usage, if there is any.
func (d *Chat) setUsage(u gjson.Result) {
	if u.IsObject() {
		d.resp.Usage = chat.Usage{InputTokens: tokenCount(u.Get("prompt_tokens")), OutputTokens: tokenCount(u.Get("completion_tokens"))}
	}
}

// readChoice reads the choice of a chunk or of a whole response.
func (d *Chat) readChoice(id string, choice gjson.Result) error {
	if f := parseErrorMember(choice.Get("error")); f.isSet() { // OpenRouter
		d.noteErrorSource(choice)
		d.failServer(f)
		return nil
	}
	d.begun = true
	piece, reason := choice.Get("delta"), choice.Get("finish_reason")
	if message := choice.Get("message"); !piece.IsObject() && message.IsObject() {
		piece, d.wholeMessage, d.done = message, message.Raw, true
		d.reserveNative(len(d.wholeMessage))
	}
	if err := d.readDelta(id, piece, reason.Str != ""); err != nil {
		return err
	}
	if reason.Str != "" || d.done {
		d.finish(reason)
	}
	return nil
}

// readDelta reads a delta or a whole message. An empty message may have any id: some routers
// invent the first one.
func (d *Chat) readDelta(id string, v gjson.Result, ends bool) error {
	var p deltaFields
	v.ForEach(func(k, v gjson.Result) bool {
		p.set(k.Str, v)
		return true
	})
	content, reasoning, err := p.texts(&d.body)
	if err != nil {
		return err
	}
	calls := d.callItems(p.calls)
	if d.resp.Stop != "" && id != d.id && (content.size() > 0 || len(calls) > 0) {
		return errLateResponse
	}
	if (content.size() > 0 || reasoning.size() > 0 || len(calls) > 0 || ends) && !d.identity.accepts(id) {
		return errSpliced
	}
	d.id = id
	d.hasRefusal = d.hasRefusal || p.refusal.Str != ""
	d.addText(content, reasoning)
	v.ForEach(func(k, v gjson.Result) bool {
		d.addNative(k.Str, v)
		return d.err == nil
	})
	for i, call := range calls {
		if err := d.readToolCall(call, i, len(calls)); err != nil {
			return err
		}
	}
	err = d.readFunctionCall(p.function)
	d.queue.emitEnded(d.addCall)
	return err
}

// addNative merges a member into the native message, unless that arrived whole. Calls are added
// when they are read.
func (d *Chat) addNative(name string, v gjson.Result) {
	if d.err == nil && d.wholeMessage == "" && name != "tool_calls" && name != "function_call" {
		d.nativeParts.member(name).merge(name, v, maxMergeDepth)
	}
}

// readToolCall reads the i-th of n call deltas in one message.
func (d *Chat) readToolCall(v gjson.Result, i, n int) error {
	if d.legacy != nil && d.legacy.ended {
		return errAfterEnd
	}
	p := parseCallDelta(v)
	if d.exceedsKey(p.values.id, p.values.name) {
		return nil
	}
	if d.wholeMessage == "" && len(d.queue.calls) > 0 && p.isEmpty() && d.callIndex.isOtherCall(p) {
		return nil
	}
	c := d.callIndex.lookup(&d.queue, p, i, n)
	if c == nil || d.wholeMessage != "" {
		c = d.queue.add(p.values.id, p.values.name, gjson.Result{})
		c.isCustom = p.custom
		c.native = newNativeCall(d.nativeParts.member("tool_calls").addItem())
	}
	d.callIndex.record(c, p)
	c.native.add(v)
	return d.queue.appendArguments(c, p.values.args)
}

// readFunctionCall reads a delta of the legacy function_call. Some servers always send one
// without a name, and some repeat a tool call in it, so it waits for the end.
func (d *Chat) readFunctionCall(v gjson.Result) error {
	name, args := v.Get("name"), v.Get("arguments")
	if text := argumentText(args); name.Str == "" && (text == "" || d.legacy == nil && text == "{}") {
		return nil
	}
	if d.legacy == nil {
		d.legacy = &pendingCall{native: newNativeCall(d.nativeParts.member("function_call")), body: &d.body}
	}
	if name.Str != "" {
		d.legacy.name, d.legacy.sources.Name = strings.Clone(name.Str), d.segmentsOf(0, name)
	}
	d.legacy.native.addFunction(d.legacy.native.call, "arguments", v)
	return d.legacy.appendArguments(args)
}

// finish reads a finish_reason. An unclean one is final: some servers send a second reason.
func (d *Chat) finish(reason gjson.Result) {
	if d.resp.Stop == "" || d.resp.Stop == chat.StopEnd {
		d.setStop(reason)
	}
	if d.hasRefusal {
		d.resp.Stop = chat.StopOther
	}
	if d.legacy != nil && len(d.queue.calls) == 0 {
		d.queue.calls = append(d.queue.calls, d.legacy)
	}
	d.queue.emitAll(d.resp.Stop, d.addCall)
}

// end reports whether the response is complete.
func (d *Chat) end(marked bool) bool {
	if marked && d.begun && d.resp.Stop == "" {
		d.resp.Stop = chat.StopOther
	}
	return d.resp.Stop != ""
}

// native returns the message to send back to the server, unless it is only text.
func (d *Chat) native() *chat.Native {
	if d.wholeMessage != "" {
		return nativeMessage("chat", []byte(d.wholeMessage))
	}
	return nativeMessage("chat", d.nativeJSON())
}

// nativeJSON returns the merged message with the emitted calls.
func (d *Chat) nativeJSON() []byte {
	sent := 0
	for _, c := range d.queue.calls[:d.queue.sent] {
		c.native.setFinal(c)
		if c != d.legacy {
			sent++
		}
	}
	if sent == d.queue.sent {
		d.nativeParts.drop("function_call")
	}
	if tools := d.nativeParts.members["tool_calls"]; tools != nil {
		tools.items = tools.items[:sent]
	}
	if role := d.nativeParts.member("role"); role.kind == 0 {
		*role = node{kind: '"', raw: `"assistant"`}
	}
	return d.nativeParts.append(nil)
}
