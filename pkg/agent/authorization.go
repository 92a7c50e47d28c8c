package agent

import (
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// newUnauthorizedError returns the error of a call whose missing authorization ends the run.
func newUnauthorizedError(def *tool.Definition, e *chat.ToolError) *UnauthorizedError {
	return &UnauthorizedError{Tool: def.Name, Why: e.Message, Hint: def.Renew}
}

// trackAuthorization marks a tool as unauthorized until a call of it succeeds.
func (r *run) trackAuthorization(inv *invocation) {
	switch e := inv.result.Error; {
	case inv.def == nil:
	case inv.result.OK():
		delete(r.unauthorized, inv.def.Name)
	case e != nil && e.Code == chat.Unauthorized:
		r.unauthorized[inv.def.Name] = newUnauthorizedError(inv.def, e)
	}
}

// renewalHint tells the user how to renew a missing authorization. The model does not get it,
// because it cannot renew anything.
func (inv *invocation) renewalHint() string {
	if e := inv.result.Error; e != nil && e.Code == chat.Unauthorized && inv.def.Renew != "" {
		return " (" + inv.def.Renew + ")"
	}
	return ""
}

// blockedByAuth returns the error of the first unauthorized tool among unmet, or nil. Another
// request would not help: the model cannot renew an authorization.
func (r *run) blockedByAuth(unmet []string) error {
	i := slices.IndexFunc(unmet, func(name string) bool { return r.unauthorized[name] != nil })
	if i < 0 {
		return nil
	}
	return r.unauthorized[unmet[i]]
}
