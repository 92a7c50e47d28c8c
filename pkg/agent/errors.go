package agent

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider/wire"
)

// A ConfigError reports that a [Config] lacks a required field.
type ConfigError struct{ Field string }

func (e *ConfigError) Error() string { return "agent: Config." + e.Field + " is required" }

// A NonceError reports that the dialect of a run has no fence that could carry a nonce.
type NonceError struct{ Dialect string }

func (e *NonceError) Error() string {
	return "agent: the dialect " + e.Dialect + " allows calls outside of fences, so it cannot use a nonce"
}

// A PanicError reports that a runner panicked, which is a bug in that runner.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// A StreamError reports that the deltas of a reply do not add up to the reply, which is a bug in the
// model's client: the parsed calls would differ from the recorded ones.
type StreamError struct {
	StreamedBytes, ResponseBytes int // bytes of text
	StreamedCalls, ResponseCalls int // native calls
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("the deltas of the reply have %d bytes and %d calls, but the reply has %d and %d", e.StreamedBytes, e.StreamedCalls, e.ResponseBytes, e.ResponseCalls)
}

// A UselessReplyError reports that the model gave no usable reply, even after another request.
type UselessReplyError struct {
	Why string // "empty", "length", "other" (another unclean end), "leaked call" or "no call"
}

func (e *UselessReplyError) Error() string {
	switch e.Why {
	case "empty":
		return "the model's reply was empty twice"
	case "length":
		return "the model's reply was cut off at its length limit twice"
	case "other":
		return "the model's reply did not end cleanly twice"
	case "leaked call":
		return "the model twice wrote calls as text, where they do not count"
	}
	return "the model kept replying without calling a tool or ending its work"
}

// An AnswerError reports that the answer does not fit its schema after all repairs.
type AnswerError struct {
	Text     string         // the last answer, verbatim
	Findings []diag.Finding // of the last answer
	Repairs  int
	Default  bool // the caller gave no schema
}

func (e *AnswerError) Error() string {
	why := answerProblem(e.Text, e.Findings)
	switch {
	case e.Default:
		return fmt.Sprintf(`the model did not answer in the default form {"answer": "…"} after %d repairs: %s`, e.Repairs, why)
	case e.Findings[0].Code == diag.NotJSON:
		return why
	}
	return fmt.Sprintf("the answer does not fit its schema after %d repairs: %s", e.Repairs, why)
}

// answerProblem describes the fault of an answer, which is most often prose instead of JSON.
func answerProblem(text string, findings []diag.Finding) string {
	const most = 60
	text, first := strings.TrimSpace(text), findings[0]
	switch {
	case first.Code != diag.NotJSON || text == "":
		return first.Message
	case strings.ContainsRune("{[`\"", rune(text[0])):
		return "the answer is not JSON: " + first.Message
	}
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > most {
		words = append(words[:most], '…')
	}
	return fmt.Sprintf("the answer is not JSON: %q", string(words))
}

// A DeniedError reports that the denial of a call with an effect ended the run.
type DeniedError struct {
	Tool string
	Why  string
	Hint string
}

func (e *DeniedError) Error() string { return fmt.Sprintf("tool %s: denied: %s", e.Tool, e.Why) }

// A ToolAuthError reports that the authorization of a tool is missing or expired and that the run
// needs it: the tool changes something or is required.
type ToolAuthError struct {
	Tool string
	Why  string
	Hint string // how to renew the authorization, from the definition; may be empty
}

func (e *ToolAuthError) Error() string {
	return fmt.Sprintf("tool %s: unauthorized: %s", e.Tool, e.Why)
}

// A RequiredToolsError reports that the model ended the work before a call of each required tool succeeded.
type RequiredToolsError struct {
	Tools []string
	Err   error // that ended the run; nil if the model ended its work
}

func (e *RequiredToolsError) Error() string {
	text := "required work was not done: no call of " + strings.Join(e.Tools, ", ") + " succeeded"
	if e.Err != nil {
		text += ", and " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *RequiredToolsError) Unwrap() error { return e.Err }

// An AllDeniedError reports that the model ended the work after calls were denied and none was
// executed.
type AllDeniedError struct{ Calls, Denied int }

func (e *AllDeniedError) Error() string {
	switch {
	case e.Calls == 1:
		return "nothing was done: the only call was denied"
	case e.Denied == 1:
		return fmt.Sprintf("nothing was done: 1 of the %d calls was denied, and the others could not be run", e.Calls)
	case e.Denied < e.Calls:
		return fmt.Sprintf("nothing was done: %d of the %d calls were denied, and the others could not be run", e.Denied, e.Calls)
	}
	return fmt.Sprintf("nothing was done: all of the %d calls were denied", e.Calls)
}

// A DivergedError reports that a resumed run takes a step that differs from its record.
type DivergedError struct {
	Record int // number of the record, or 0
	Why    string
}

func (e *DivergedError) Error() string {
	if e.Record == 0 {
		return "the resumed run differs from its record: " + e.Why
	}
	return fmt.Sprintf("the resumed run differs from record %d: %s", e.Record, e.Why)
}

// An UnusableRecordError reports that a run file cannot be resumed or replayed.
type UnusableRecordError struct{ Err error }

func (e *UnusableRecordError) Error() string { return e.Err.Error() }

// Unwrap returns the fault.
func (e *UnusableRecordError) Unwrap() error { return e.Err }

// An UnknownOutcomeError reports that a run was cut off during a call with an effect, whose outcome is
// unknown.
type UnknownOutcomeError struct {
	Call, Tool string
	Arguments  string // as JSON, for a message
}

func (e *UnknownOutcomeError) Error() string {
	return "the run was cut off during call " + e.Call + " of " + e.Tool + " with " + wire.Excerpt(e.Arguments) + "; its outcome is unknown, so it is not repeated"
}

// A FinishedError reports that a run has finished with an answer and cannot be resumed.
type FinishedError struct{}

func (*FinishedError) Error() string { return "the run has already finished" }

// A LimitError reports that a budget is exhausted.
type LimitError struct {
	Budget string // "turns", "calls", "repeats", "tokens" or "cost"; "calls" or "writes" of a policy
	Limit  int
	Why    string // reason given by the policy; "" for a limit of the run
	// Left and Needed are the tokens left and the estimated tokens of the next request, which was not
	// sent; 0 if the budget is exhausted already.
	Left, Needed int
	// LimitUSD, LeftUSD and NeededUSD are the same of the budget "cost".
	LimitUSD, LeftUSD, NeededUSD chat.USD
	Answered                     bool // the answer is on record
}

func (e *LimitError) Error() string {
	switch {
	case e.Why != "":
		return e.Why
	case e.Budget == "repeats":
		return fmt.Sprintf("the model made the same call more than %d times", e.Limit)
	case e.Budget == costBudget && e.Answered:
		return fmt.Sprintf("the run exceeded its budget of $%s; the answer is in the run record", e.LimitUSD)
	case e.Budget == costBudget && e.NeededUSD > 0:
		return fmt.Sprintf("the next request may cost $%s, but only $%s of $%s are left; it was not sent", e.NeededUSD, e.LeftUSD, e.LimitUSD)
	case e.Budget == costBudget:
		return fmt.Sprintf("the run exceeds its budget of $%s", e.LimitUSD)
	case e.Answered:
		return fmt.Sprintf("the run exceeded its budget of %d tokens; the answer is in the run record", e.Limit)
	case e.Needed > 0:
		return fmt.Sprintf("the next request needs about %d tokens, but only %d of %d are left; it was not sent", e.Needed, e.Left, e.Limit)
	case e.Budget == "tokens":
		return fmt.Sprintf("the run exceeds its budget of %d tokens", e.Limit)
	}
	return fmt.Sprintf("the run used all of its %d %s", e.Limit, e.Budget)
}

// A TimeoutError reports that the wall-clock limit of a run has passed.
type TimeoutError struct {
	Limit   time.Duration
	Elapsed time.Duration // before the run was resumed
}

func (e *TimeoutError) Error() string {
	if e.Elapsed > 0 {
		return fmt.Sprintf("the run took longer than %v, including %v before it was resumed", e.Limit, e.Elapsed.Round(time.Millisecond))
	}
	return fmt.Sprintf("the run took longer than %v", e.Limit)
}

// joinErrors joins an error with a later one. It drops a later error that is the same, and a
// [DivergedError]: a failing resumed run naturally differs from its record.
func joinErrors(err, later error) error {
	switch {
	case err == nil:
		return later
	case later == nil || errors.Is(err, later) || errors.As(later, new(*DivergedError)):
		return err
	}
	return errors.Join(err, later)
}
