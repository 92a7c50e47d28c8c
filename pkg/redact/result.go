package redact

import "oneshot/pkg/chat"

// HideResult returns a result as a model and a record may get it: without secrets that its tool
// came across. The tool's own stays as it is.
func (s *Set) HideResult(r chat.Result) chat.Result {
	if s.None() {
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
