package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/agent"
	"oneshot/pkg/batch"
	"oneshot/pkg/executor"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/runfile"
)

// An exit is an exit code with its documentation.
type exit struct {
	Code    int
	Name    string
	Meaning string
	Retry   runfile.Retry // for a command without effects; see recoveryWithoutEffects
}

// exits is the table of exit codes. explain, the names in JSON and the documents are generated from it.
var exits = []exit{
	{0, "ok", "the run answered, or the input is valid", runfile.RetryNo},
	{1, "findings", "findings at or above the threshold, invalid input, an answer that does not fit its schema after all repairs, or a replay that differs from its record", runfile.RetryNo},
	{2, "usage", "wrong command line, agent file, policy, tool definitions, schema or configuration, or an unknown model", runfile.RetryNo},
	{3, "input", "a named file or stdin is unreadable, empty or of the wrong kind", runfile.RetryNo},
	{4, "auth", "missing or rejected credentials, for the model or for a tool that the run requires", runfile.RetryAfterRepair},
	{5, "unavailable", "the model is unreachable or still answers 429 or 5xx after retries, or another run holds the lock", runfile.RetryLater},
	{6, "limit", "a budget is exhausted: turns, calls, identical calls, writes, tokens, cost, bytes or context (the envelope says which)", runfile.RetryWithMore},
	{7, "denied", "a change was denied, all calls were denied, or a required tool did not succeed", runfile.RetryNo},
	{8, "needs", "missing information or approval (the envelope says which)", runfile.RetryWithInput},
	{9, "no_answer", "the model gave no usable answer: empty, truncated or without a call", runfile.RetryLater},
	{10, "unknown_outcome", "after a crash the outcome of a write is unknown; it was not repeated", runfile.RetryByHand},
	{11, "rejected", "the model server rejects the request or does not speak the protocol: 400, 404, 413, a redirect, HTML, invalid UTF-8, oversized headers or an untrusted certificate", runfile.RetryNo},
	{70, "internal", "a bug in oneshot", runfile.RetryNo},
	{74, "io", "the answer or run file cannot be written (disk full, I/O error)", runfile.RetryAfterRepair},
	{124, "timeout", "a time limit expired: wall clock, first byte or idle", runfile.RetryWithMore},
	{129, "hangup", "SIGHUP: the terminal closed", runfile.RetryLater},
	{130, "interrupted", "SIGINT", runfile.RetryLater},
	{131, "quit", "SIGQUIT; prints stacks if ONESHOT_DEBUG=1", runfile.RetryLater},
	{141, "broken_pipe", "the reader closed stdout; silent, like SIGPIPE", runfile.RetryNo},
	{143, "terminated", "SIGTERM", runfile.RetryLater},
}

// exitNamed returns the exit with this name. It panics without one.
func exitNamed(name string) exit {
	for _, e := range exits {
		if e.Name == name {
			return e
		}
	}
	panic("no exit code is named " + name)
}

// exitTable renders the table as Markdown.
func exitTable() string {
	var b strings.Builder
	b.WriteString("| code | name | meaning | retry |\n|---|---|---|---|\n")
	for _, e := range exits {
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", e.Code, e.Name, e.Meaning, e.Retry)
	}
	return b.String()
}

// A usageError reports a wrong command line or configuration file.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usagef returns a usage error with a hint.
func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...), hint}
}

// An inputError reports a named file that cannot be read.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// A findingsError reports a negative result of a command that worked. The findings are already printed.
type findingsError struct{ summary string }

func (e *findingsError) Error() string { return e.summary }

// An outputError reports that stdout or an output file cannot be written.
type outputError struct{ err error }

func (e *outputError) Error() string { return "output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// An InterruptError reports that a signal ended the command.
type InterruptError struct{ Signal syscall.Signal }

func (e *InterruptError) Error() string { return "interrupted by " + unix.SignalName(e.Signal) }

// A panicError is a recovered panic.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("internal error: %v", e.value) }

// classes map errors to exits. The first class that an error, or anything it wraps, belongs to decides.
var classes = []struct {
	is   func(error) bool
	name string
}{
	{as[*panicError], "internal"},
	{isSignal(syscall.SIGTERM), "terminated"},
	{isSignal(syscall.SIGHUP), "hangup"},
	{isSignal(syscall.SIGQUIT), "quit"},
	{as[*InterruptError], "interrupted"},
	{isOutOfDescriptors, "io"},
	{as[*usageError], "usage"},
	{as[*lockHeldError], "unavailable"},
	{as[*outputLockedError], "unavailable"},
	{as[*batchLockedError], "unavailable"},
	{as[*missingSecretError], "auth"},
	{as[*secretError], "auth"},
	{isCollectorAuth, "auth"},
	{isCollectorRejection, "rejected"},
	{as[*collectorError], "unavailable"},
	{as[*runfile.LockedError], "unavailable"},
	{as[*runfile.DamageError], "input"},
	{isClosedPipe, "broken_pipe"},
	{as[*runfile.WriteError], "io"},
	{as[*runfile.SizeError], "limit"},
	{as[*outputError], "io"},
	{as[*inputError], "input"},
	{as[*findingsError], "findings"},
	{as[*failedRecordsError], "findings"},
	{as[*tooManyFailuresError], "findings"},
	{as[*agent.AnswerError], "findings"},
	{as[*agent.LimitError], "limit"},
	{as[*agent.TimeoutError], "timeout"},
	{as[*batchTimeoutError], "timeout"},
	{as[*batch.BudgetError], "limit"},
	{as[*agent.DeniedError], "denied"},
	{as[*agent.ToolAuthError], "auth"},
	{as[*agent.RequiredToolsError], "denied"},
	{as[*agent.AllDeniedError], "denied"},
	{as[*agent.NeedsError], "needs"},
	{as[*agent.ApprovalError], "needs"},
	{as[*agent.UnknownOutcomeError], "unknown_outcome"},
	{as[*agent.DivergedError], "input"},
	{as[*agent.UselessReplyError], "no_answer"},
	{as[*provider.AuthError], "auth"},
	{as[*provider.OverflowError], "limit"},
	{as[*provider.TimeoutError], "timeout"},
	{as[*provider.ReplayError], "findings"},
	{as[*executor.NoRecordError], "findings"},
	{as[*provider.UnknownModelError], "usage"},
	{as[*wire.ParameterError], "usage"},
	{as[*provider.AttachmentError], "usage"},
	{as[*provider.NameCollisionError], "usage"},
	{isResponseTooLarge, "limit"},
	{provider.IsRejection, "rejected"},
	{as[*provider.UnavailableError], "unavailable"},
	{as[*probeTimeoutError], "unavailable"},
	{as[noModelError], "unavailable"},
	{as[*provider.BrokenOffError], "unavailable"},
	{as[*provider.StatusError], "unavailable"},
	{func(err error) bool { return errors.Is(err, context.Canceled) }, "interrupted"},
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// isSignal returns a predicate for errors of a signal.
func isSignal(s syscall.Signal) func(error) bool {
	return func(err error) bool {
		var e *InterruptError
		return errors.As(err, &e) && e.Signal == s
	}
}

// isClosedPipe reports whether the reader closed stdout.
func isClosedPipe(err error) bool {
	return as[*outputError](err) && errors.Is(err, syscall.EPIPE)
}

// isOutOfDescriptors reports whether the process, or the system, has no file descriptor left.
func isOutOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// isResponseTooLarge reports whether a response was over the size limit.
func isResponseTooLarge(err error) bool {
	var e *wire.Error
	return errors.As(err, &e) && e.Kind == wire.TooLarge
}

// exitOf returns the exit for an error. An unclassified error is a bug.
func exitOf(err error) exit {
	if err == nil {
		return exitNamed("ok")
	}
	for _, c := range classes {
		if c.is(err) {
			return exitNamed(c.name)
		}
	}
	if e := new(provider.RecordedEndError); errors.As(err, &e) {
		return exitRecorded(e.End)
	}
	return exitNamed("internal")
}

// exitRecorded returns the exit of a recorded run.
func exitRecorded(end runfile.End) exit {
	for _, e := range exits {
		if e.Code == end.Exit && e.Code != 0 {
			return e
		}
	}
	return exitNamed("unavailable") // a code of another version
}

// A noModelError reports that a run has no usable model.
type noModelError struct{}

func (noModelError) Error() string { return "no usable model" }

// A probeTimeoutError reports a check that timed out.
type probeTimeoutError struct {
	what  string
	limit time.Duration
}

func (e *probeTimeoutError) Error() string {
	return fmt.Sprintf("%s: no answer within %v", e.what, e.limit)
}

// A lockHeldError reports that another run holds the lock.
type lockHeldError struct {
	name   string
	holder holder // zero if unknown
}

func (e *lockHeldError) Error() string {
	by := "another process"
	if e.holder.PID != 0 {
		by = fmt.Sprintf("process %d since %s", e.holder.PID, e.holder.Since.Format(time.RFC3339))
	}
	return fmt.Sprintf("lock %q is held by %s", e.name, by)
}

// A missingSecretError reports that no environment variable for a secret is set.
type missingSecretError struct {
	whose string   // the flag or the model that needs it
	names []string // of the variables
}

func (e *missingSecretError) Error() string {
	return e.whose + ": environment variable " + strings.Join(e.names, " or ") + " is unset or empty"
}

// A secretError reports a secret that cannot be read.
type secretError struct {
	name string
	err  error
	hint string
}

func (e *secretError) Error() string { return "secret " + e.name + ": " + e.err.Error() }

func (e *secretError) Unwrap() error { return e.err }

// A recovery is the advice after a command has failed.
type recovery struct {
	retry     runfile.Retry
	retryable bool   // the identical command may be run again, can succeed, and repeats no effect without its key
	resume    string // the command line that continues the run, or ""
}

// recoveryWithoutEffects returns the recovery of a command that has no effects.
func recoveryWithoutEffects(err error) recovery {
	retry := exitOf(err).Retry
	switch {
	case err == nil:
		retry = runfile.RetryNo
	case isReplayError(err), isResponseTooLarge(err), as[*runfile.SizeError](err):
		retry = runfile.RetryNo
	case as[*provider.TimeoutError](err):
		retry = runfile.RetryLater
	}
	return recovery{retry: retry, retryable: retry == runfile.RetryLater}
}

// isReplayError reports whether a replay failed in a way that depends only on its recording.
func isReplayError(err error) bool {
	return as[*provider.ReplayError](err) || as[*executor.NoRecordError](err) || as[*provider.RecordedEndError](err)
}
