package wire

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Gemini decodes one body of Gemini's generateContent: one object, an event stream or a
// streamed array. Only the first candidate counts. The response is complete if a finishReason
// has arrived and the body ends.
//
// Calls are emitted at the finishReason, because that may be MALFORMED_FUNCTION_CALL: the server
// could not parse a call and may send its reading of it. Such calls are not executable.
type Gemini struct {
	body
	queue    callQueue
	openCall *geminiCall    // a call whose arguments arrive in pieces
	identity streamIdentity // of the response
}

// A geminiCall is a call whose arguments arrive in pieces.
type geminiCall struct {
	*pendingCall
	partialArgs node
}

// NewGemini returns a decoder for a body of at most maxBytes bytes.
func NewGemini(maxBytes int64) *Gemini {
	d := &Gemini{}
	d.body = newBody(maxBytes, d)
	d.queue.body = &d.body
	return d
}

// message reads a chunk of the response, or all of it.
func (d *Gemini) message(v gjson.Result) (bool, error) {
	candidates, blocked := v.Get("candidates"), v.Get("promptFeedback.blockReason")
	d.setModel(v.Get("modelVersion"))
	if u := v.Get("usageMetadata"); u.Get("promptTokenCount").Exists() {
		output := tokenCount(u.Get("candidatesTokenCount")) + tokenCount(u.Get("thoughtsTokenCount"))
		d.resp.Usage = chat.Usage{InputTokens: tokenCount(u.Get("promptTokenCount")), OutputTokens: output}
	}
	candidate := d.firstChoice(candidates)
	if candidate.Exists() && !d.identity.accepts(idText(v.Get("responseId"))) {
		return true, errSpliced
	}
	var err error
	d.each(candidate.Get("content.parts"), func(part gjson.Result) {
		if err == nil {
			err = d.readPart(part)
		}
	})
	if err != nil || d.err != nil {
		return false, err
	}
	if reason := candidate.Get("finishReason"); reason.Str != "" {
		d.finish(reason)
	} else if blocked.Exists() {
		d.finish(blocked)
	}
	return candidates.Exists() || blocked.Exists() || v.Get("usageMetadata").Exists(), nil
}

// readPart reads a content part.
func (d *Gemini) readPart(v gjson.Result) error {
	text, f := jsonTexts{v.Get("text")}, v.Get("functionCall")
	switch {
	case f.IsObject():
		return d.readFunctionCall(f)
	case v.Get("thought").Bool():
		d.addText(nil, text)
	default:
		d.addText(text, nil)
	}
	return nil
}

// readFunctionCall reads a call or a delta of one. A delta without a name belongs to the open
// call; the last one is empty or missing.
func (d *Gemini) readFunctionCall(f gjson.Result) error {
	if name := f.Get("name"); name.Str != "" || d.openCall == nil && d.isUnnamedCall(f) {
		d.endCall()
		d.openCall = &geminiCall{pendingCall: d.queue.add(f.Get("id"), name, f.Get("args"))}
		d.openCall.partialArgs = node{kind: '{', inParts: true, budget: &d.nativeBudget}
	}
	if d.openCall == nil {
		return nil
	}
	for _, arg := range d.items(f.Get("partialArgs")) {
		if err := mergeArgument(&d.openCall.partialArgs, arg); err != nil {
			return err
		}
	}
	if !f.Get("willContinue").Bool() {
		d.endCall()
	}
	return nil
}

// isUnnamedCall reports whether a delta without a name is a call of its own: it has content, or
// there is no call that it could end.
func (d *Gemini) isUnnamedCall(f gjson.Result) bool {
	return len(d.queue.calls) == 0 || idText(f.Get("id")) != "" || len(argumentText(f.Get("args"))) > len("{}") || f.Get("partialArgs.0").Exists()
}

// endCall ends the open call.
func (d *Gemini) endCall() {
	if d.openCall != nil && len(d.openCall.args) == 0 {
		d.openCall.args = d.openCall.partialArgs.append(nil)
	}
	d.openCall = nil
}

// finish reads a finishReason. Some servers send one in every chunk; an unclean one is final.
func (d *Gemini) finish(reason gjson.Result) {
	d.endCall()
	if d.resp.Stop == "" || d.resp.Stop == chat.StopEnd {
		d.setStop(reason)
	}
	for _, c := range d.queue.calls[d.queue.sent:] {
		c.unparsed = d.resp.Stop == chat.StopOther // kept as text only
	}
	d.queue.emitAll(chat.StopEnd, d.addCall)
}

// end reports whether the response is complete.
func (d *Gemini) end(bool) bool { return d.resp.Stop != "" }

// native returns nil: no client sends messages back to Gemini.
func (d *Gemini) native() *chat.Native { return nil }
