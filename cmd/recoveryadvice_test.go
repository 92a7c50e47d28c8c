package cmd

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// A way describes the effects of a run that failed.
type way struct {
	effects agent.Effects
	cut     bool // the run ended during a change
}

// D8, decision 2: the recovery of each exit after no effect, a keyed effect, an unkeyed effect, and an unkeyed change that was
// cut off. "!" means retryable, "+" that a command line resumes the run.
func TestRecovery(t *testing.T) {
	wall := 10 * time.Minute
	for _, row := range []struct {
		err  error
		want string
	}{
		{nil, "ok: no no no no"},
		{&findingsError{}, "findings: no no no no"},
		{&usageError{err: errors.New("u")}, "usage: no no no no"},
		{&inputError{errors.New("i")}, "input: no no no no"},
		{&provider.AuthError{}, "auth: after_repair+ after_repair+ after_repair+ by_hand+"},
		{&provider.UnavailableError{Err: errors.New("u")}, "unavailable: later!+ later+ later+ by_hand+"},
		{&provider.ReplayError{}, "findings: no no no no"},
		{&agent.LimitError{Budget: "turns"}, "limit: with_more+ with_more+ with_more+ by_hand+"},
		{&agent.LimitError{Budget: "calls", Why: "of a policy"}, "limit: with_more by_hand by_hand by_hand"},
		{&agent.AnswerError{}, "findings: no+ no+ no+ no+"},
		{&agent.RequiredToolsError{}, "denied: no+ no+ no+ no+"},
		{&agent.AllDeniedError{}, "denied: no no no no"},
		{&agent.UselessReplyError{}, "no_answer: later!+ later+ later+ by_hand+"},
		{&agent.DeniedError{}, "denied: no no no no"},
		{&agent.NeedsError{}, "needs: with_input+ with_input+ with_input+ by_hand+"},
		{&agent.UnknownOutcomeError{}, "unknown_outcome: by_hand+ by_hand+ by_hand+ by_hand+"},
		{&provider.StatusError{Status: 400}, "rejected: no+ no+ no+ no+"},
		{&panicError{}, "internal: no+ no+ no+ no+"},
		{&outputError{syscall.ENOSPC}, "io: after_repair+ after_repair+ after_repair+ by_hand+"},
		{&runfile.WriteError{Op: "check", Err: errors.New("gone")}, "io: after_repair by_hand by_hand by_hand"},
		{&agent.TimeoutError{Limit: wall}, "timeout: with_more+ with_more+ with_more+ by_hand+"},
		{&provider.TimeoutError{}, "timeout: later!+ later+ later+ by_hand+"},
		{&InterruptError{syscall.SIGHUP}, "hangup: later!+ later+ later+ by_hand+"},
		{&InterruptError{syscall.SIGINT}, "interrupted: later!+ later+ later+ by_hand+"},
		{&InterruptError{syscall.SIGQUIT}, "quit: later!+ later+ later+ by_hand+"},
		{&InterruptError{syscall.SIGTERM}, "terminated: later!+ later+ later+ by_hand+"},
		{&outputError{syscall.EPIPE}, "broken_pipe: no+ no+ no+ no+"},
		{context.Canceled, "interrupted: later!+ later+ later+ by_hand+"},
	} {
		got := exitOf(row.err).Name + ":"
		for _, w := range []way{{}, {effects: agent.KeyedEffects}, {effects: agent.UnkeyedEffects}, {agent.UnkeyedEffects, true}} {
			got += " " + recoveryAfter(w, row.err, func(o *runState) { o.flags.limits.Wall = wall })
		}
		if got != row.want {
			t.Errorf("%v:\n got %s\nwant %s", row.err, got, row.want)
		}
	}
}

// recoveryAfter returns the recovery of a run in the form of the table.
func recoveryAfter(w way, err error, set func(*runState)) string {
	o := &runState{flags: &resolvedFlags{}, recorded: &recordedRun{}, path: "run.jsonl", outcome: agent.Outcome{Effects: w.effects}}
	if w.cut {
		o.interrupted = []string{"the call t1c1"}
	}
	set(o)
	r := o.recovery(err)
	return string(r.retry) + map[bool]string{true: "!"}[r.retryable] + map[bool]string{true: "+"}[r.resume != ""]
}

// The recovery depends on the command line: resumed runs, runs without a record, batches and replays.
func TestRecoveryOfCommands(t *testing.T) {
	down := &provider.UnavailableError{Err: errors.New("down")}
	for _, tt := range []struct {
		name string
		way  way
		want string
		set  func(*runState)
	}{
		{"resumed, nothing changed", way{}, "later!+", func(o *runState) { o.recorded.resumed = &resumed{} }},
		{"resumed, under its keys", way{effects: agent.KeyedEffects}, "later!+", func(o *runState) { o.recorded.resumed = &resumed{} }},
		{"resumed, without keys", way{effects: agent.UnkeyedEffects}, "later+", func(o *runState) { o.recorded.resumed = &resumed{} }},
		{"the name of the record is taken", way{}, "later+", func(o *runState) { o.flags.record.file = "run.jsonl" }},
		{"no record", way{}, "later!", func(o *runState) { o.path = "" }},
		{"of a batch, nothing changed", way{}, "later!", func(o *runState) { o.path, o.batch = "", &batchRun{} }},
		{"of a batch, under its keys", way{effects: agent.KeyedEffects}, "by_hand", func(o *runState) { o.path, o.batch = "", &batchRun{} }},
		{"no record of a change", way{effects: agent.KeyedEffects}, "by_hand", func(o *runState) { o.path = "" }},
		{"a replay", way{}, "later!", func(o *runState) { o.recorded.replay = &recording{} }},
		{"a replay whose tools are played", way{effects: agent.UnkeyedEffects}, "later!", func(o *runState) { o.recorded.replay, o.flags.model.names = &recording{}, []string{"replay:run.jsonl"} }},
	} {
		if got := recoveryAfter(tt.way, down, tt.set); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A batch runs a failed record anew, with other keys, so a person decides if its run has changed something.
func TestRecoveryOfRecords(t *testing.T) {
	ofBatch := func(o *runState) { o.batch = &batchRun{} }
	for _, err := range []error{&agent.AnswerError{}, &agent.DeniedError{}, &provider.StatusError{Status: 400}, &panicError{}, &agent.NeedsError{}} {
		for _, effects := range []agent.Effects{agent.KeyedEffects, agent.UnkeyedEffects} {
			if got := recoveryAfter(way{effects: effects}, err, ofBatch); got != "by_hand" {
				t.Errorf("%T: %s", err, got)
			}
		}
	}
}

// Each exit of the table has a valid value for retry.
func TestExitRetries(t *testing.T) {
	for _, e := range exits {
		if !slices.Contains(runfile.Retries(), e.Retry) {
			t.Errorf("exit %d: retry is %q", e.Code, e.Retry)
		}
	}
}

// D8: a command that hangs after a signal is abandoned. If its run has started, a change can be under way.
func TestRecoveryOfAbandonedRun(t *testing.T) {
	env := Env{Getenv: func(string) string { return "" }}
	command := newConsole(env)
	end, signal := command.forkForExit(env), &InterruptError{syscall.SIGTERM}
	if got := end.recovery(signal); got != (recovery{retry: runfile.RetryLater}) {
		t.Errorf("before the run: %+v", got)
	}
	for _, of := range []*runState{{recorded: &recordedRun{}}, {recorded: &recordedRun{replay: &recording{}}, path: "run.jsonl"}, {recorded: &recordedRun{}, path: "run.jsonl", batch: &batchRun{}}} {
		if got := of.resumeIfAbandoned(); got != "" {
			t.Errorf("%+v: %s", of, got)
		}
	}
	resume := (&runState{recorded: &recordedRun{}, path: "run.jsonl"}).resumeIfAbandoned()
	if resume != "oneshot run --resume run.jsonl" {
		t.Errorf("resumed with %s", resume)
	}
	command.resume.Store(&resume)
	if got := end.recovery(signal); got != (recovery{retry: runfile.RetryByHand, resume: resume}) {
		t.Errorf("in the run: %+v", got)
	}
}
