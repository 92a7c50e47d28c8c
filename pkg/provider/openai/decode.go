package openai

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A reader reads a body of /chat/completions, of OpenAI or one of the many servers that implement
// it: an event stream of chunks or one whole object, whichever arrives. Only the first choice
// counts.
//
// The response is complete if a finish_reason has arrived and the body ends, with or without a
// "[DONE]". A "[DONE]" alone completes it with [chat.StopOther]: the server has sent everything,
// but the model may not have finished, and routers also send it after a broken upstream. Without
// either the response is truncated: Ollama ends like that if the model's process dies.
//
// A refusal is text like any other, with [chat.StopOther].
type reader struct {
	*wire.Response
	calls        callIndex
	legacy       *call               // a function_call
	message      wire.Node           // merged from all deltas
	wholeMessage string              // the message, if it arrived whole
	id           string              // of the last message
	identity     wire.StreamIdentity // of the response
	hasRefusal   bool
}

func newReader(r *wire.Response) wire.Reader {
	r.EagerCalls = true
	return &reader{Response: r, message: r.NewNode()}
}

// Message reads a chunk or a whole response.
func (d *reader) Message(v gjson.Result) (bool, error) {
	if base := v.Get("base_resp"); base.Get("status_code").Num != 0 { // MiniMax
		d.FailServer(base, wire.ErrorReport{Message: cmp.Or(base.Get("status_msg").Str, base.Raw)})
		return true, nil
	}
	choices := v.Get("choices")
	d.SetModel(v.Get("model"))
	d.setUsage(v.Get("usage"))
	d.setUsage(v.Get("x_groq.usage"))
	if choice := d.FirstChoice(choices); choice.Exists() {
		d.setUsage(choice.Get("usage")) // Moonshot
		return true, d.readChoice(wire.StringOrNumber(v.Get("id")), choice)
	}
	return choices.IsArray() || !choices.Exists() && v.Get("usage").Exists(), nil
}

// setUsage records the usage, if there is any. Gemini and Grok count reasoning in the total only, not in
// completion_tokens.
func (d *reader) setUsage(u gjson.Result) {
	if !u.IsObject() {
		return
	}
	prompt, completion := u.Get("prompt_tokens_details"), u.Get("completion_tokens_details")
	d.Usage = chat.Usage{
		InputTokens: wire.TokenCount(u.Get("prompt_tokens")), OutputTokens: wire.TokenCount(u.Get("completion_tokens")),
		CachedInputTokens: cmp.Or(wire.TokenCount(prompt.Get("cached_tokens")),
			wire.TokenCount(u.Get("prompt_cache_hit_tokens")), // DeepSeek
			wire.TokenCount(u.Get("cached_tokens"))),          // Moonshot
		CacheWriteTokens: wire.TokenCount(prompt.Get("cache_write_tokens")), // OpenRouter
		ReasoningTokens:  wire.TokenCount(completion.Get("reasoning_tokens")),
	}
	if uncounted := wire.TokenCount(u.Get("total_tokens")) - d.Usage.Total(); uncounted > 0 {
		d.Usage.OutputTokens += uncounted
		d.Usage.ReasoningTokens = max(d.Usage.ReasoningTokens, uncounted)
	}
}

// readChoice reads the choice of a chunk or of a whole response.
func (d *reader) readChoice(id string, choice gjson.Result) error {
	if e := wire.ParseErrorMember(choice.Get("error")); e.IsSet() { // OpenRouter
		d.FailServer(choice, e)
		return nil
	}
	d.StopAtMark = chat.StopOther
	piece, reason := choice.Get("delta"), choice.Get("finish_reason")
	if message := choice.Get("message"); !piece.IsObject() && message.IsObject() {
		piece, d.wholeMessage = message, message.Raw
		d.End()
		d.ReserveNative(len(d.wholeMessage))
	}
	if err := d.readDelta(id, piece, reason.Str != ""); err != nil {
		return err
	}
	if reason.Str != "" || d.wholeMessage != "" {
		d.finish(reason)
	}
	return nil
}

// readDelta reads a delta or a whole message. An empty message may have any id: some routers
// invent the first one.
func (d *reader) readDelta(id string, v gjson.Result, ends bool) error {
	var p deltaFields
	v.ForEach(func(k, v gjson.Result) bool {
		p.set(k.Str, v)
		return true
	})
	content, reasoning, err := p.texts(d.Response)
	if err != nil {
		return err
	}
	calls := d.CallItems(p.calls)
	if d.Stop != "" && id != d.id && (content.Size() > 0 || len(calls) > 0) {
		return wire.ErrLateResponse
	}
	if (content.Size() > 0 || reasoning.Size() > 0 || len(calls) > 0 || ends) && !d.identity.Accepts(id) {
		return wire.ErrSpliced
	}
	d.id = id
	d.hasRefusal = d.hasRefusal || p.refusal.Str != ""
	d.AddText(content, reasoning)
	v.ForEach(func(k, v gjson.Result) bool {
		d.mergeNative(k.Str, v)
		return !d.Failed()
	})
	for i, call := range calls {
		if err := d.readToolCall(call, i, len(calls)); err != nil {
			return err
		}
	}
	err = d.readFunctionCall(p.function)
	d.EmitEndedCalls()
	return err
}

// mergeNative merges a member into the native message, unless that arrived whole. Calls are added
// when they are read.
func (d *reader) mergeNative(name string, v gjson.Result) {
	if !d.Failed() && d.wholeMessage == "" && name != "tool_calls" && name != "function_call" {
		d.message.EnsureMember(name).Merge(name, v)
	}
}

// readToolCall reads the i-th of n call deltas in one message.
func (d *reader) readToolCall(v gjson.Result, i, n int) error {
	if d.legacy != nil && d.legacy.Ended {
		return wire.ErrAfterEnd
	}
	p := parseCallDelta(v)
	if d.ExceedsKeyLen(p.values.id, p.values.name) {
		return nil
	}
	if d.wholeMessage == "" && d.CallCount() > 0 && p.isEmpty() && d.calls.hasNewIndex(p) {
		return nil
	}
	c := d.calls.lookup(p, i, n)
	if c == nil || d.wholeMessage != "" {
		c = newCall(d.BeginCall(p.values.id, p.values.name, gjson.Result{}), d.message.EnsureMember("tool_calls").AddItem())
		c.Custom = p.custom
		d.calls.all = append(d.calls.all, c)
	}
	d.calls.recordDelta(d.Response, c, p)
	c.mergeDelta(v)
	return d.AppendArguments(c.PendingCall, p.values.args)
}

// readFunctionCall reads a delta of the legacy function_call. Some servers always send one
// without a name, and some repeat a tool call in it, so it is held back.
func (d *reader) readFunctionCall(v gjson.Result) error {
	name, args := v.Get("name"), v.Get("arguments")
	if text := wire.ArgumentText(args); name.Str == "" && (text == "" || d.legacy == nil && text == "{}") {
		return nil
	}
	if d.legacy == nil {
		d.legacy = newCall(d.NewCall(), d.message.EnsureMember("function_call"))
		d.HoldPossibleDuplicate(d.legacy.PendingCall)
	}
	if name.Str != "" {
		d.legacy.Name, d.legacy.Sources.Name = strings.Clone(name.Str), d.SegmentsOf(0, name)
	}
	d.legacy.mergeFunction(d.legacy.node, "arguments", v)
	return d.AppendArguments(d.legacy.PendingCall, args)
}

// finish reads a finish_reason. An unclean one is final: some servers send a second reason.
func (d *reader) finish(reason gjson.Result) {
	if d.Stop == "" || d.Stop == chat.StopEnd {
		d.SetStop(reason)
	}
	if d.hasRefusal {
		d.Stop = chat.StopOther
	}
	d.EmitAllCalls(d.Stop)
}

// Native returns the message to send back to the server, unless it is only text or has calls in both forms.
func (d *reader) Native() []byte {
	if d.legacy != nil && d.legacy.Ended && len(d.calls.all) > 0 {
		return nil
	}
	if d.wholeMessage != "" {
		return wire.NativeUnlessText([]byte(d.wholeMessage))
	}
	return wire.NativeUnlessText(d.nativeJSON())
}

// nativeJSON returns the merged message with the emitted calls.
func (d *reader) nativeJSON() []byte {
	sent := 0
	for _, c := range d.calls.all {
		if c.Ended {
			c.setFinal()
			sent++
		}
	}
	d.message.Truncate("tool_calls", sent)
	if d.legacy != nil && d.legacy.Ended {
		d.legacy.setFinal()
	} else {
		d.message.Drop("function_call")
	}
	if role := d.message.EnsureMember("role"); role.IsEmpty() {
		*role = wire.RawNode(`"assistant"`)
	}
	return d.message.Append(nil)
}
