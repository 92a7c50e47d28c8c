package agent

import (
	"context"
	"encoding/json"
	"errors"

	"oneshot/pkg/chat"
)

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

// refund subtracts calls from the count. decided are those that were also counted as identical calls.
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

// A requestBudget counts the requests of a run, their tokens and their cost.
type requestBudget struct {
	limits    Limits
	turns     int
	tokens    int
	ledger    ledger
	estimator tokenEstimator
	// The request under way, if a [RequestLimiter] admitted it.
	admission Admission
	before    chat.USD // the cost of earlier requests of the run
}

func newRequestBudget(cfg Config) requestBudget {
	b := requestBudget{limits: cfg.Limits, ledger: newLedger(cfg.Prices, cfg.Spent)}
	for _, m := range cfg.Spent {
		b.tokens += m.Usage.Total()
	}
	return b
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

// addResponse counts a response of a model: its usage or, if greater, its number of deltas.
func (b *requestBudget) addResponse(model string, u chat.Usage, pieces int) {
	b.tokens += max(u.Total(), pieces)
	b.ledger.add(model, 1, u)
}

// addAttempt counts a failed attempt for which its server may charge.
func (b *requestBudget) addAttempt(a chat.Attempt) {
	if a.Charged {
		b.tokens += a.Usage.Total()
		b.ledger.add(a.By, 0, a.Usage)
	}
}

// checkTokens returns an error if the tokens used so far, plus pending ones not yet in any usage,
// exceed the limit.
func (b *requestBudget) checkTokens(pending int) error {
	if b.limits.Tokens > 0 && b.tokens+pending > b.limits.Tokens {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens}
	}
	return nil
}

// checkEstimate returns an error if a request would probably exceed the remaining tokens, or may exceed the remaining cost
// with the longest response that its parameters allow.
func (b *requestBudget) checkEstimate(req chat.Request) error {
	input := b.estimator.estimate(req)
	if left := b.limits.Tokens - b.tokens; b.limits.Tokens > 0 && input > left {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens, Left: max(0, left), Needed: input}
	}
	left, needed := b.costLeft(), b.maxCost(req)
	if b.limits.Cost > 0 && needed > left {
		return &LimitError{Budget: costBudget, LimitUSD: b.limits.Cost, LeftUSD: max(0, left), NeededUSD: needed}
	}
	return nil
}

// maxCost returns the most that a request may cost, as far as its parameters limit the response.
func (b *requestBudget) maxCost(req chat.Request) chat.USD {
	_, most := b.ledger.prices.mostExpensive(req.Purpose, chat.Usage{InputTokens: b.estimator.estimate(req), OutputTokens: maxOutput(req)})
	return most
}

// admit waits until a limiter admits a request.
func (b *requestBudget) admit(ctx context.Context, l RequestLimiter, req chat.Request) (err error) {
	_, before := b.ledger.total()
	b.before = before.Amount
	b.admission, err = l.Admit(ctx, b.maxCost(req))
	return err
}

// endAdmission reports the end of the admitted request, if there is one.
func (b *requestBudget) endAdmission(responded bool, by string) {
	if b.admission == nil {
		return
	}
	_, cost := b.ledger.total()
	cost.Amount -= b.before
	b.admission.End(cost, responded, by)
	b.admission = nil
}

// costBudget is the name of the budget of money.
const costBudget = "cost"

// costLeft returns the rest of the budget of money. It is negative if more was spent. Models without a known price are not
// counted; a run with such a budget has none.
func (b *requestBudget) costLeft() chat.USD {
	_, spent := b.ledger.total()
	return b.limits.Cost - spent.Amount
}

// checkCost returns an error if the cost so far, plus that of a pending usage, exceeds the limit, or if the
// [RequestLimiter] refuses the cost of the request.
func (b *requestBudget) checkCost(purpose chat.Purpose, pending chat.Usage) error {
	_, most := b.ledger.prices.mostExpensive(purpose, pending)
	if b.limits.Cost > 0 && most > b.costLeft() {
		return &LimitError{Budget: costBudget, LimitUSD: b.limits.Cost}
	}
	if b.admission == nil {
		return nil
	}
	_, spent := b.ledger.total()
	return b.admission.Raise(most.Add(spent.Amount - b.before))
}

// checkAnswered returns an error if the run with its answer exceeds a limit.
func (b *requestBudget) checkAnswered() error {
	err := b.checkTokens(0)
	if err == nil {
		err = b.checkCost(chat.PurposeAnswer, chat.Usage{})
	}
	if limit := new(LimitError); errors.As(err, &limit) {
		limit.Answered = true
	}
	return err
}

// outputLimits are the parameters that limit the tokens of a response.
var outputLimits = [...]string{"max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict"}

// maxOutput returns the most tokens of a response, as far as the request limits them, and at least one. Without a limit
// the cost of a response is only bounded while it streams.
func maxOutput(req chat.Request) int {
	for _, name := range outputLimits {
		if n := 0; json.Unmarshal(req.Params[name], &n) == nil && n > 0 {
			return n
		}
	}
	return 1
}
