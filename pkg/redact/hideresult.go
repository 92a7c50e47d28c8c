package redact

import "oneshot/pkg/chat"

// HideResult returns a copy of a tool result with secrets masked, for the model and the record.
func (s *Set) HideResult(r chat.Result) chat.Result {
	if s.IsEmpty() {
		return r
	}
	r.Data, r.Question = s.HideJSON(r.Data), s.Hide(r.Question)
	if r.Error != nil {
		e := *r.Error
		e.Message = s.Hide(e.Message)
		r.Error = &e
	}
	return r
}
