package agent

import (
	"fmt"
	"strings"

	"oneshot/pkg/diag"
)

// A ConfigError says that a [Config] lacks a field that it must have.
type ConfigError struct{ Field string }

func (e *ConfigError) Error() string { return "agent: the configuration has no " + e.Field }

// A NonceError says that the fences of a run cannot be marked, because its dialect needs none.
type NonceError struct{ Dialect string }

func (e *NonceError) Error() string {
	return "agent: calls of the dialect " + e.Dialect + " can stand outside of fences, so a nonce cannot mark them"
}

// A PanicError says that a runner panicked, which is a bug in the program.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// A StreamError says that the pieces of a reply are not the reply, which is a
// bug in the model: calls were read in something else than what is on record.
type StreamError struct {
	Pieces, Whole     int // bytes of text
	Calls, WholeCalls int // native calls
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("the pieces of the reply have %d bytes and %d calls, and the reply %d and %d", e.Pieces, e.Calls, e.Whole, e.WholeCalls)
}

// A ModelError says that the model gave no usable reply, although it was asked
// retryUseless.
type ModelError struct {
	Why string // "empty", "length", "other" (it did not end cleanly), "leaked call" or "no call"
}

func (e *ModelError) Error() string {
	switch e.Why {
	case "empty":
		return "the model's reply was empty, twice"
	case "length":
		return "the model's reply was cut off at its length limit, twice"
	case "other":
		return "the model's reply did not end cleanly, twice"
	case "leaked call":
		return "the model wrote calls into its text, where they do not count, twice"
	}
	return "the model went on without calling a tool or ending"
}

// An AnswerError says that the answer does not fit its schema after all
// repairs.
type AnswerError struct {
	Text     string         // the last answer, as it came
	Findings []diag.Finding // what is wrong with it
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

// answerProblem says what is wrong with an answer, which is most often prose in the place of JSON.
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

// A DeniedError says that a call with an effect was denied.
type DeniedError struct {
	Tool string
	Why  string
	Hint string
}

func (e *DeniedError) Error() string { return fmt.Sprintf("tool %s: denied: %s", e.Tool, e.Why) }

// An UnauthorizedError says that a tool has no authorisation, or one that has expired, and
// that the run cannot go on without it: the tool changes something, or is required.
type UnauthorizedError struct {
	Tool string
	Why  string
	Hint string // how the authorisation is renewed, if its definition says so
}

func (e *UnauthorizedError) Error() string {
	return fmt.Sprintf("tool %s: unauthorized: %s", e.Tool, e.Why)
}

// A RequiredError says that the model ended the work although no call of a tool
// that the run requires has succeeded.
type RequiredError struct {
	Tools []string
	Err   error // why the run ended instead; nil if the model said that it was done
}

func (e *RequiredError) Error() string {
	text := "required work was not done: no call of " + strings.Join(e.Tools, ", ") + " succeeded"
	if e.Err != nil {
		text += ", and " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *RequiredError) Unwrap() error { return e.Err }

// An AllDeniedError says that the model ended the work after calls were denied and no call was carried out.
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
