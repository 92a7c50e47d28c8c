package redact

import (
	"slices"

	"oneshot/pkg/chat"
)

// HideResult returns a copy of a tool result with secrets masked, for the model and the record: in its data also all names
// of members, which belong to no schema.
func (s *Set) HideResult(r chat.Result) chat.Result {
	if s.IsEmpty() {
		return r
	}
	r.Data, r.Question = s.hideJSON(r.Data, s.Hide, true), s.Hide(r.Question)
	if r.Error != nil {
		e := *r.Error
		e.Message = s.Hide(e.Message)
		r.Error = &e
	}
	return r
}

// HideMessages returns a copy of messages with secrets masked in their texts and calls, as they are recorded.
func (s *Set) HideMessages(messages []chat.Message) []chat.Message {
	if s.IsEmpty() {
		return messages
	}
	messages = slices.Clone(messages)
	for i := range messages {
		m := &messages[i]
		m.Content, m.Calls, m.Native = s.Hide(m.Content), s.HideCalls(m.Calls), s.HideNative(m.Native)
	}
	return messages
}

// HideCalls returns a copy of calls with secrets masked in their arguments.
func (s *Set) HideCalls(calls []chat.Call) []chat.Call {
	calls = slices.Clone(calls)
	for i := range calls {
		calls[i].Arguments = s.HideData(calls[i].Arguments)
	}
	return calls
}

// HideNative returns a copy of a message in the form of its provider with secrets masked, nil for none.
func (s *Set) HideNative(native *chat.Native) *chat.Native {
	if native == nil {
		return nil
	}
	hidden := *native
	hidden.Body = s.HideData(native.Body)
	return &hidden
}
