package cmd

import (
	"errors"
	"fmt"
	"slices"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// approveHint returns the command that approves the waiting calls.
func (r *runState) approveHint(err error) string {
	var waiting *agent.ApprovalError
	errors.As(err, &waiting)
	admit := ""
	for _, q := range waiting.Requests {
		admit += " --approve-call " + q.Approval
	}
	if r.path == "" {
		return "an approval needs the record of its run: omit --no-run-file, or use --approve tty"
	}
	return r.resumeCommand(admit)
}

// withResumeHint adds the command that continues a run, if the run has made progress.
func (r *runState) withResumeHint(err error) error {
	var limit *agent.LimitError
	begun := r.outcome.Turns > 1 || len(r.outcome.Calls) > 0 || r.outcome.Answer != nil || errors.As(err, &limit) && limit.Answered
	flags := ""
	switch name := exitOf(err).Name; {
	case err == nil, !begun, !r.canResume(err), slices.Contains([]string{"needs", "unknown_outcome", "broken_pipe", "internal"}, name):
		return err
	case errors.As(err, &limit):
		flags = " " + maxFlag(limit) + " N"
	case as[*agent.TimeoutError](err):
		flags = " --timeout DURATION"
	case name == "rejected":
		flags = " --model MODEL"
	}
	hint := "to continue: " + r.resumeCommand(flags)
	if so := hintOf(err); so != "" {
		hint = so + "; " + hint
	}
	return &hintedError{err, hint}
}

// endedAtUnauthorizedCall reports whether the run ended at a change that lacked an authorisation; a resumed run repeats it.
// Other unauthorised calls were reported to the model, which then ended the work.
func (r *runState) endedAtUnauthorizedCall() bool {
	return r.flags.onDenied != "continue" && slices.ContainsFunc(r.outcome.Calls, func(c agent.CallReport) bool {
		return c.Code == chat.Unauthorized && c.Effect != tool.Read
	})
}

// isRecordReplaced reports whether the record has been removed or changed.
func isRecordReplaced(err error) bool {
	var broken *runfile.WriteError
	return errors.As(err, &broken) && broken.Op == "check"
}

// resumeCommand returns the command that continues the run, with further flags.
func (r *runState) resumeCommand(flags string) string {
	if r.path == "" {
		return "run it again with" + flags
	}
	for _, name := range r.secretFlags {
		flags = " --" + name + " VALUE" + flags
	}
	return "oneshot run --resume " + runPathArgument(r.path) + flags
}

// damagedRecordError is the error for a damaged record, with a hint at its readable part.
func damagedRecordError(path string, err error) error {
	var damage *runfile.DamageError
	errors.As(err, &damage)
	hint := "it cannot be resumed; start a new run"
	if damage.Line > 1 {
		hint = "it cannot be resumed; for the records before that line, see oneshot runs show " + runPathArgument(path)
	}
	return &hintedError{fmt.Errorf("--resume %s: %w", path, err), hint}
}

// answerHint returns the command that answers the questions of a run.
func (r *runState) answerHint(err error) string {
	var needs *agent.NeedsError
	errors.As(err, &needs)
	flags := ""
	for _, field := range needs.Fields() {
		flags += " --answer " + quote.Shell(field) + "=VALUE"
	}
	return r.resumeCommand(flags)
}
