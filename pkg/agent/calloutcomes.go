package agent

import (
	"errors"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// callOutcomes sums up the outcomes of the calls of a run.
type callOutcomes struct {
	reports      []*CallReport
	effects      Effects
	needs        map[string]*Needs         // by tool, until a call of it succeeds
	succeeded    map[string]bool           // tools with a successful call
	unauthorized map[string]*ToolAuthError // tools without authorization, until a call of them succeeds
}

func newCallOutcomes() callOutcomes {
	return callOutcomes{needs: map[string]*Needs{}, succeeded: map[string]bool{}, unauthorized: map[string]*ToolAuthError{}}
}

// addCall adds a call, with status skipped.
func (l *callOutcomes) addCall(inv *Invocation) *CallReport {
	report := &CallReport{ID: inv.call.ID, Tool: inv.call.Name, Status: CallSkipped, Arguments: inv.call.Arguments}
	if inv.def != nil {
		report.Effect = inv.def.Effect
	}
	l.reports = append(l.reports, report)
	return report
}

// addResult adds the result of a call.
func (l *callOutcomes) addResult(inv *Invocation) {
	updateNeeds(l.needs, inv.call.Name, inv.result)
	l.succeeded[inv.call.Name] = l.succeeded[inv.call.Name] || inv.result.OK()
	switch e := inv.result.Error; {
	case inv.def == nil:
	case inv.result.OK():
		delete(l.unauthorized, inv.def.Name)
	case e != nil && e.Code == chat.Unauthorized:
		l.unauthorized[inv.def.Name] = newToolAuthError(inv.def, e)
	}
}

// newToolAuthError returns the error of a call whose missing authorization ends the run.
func newToolAuthError(def *tool.Definition, e *chat.ToolError) *ToolAuthError {
	return &ToolAuthError{Tool: def.Name, Why: e.Message, Hint: def.Renew}
}

// toolsWithoutSuccess returns the names of the tools without a successful call.
func (l *callOutcomes) toolsWithoutSuccess(required []string) []string {
	return slices.DeleteFunc(slices.Clone(required), func(name string) bool { return l.succeeded[name] })
}

// authError returns the error of the first unauthorized tool among unmet, or nil. Another
// request would not help: the model cannot renew an authorization.
func (l *callOutcomes) authError(unmet []string) error {
	i := slices.IndexFunc(unmet, func(name string) bool { return l.unauthorized[name] != nil })
	if i < 0 {
		return nil
	}
	return l.unauthorized[unmet[i]]
}

// allDeniedError returns an error if calls were denied and no call was executed, else nil.
func (l *callOutcomes) allDeniedError() error {
	e := &AllDeniedError{Calls: len(l.reports)}
	for _, c := range l.reports {
		switch {
		case c.Status == CallDenied:
			e.Denied++
		case c.Status == CallSkipped, c.Status == CallDiscarded, c.Code == chat.InvalidArguments, c.Code == chat.UnknownTool:
		default:
			return nil
		}
	}
	if e.Denied == 0 {
		return nil
	}
	return e
}

// rootCause replaces a [UselessReplyError] by its likely cause: required work that is missing, or denied
// calls.
func (l *callOutcomes) rootCause(err error, required []string) error {
	unmet := l.toolsWithoutSuccess(required)
	switch {
	case !errors.As(err, new(*UselessReplyError)):
		return err
	case len(unmet) > 0:
		return &RequiredToolsError{Tools: unmet, Err: err}
	case l.allDeniedError() != nil:
		return l.allDeniedError()
	}
	return err
}
