package agent

import (
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// unauthorized is the error of a call that the run cannot do without.
func unauthorized(def *tool.Definition, e *chat.ToolError) *UnauthorizedError {
	return &UnauthorizedError{Tool: def.Name, Why: e.Message, Hint: def.Renew}
}

// noteAuthorisation keeps that a tool has no authorisation until a call of it succeeds.
func (r *run) noteAuthorisation(s *invocation) {
	switch e := s.result.Error; {
	case s.def == nil:
	case s.result.OK():
		delete(r.unauthorized, s.def.Name)
	case e != nil && e.Code == chat.Unauthorized:
		r.unauthorized[s.def.Name] = unauthorized(s.def, e)
	}
}

// renewal is what the person who looks on is told of an authorisation that is missing; the
// model cannot renew it and is not told.
func (s *invocation) renewal() string {
	if e := s.result.Error; e != nil && e.Code == chat.Unauthorized && s.def.Renew != "" {
		return " (" + s.def.Renew + ")"
	}
	return ""
}

// blockedByAuth is the error of the first of some required tools that has no authorisation, nil if
// each has: to ask for its calls again is in vain.
func (r *run) blockedByAuth(undone []string) error {
	i := slices.IndexFunc(undone, func(name string) bool { return r.unauthorized[name] != nil })
	if i < 0 {
		return nil
	}
	return r.unauthorized[undone[i]]
}
