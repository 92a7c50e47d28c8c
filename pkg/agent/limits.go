package agent

import (
	"fmt"
	"time"

	"oneshot/pkg/chat"
)

// Limits bound a run. A zero field is no limit, except for Repairs and
// Reminders, where it is none at all.
type Limits struct {
	Turns     int           // requests
	Calls     int           // calls
	Repeats   int           // calls of one tool with the same arguments
	Repairs   int           // answers sent back because they do not fit
	Reminders int           // replies in a row without a call
	Tokens    int           // input and output of all requests
	Wall      time.Duration // from start to end, without the time in which the run was cut off
}

// DefaultLimits are the limits of a run that sets none.
func DefaultLimits() Limits {
	return Limits{Turns: 20, Calls: 100, Repeats: 3, Repairs: 2, Reminders: 2, Wall: 10 * time.Minute}
}

// A LimitError says that a budget is spent.
type LimitError struct {
	Budget string // "turns", "calls", "repeats" or "tokens", or of a policy "calls" or "writes"
	Limit  int
	Why    string // of a policy: what it says
	// Left and Needed are the tokens that are left, and an estimate of those that the next request takes, which was not
	// sent; 0 where the budget is spent already.
	Left, Needed int
	Answered     bool // the run has an answer, which is on record
}

func (e *LimitError) Error() string {
	switch {
	case e.Why != "":
		return e.Why
	case e.Budget == "repeats":
		return fmt.Sprintf("the model made the same call more than %d times", e.Limit)
	case e.Answered:
		return fmt.Sprintf("the run took more than its %d tokens; its answer is on record", e.Limit)
	case e.Needed > 0:
		return fmt.Sprintf("the next request takes about %d tokens, and %d of %d are left; it was not sent", e.Needed, e.Left, e.Limit)
	case e.Budget == "tokens":
		return fmt.Sprintf("the run takes more than %d tokens", e.Limit)
	}
	return fmt.Sprintf("the run used all of its %d %s", e.Limit, e.Budget)
}

// A TimeoutError says that the wall-clock limit of a run passed.
type TimeoutError struct {
	Limit time.Duration
	Spent time.Duration // of it, before the run went on
}

func (e *TimeoutError) Error() string {
	if e.Spent > 0 {
		return fmt.Sprintf("the run took longer than %v, %v of it before it went on", e.Limit, e.Spent.Round(time.Millisecond))
	}
	return fmt.Sprintf("the run took longer than %v", e.Limit)
}

// budget counts what a run has used.
type budget struct {
	limits Limits
	turns  int
	calls  int
	same   map[string]int // calls by tool and arguments
	tokens int
	rate   tokenEstimate
}

func newBudget(l Limits) budget { return budget{limits: l, same: map[string]int{}} }

// turn counts a request that is about to be made. It costs a token at least.
func (b *budget) turn() error {
	if b.limits.Turns > 0 && b.turns == b.limits.Turns {
		return &LimitError{Budget: "turns", Limit: b.limits.Turns}
	}
	if err := b.spent(1); err != nil {
		return err
	}
	b.turns++
	return nil
}

// callsLeft returns how many more calls the budget has, 1 at least; 0 if there is no limit.
func (b *budget) callsLeft() int {
	if b.limits.Calls == 0 {
		return 0
	}
	return max(1, b.limits.Calls-b.calls)
}

// call counts a call, whether it can be run or not.
func (b *budget) call() error {
	if b.limits.Calls > 0 && b.calls == b.limits.Calls {
		return &LimitError{Budget: "calls", Limit: b.limits.Calls}
	}
	b.calls++
	return nil
}

// repeat counts a call by its tool and arguments, or what stands for them.
func (b *budget) repeat(c chat.Call) error {
	key := repeatKey(c)
	if b.limits.Repeats > 0 && b.same[key] == b.limits.Repeats {
		return &LimitError{Budget: "repeats", Limit: b.limits.Repeats}
	}
	b.same[key]++
	return nil
}

// repeatKey tells calls apart of which only so many may be the same.
func repeatKey(c chat.Call) string {
	key := c.Name + "\x00" + string(c.Arguments)
	if c.Arguments == nil {
		key += c.Text
	}
	return key
}

// use counts the tokens of a response: what the server says, or its pieces if
// they are more, because not every server counts.
func (b *budget) use(u chat.Usage, pieces int) { b.tokens += max(u.Total(), pieces) }

// spent reports whether the tokens used so far, and the given ones that are not
// in any usage yet, are over the limit.
func (b *budget) spent(pending int) error {
	if b.limits.Tokens > 0 && b.tokens+pending > b.limits.Tokens {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens}
	}
	return nil
}
