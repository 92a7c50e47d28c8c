package agent

import "oneshot/pkg/chat"

// A callBudget counts the calls of a run.
type callBudget struct {
	limits    Limits
	calls     int
	identical map[string]int // counts by repeatKey
}

func newCallBudget(l Limits) callBudget { return callBudget{limits: l, identical: map[string]int{}} }

// left returns the number of calls left, at least 1; 0 if there is no limit.
func (b *callBudget) left() int {
	if b.limits.Calls == 0 {
		return 0
	}
	return max(1, b.limits.Calls-b.calls)
}

// add counts a call, executable or not.
func (b *callBudget) add() error {
	if b.limits.Calls > 0 && b.calls == b.limits.Calls {
		return &LimitError{Budget: "calls", Limit: b.limits.Calls}
	}
	b.calls++
	return nil
}

// addIdentical counts a call among those with the same tool and arguments.
func (b *callBudget) addIdentical(c chat.Call) error {
	key := repeatKey(c)
	if b.limits.Repeats > 0 && b.identical[key] == b.limits.Repeats {
		return &LimitError{Budget: "repeats", Limit: b.limits.Repeats}
	}
	b.identical[key]++
	return nil
}

// refund takes back the count of calls, of which some were decided.
func (b *callBudget) refund(calls int, decided []chat.Call) {
	b.calls -= calls
	for _, c := range decided {
		b.identical[repeatKey(c)]--
	}
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

// A requestBudget counts the requests of a run and their tokens.
type requestBudget struct {
	limits    Limits
	turns     int
	tokens    int
	estimator tokenEstimator
}

// addTurn counts a request that is about to be sent. It needs at least one token.
func (b *requestBudget) addTurn() error {
	if b.limits.Turns > 0 && b.turns == b.limits.Turns {
		return &LimitError{Budget: "turns", Limit: b.limits.Turns}
	}
	if err := b.checkTokens(1); err != nil {
		return err
	}
	b.turns++
	return nil
}

// addTokens counts the tokens of a response: its usage or, if greater, its number of deltas,
// because some servers report no usage.
func (b *requestBudget) addTokens(u chat.Usage, pieces int) { b.tokens += max(u.Total(), pieces) }

// checkTokens returns an error if the tokens used so far, plus pending ones not yet in any usage,
// exceed the limit.
func (b *requestBudget) checkTokens(pending int) error {
	if b.limits.Tokens > 0 && b.tokens+pending > b.limits.Tokens {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens}
	}
	return nil
}

// checkEstimate returns an error if a request would probably exceed the remaining tokens.
func (b *requestBudget) checkEstimate(estimate int) error {
	if left := b.limits.Tokens - b.tokens; b.limits.Tokens > 0 && estimate > left {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens, Left: max(0, left), Needed: estimate}
	}
	return nil
}
