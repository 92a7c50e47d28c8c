package agent

import (
	"fmt"
	"time"

	"oneshot/pkg/chat"
)

// Limits bound a run. Zero is no limit, except for Repairs and Reminders, where it allows none.
type Limits struct {
	Turns     int           // requests
	Calls     int           // calls
	Repeats   int           // identical calls: same tool, same arguments
	Repairs   int           // invalid answers sent back
	Reminders int           // replies in a row without a call
	Tokens    int           // input and output of all requests
	Wall      time.Duration // wall-clock time, without the time between the end of a run and its resumption
}

// DefaultLimits returns the limits of a run that sets none.
func DefaultLimits() Limits {
	return Limits{Turns: 20, Calls: 100, Repeats: 3, Repairs: 2, Reminders: 2, Wall: 10 * time.Minute}
}

// A LimitError says that a budget is exhausted.
type LimitError struct {
	Budget string // "turns", "calls", "repeats" or "tokens"; "calls" or "writes" of a policy
	Limit  int
	Why    string // reason given by the policy; "" for a limit of the run
	// Left and Needed are the tokens left and the estimated tokens of the next request, which was not
	// sent; 0 if the budget is exhausted already.
	Left, Needed int
	Answered     bool // the answer is on record
}

func (e *LimitError) Error() string {
	switch {
	case e.Why != "":
		return e.Why
	case e.Budget == "repeats":
		return fmt.Sprintf("the model made the same call more than %d times", e.Limit)
	case e.Answered:
		return fmt.Sprintf("the run exceeded its budget of %d tokens; the answer is in the run record", e.Limit)
	case e.Needed > 0:
		return fmt.Sprintf("the next request needs about %d tokens, but only %d of %d are left; it was not sent", e.Needed, e.Left, e.Limit)
	case e.Budget == "tokens":
		return fmt.Sprintf("the run exceeds its budget of %d tokens", e.Limit)
	}
	return fmt.Sprintf("the run used all of its %d %s", e.Limit, e.Budget)
}

// A TimeoutError says that the wall-clock limit of a run has passed.
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

// budget counts what a run has used.
type budget struct {
	limits         Limits
	turns          int
	calls          int
	identicalCalls map[string]int // counts by repeatKey
	tokens         int
	estimator      tokenEstimator
}

func newBudget(l Limits) budget { return budget{limits: l, identicalCalls: map[string]int{}} }

// addTurn counts a request that is about to be sent. It needs at least one token.
func (b *budget) addTurn() error {
	if b.limits.Turns > 0 && b.turns == b.limits.Turns {
		return &LimitError{Budget: "turns", Limit: b.limits.Turns}
	}
	if err := b.checkTokens(1); err != nil {
		return err
	}
	b.turns++
	return nil
}

// callsLeft returns the number of calls left, at least 1; 0 if there is no limit.
func (b *budget) callsLeft() int {
	if b.limits.Calls == 0 {
		return 0
	}
	return max(1, b.limits.Calls-b.calls)
}

// addCall counts a call, executable or not.
func (b *budget) addCall() error {
	if b.limits.Calls > 0 && b.calls == b.limits.Calls {
		return &LimitError{Budget: "calls", Limit: b.limits.Calls}
	}
	b.calls++
	return nil
}

// addIdenticalCall counts a call among those with the same tool and arguments.
func (b *budget) addIdenticalCall(c chat.Call) error {
	key := repeatKey(c)
	if b.limits.Repeats > 0 && b.identicalCalls[key] == b.limits.Repeats {
		return &LimitError{Budget: "repeats", Limit: b.limits.Repeats}
	}
	b.identicalCalls[key]++
	return nil
}

// repeatKey returns the key under which identical calls are counted. Unreadable arguments count by
// their text.
func repeatKey(c chat.Call) string {
	key := c.Name + "\x00" + string(c.Arguments)
	if c.Arguments == nil {
		key += c.Text
	}
	return key
}

// addTokens counts the tokens of a response: its usage or, if greater, its number of deltas,
// because some servers report no usage.
func (b *budget) addTokens(u chat.Usage, pieces int) { b.tokens += max(u.Total(), pieces) }

// checkTokens returns an error if the tokens used so far, plus pending ones not yet in any usage,
// exceed the limit.
func (b *budget) checkTokens(pending int) error {
	if b.limits.Tokens > 0 && b.tokens+pending > b.limits.Tokens {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens}
	}
	return nil
}
