package gemini

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A reader reads one object, an event stream or a streamed array. Only the first candidate
// counts.
//
// Calls are emitted at the finishReason, because that may be MALFORMED_FUNCTION_CALL: the server
// could not parse a call and may send its reading of it. Such calls are not executable.
type reader struct {
	*wire.Response
	openCall *openCall           // a call whose arguments arrive in pieces
	identity wire.StreamIdentity // of the response
}

// An openCall is a call whose arguments arrive in pieces.
type openCall struct {
	*wire.PendingCall
	partialArgs wire.Node
}

// Message reads a chunk of the response, or all of it.
func (d *reader) Message(v gjson.Result) (bool, error) {
	candidates, blocked := v.Get("candidates"), v.Get("promptFeedback.blockReason")
	d.SetModel(v.Get("modelVersion"))
	if u := v.Get("usageMetadata"); u.Get("promptTokenCount").Exists() {
		thoughts := u.Get("thoughtsTokenCount")
		d.Usage = chat.Usage{
			InputTokens:       wire.TokenCount(u.Get("promptTokenCount"), u.Get("toolUsePromptTokenCount")),
			OutputTokens:      wire.TokenCount(u.Get("candidatesTokenCount"), thoughts),
			CachedInputTokens: wire.TokenCount(u.Get("cachedContentTokenCount")), ReasoningTokens: wire.TokenCount(thoughts),
		}
	}
	candidate := d.FirstChoice(candidates)
	if candidate.Exists() && !d.identity.Accepts(wire.StringOrNumber(v.Get("responseId"))) {
		return true, wire.ErrSpliced
	}
	var err error
	d.Each(candidate.Get("content.parts"), func(part gjson.Result) {
		if err == nil {
			err = d.readPart(part)
		}
	})
	if err != nil || d.Failed() {
		return false, err
	}
	if reason := candidate.Get("finishReason"); reason.Str != "" {
		d.finish(reason)
	} else if blocked.Exists() {
		d.finish(blocked)
	} else if d.Stop != "" && d.openCall == nil {
		d.emitCalls() // they came after the finishReason
	}
	return candidates.Exists() || blocked.Exists() || v.Get("usageMetadata").Exists(), nil
}

// readPart reads a content part.
func (d *reader) readPart(v gjson.Result) error {
	text, f := wire.Texts{v.Get("text")}, v.Get("functionCall")
	switch {
	case f.IsObject():
		return d.readFunctionCall(f)
	case v.Get("thought").Bool():
		d.AddText(nil, text)
	default:
		d.AddText(text, nil)
	}
	return nil
}

// readFunctionCall reads a call or a delta of one. A delta without a name belongs to the open
// call; the last one is empty or missing.
func (d *reader) readFunctionCall(f gjson.Result) error {
	if name := f.Get("name"); name.Str != "" || d.openCall == nil && d.isSeparateCall(f) {
		d.endCall()
		d.openCall = &openCall{d.BeginCall(f.Get("id"), name, f.Get("args")), d.NewObject()}
	}
	if d.openCall == nil {
		return nil
	}
	for _, arg := range d.Items(f.Get("partialArgs")) {
		if err := mergeArgument(&d.openCall.partialArgs, arg); err != nil {
			return err
		}
	}
	if !f.Get("willContinue").Bool() {
		d.endCall()
	}
	return nil
}

// isSeparateCall reports whether a delta without a name is a call of its own: it has content, or
// there is no call that it could end.
func (d *reader) isSeparateCall(f gjson.Result) bool {
	return d.CallCount() == 0 || wire.StringOrNumber(f.Get("id")) != "" || len(wire.ArgumentText(f.Get("args"))) > len("{}") || f.Get("partialArgs.0").Exists()
}

// endCall ends the open call.
func (d *reader) endCall() {
	if d.openCall != nil && len(d.openCall.Args) == 0 {
		d.openCall.Args = d.openCall.partialArgs.Append(nil)
	}
	d.openCall = nil
}

// finish reads a finishReason. Some servers send one in every chunk; an unclean one is final.
func (d *reader) finish(reason gjson.Result) {
	d.endCall()
	if d.Stop == "" || d.Stop == chat.StopEnd {
		d.SetStop(reason)
	}
	d.emitCalls()
}

// emitCalls emits the calls so far, which have ended.
func (d *reader) emitCalls() {
	for _, c := range d.PendingCalls() {
		c.Unparsed = d.Stop == chat.StopOther // kept as text only
	}
	d.EmitAllCalls(chat.StopEnd)
}

// Native returns nil: no client sends messages back to Gemini.
func (d *reader) Native() []byte { return nil }
