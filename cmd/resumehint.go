package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// approveHint says what admits the calls that wait.
func (o *runOptions) approveHint(err error) string {
	var waiting *agent.ApprovalError
	errors.As(err, &waiting)
	admit := ""
	for _, q := range waiting.Requests {
		admit += " --approve-call " + q.Approval
	}
	if o.runPath == "" {
		return "an approval needs the record of its run: omit --no-run-file, or use --approve tty"
	}
	return o.resumeCommand(admit)
}

// withResumeHint adds to the error of a run how it goes on, where it has come somewhere.
func (o *runOptions) withResumeHint(err error) error {
	var limit *agent.LimitError
	begun := o.outcome.Turns > 1 || len(o.outcome.Calls) > 0 || o.outcome.Answer != nil || errors.As(err, &limit) && limit.Answered
	flags := ""
	switch name := exitOf(err).Name; {
	case err == nil, !begun, !o.canResume(err), slices.Contains([]string{"needs", "unknown_outcome", "broken_pipe", "internal"}, name):
		return err
	case errors.As(err, &limit):
		flags = " " + maxFlag(limit) + " N"
	case as[*agent.TimeoutError](err):
		flags = " --timeout DURATION"
	case name == "rejected":
		flags = " --model MODEL"
	}
	hint := "to continue: " + o.resumeCommand(flags)
	if so := hintOf(err); so != "" {
		hint = so + "; " + hint
	}
	return &hintedError{err, hint}
}

// stoppedShort reports whether the run ended in a change without an authorisation, which is made when it goes on. Of
// other calls without one the model was told, and it has ended the work.
func (o *runOptions) stoppedShort() bool {
	return o.onDenied != "continue" && slices.ContainsFunc(o.outcome.Calls, func(c agent.CallReport) bool {
		return c.Code == chat.Unauthorized && c.Effect != tool.Read
	})
}

// isRecordLost reports whether the record is not there any more, as it was written.
func isRecordLost(err error) bool {
	var broken *runfile.WriteError
	return errors.As(err, &broken) && broken.Op == "check"
}

// resumeCommand is the command by which the run goes on, with more flags.
func (o *runOptions) resumeCommand(flags string) string {
	if o.runPath == "" {
		return "run it again with" + flags
	}
	for _, name := range o.secretFlags {
		flags = " --" + name + " VALUE" + flags
	}
	return "oneshot run --resume " + runArgument(o.runPath) + flags
}

// runArgument returns how a command line names a run file so that [runsOptions.find] takes it for a path and not
// for an ID.
func runArgument(path string) string {
	path = shortestPath(path)
	if !isRunPath(path) {
		path = "." + string(filepath.Separator) + path
	}
	return shellQuote(path)
}

// shortestPath returns the path of a file as it is shorter: from here, or as it is.
func shortestPath(path string) string {
	if rel, err := filepath.Rel(".", path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// damagedRecordError says of a record that cannot go on which it is, and what can still be done with it.
func damagedRecordError(path string, err error) error {
	var damage *runfile.DamageError
	errors.As(err, &damage)
	hint := "it cannot be resumed; start a new run"
	if damage.Line > 1 {
		hint = "it cannot be resumed; oneshot runs show " + runArgument(path) + " shows the records before that line"
	}
	return &hintedError{fmt.Errorf("--resume %s: %w", path, err), hint}
}
