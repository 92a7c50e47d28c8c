package cmd

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/batch"
	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/sleep"
	"oneshot/pkg/tool"
)

// A batchLimiter limits the requests of all runs of a batch: their cost, and their rate.
type batchLimiter struct {
	budget    *batch.Budget
	rate      *requestRate // nil without --rate
	responded sync.Map     // names of the models that have responded to a request of the batch; true: of this command
}

// newLimiter returns the limiter of the batch.
func (b *batchRun) newLimiter() (*batchLimiter, error) {
	limit := b.flags.batch.cost
	if limit > 0 && !b.spent.Known && !b.isDone() {
		return nil, usagef("omit it, or write to another file", "--total-max-cost: -o %s does not say what its runs have cost", b.flags.file)
	}
	l := &batchLimiter{budget: batch.NewBudget(limit, b.spent)}
	for _, name := range b.earlierResponders() {
		l.responded.Store(name, false)
	}
	var err error
	l.rate, err = b.newRequestRate()
	return l, err
}

// Admit implements [agent.RequestLimiter].
func (l *batchLimiter) Admit(ctx context.Context, most chat.USD) (agent.Admission, error) {
	r, err := l.budget.Reserve(ctx, most)
	if err != nil {
		return nil, err
	}
	if err := l.rate.wait(ctx); err != nil {
		r.End(chat.Cost{Known: true})
		return nil, err
	}
	return admittedRequest{r, l}, nil
}

// An admittedRequest is a request that a batch has admitted.
type admittedRequest struct {
	*batch.Reservation
	limiter *batchLimiter
}

// Retry implements [agent.Admission].
func (r admittedRequest) Retry(ctx context.Context) error { return r.limiter.rate.wait(ctx) }

// End implements [agent.Admission].
func (r admittedRequest) End(cost chat.Cost, responded bool, by string) {
	if responded {
		r.limiter.responded.Store(by, true)
	}
	r.Reservation.End(cost)
}

// hasResponded reports whether a model has responded to a request of the batch.
func (l *batchLimiter) hasResponded(model string) bool {
	_, ok := l.responded.Load(model)
	return ok
}

// isReachable reports whether a model has responded to a request of this command.
func (l *batchLimiter) isReachable(model string) bool {
	now, _ := l.responded.Load(model)
	return now == true
}

// areModelsReachable reports whether the models have responded to this command: the main model or a fallback, and the responder.
func (b *batchRun) areModelsReachable() bool {
	models, responder := b.shared.models.byRole()
	return slices.ContainsFunc(models, b.limiter.isReachable) && (len(responder) == 0 || b.limiter.isReachable(responder[0]))
}

// earlierResponses records, from outputs and run files, the models that have responded to earlier commands. The zero value is
// empty.
type earlierResponses struct {
	models map[string]bool // named by runs without a line
	plans  map[string]bool // of lines with a response; true: one of them has an answer
}

// addUsage adds the usage of a model by a run.
func (e *earlierResponses) addUsage(u chat.ModelUsage) {
	if u.Usage.OutputTokens == 0 {
		return
	}
	if e.models == nil {
		e.models = map[string]bool{}
	}
	e.models[u.Model] = true
}

// addLine adds a line of an output, which does not name its models.
func (e *earlierResponses) addLine(l batch.OutputLine) {
	hasAnswer := l.Exit.Code == 0
	if !hasAnswer && l.Usage.OutputTokens == 0 {
		return
	}
	if e.plans == nil {
		e.plans = map[string]bool{}
	}
	e.plans[l.Plan] = e.plans[l.Plan] || hasAnswer
}

// earlierResponders returns the names of the models that have responded to earlier commands with the same plan, as far as they
// are known.
func (b *batchRun) earlierResponders() []string {
	names := slices.Collect(maps.Keys(b.heard.models))
	if hasAnswer, ok := b.heard.plans[b.plan]; ok {
		names = append(names, b.shared.models.certainResponders(hasAnswer)...)
	}
	return names
}

// certainResponders returns the names of the models that must have responded in a run with a response or, if hasAnswer, an
// answer. With fallbacks the main model is not certain; the responder has no fallback.
func (m *chosenModels) certainResponders(hasAnswer bool) (names []string) {
	models, responder := m.byRole()
	if len(models) == 1 && (hasAnswer || len(responder) == 0) {
		names = append(names, models...)
	}
	if hasAnswer {
		names = append(names, responder...)
	}
	return names
}

// A requestRate limits the requests to a model over all batches of a user. Nil is no limit.
type requestRate struct {
	ledger *userRates
	window []policy.RateWindow // one
	next   chan struct{}       // lets one request of this batch at a time wait for the ledger
}

// newRequestRate returns the limit of --rate, nil without the flag and in a dry run, which sends nothing.
func (b *batchRun) newRequestRate() (*requestRate, error) {
	text := b.flags.batch.rate
	if text == "" {
		return nil, nil
	}
	rate, ok := tool.ParseRate(text)
	if !ok || rate.Calls > policy.MaxLedgerStarts {
		return nil, usagef("for example --rate 5/s, 100/m or 1000/h; at most 1000 per unit", "--rate: %q is not a rate", text)
	}
	if b.flags.dryRun {
		return nil, nil
	}
	ledger, err := newUserRates(b.env, false)
	m := b.shared.models
	key := "model " + breakerKey(m.names[0], m.endpoints[0].address())
	return &requestRate{ledger, []policy.RateWindow{{Key: key, MaxStarts: rate.Calls, Window: rate.Per}}, make(chan struct{}, 1)}, err
}

// wait waits until the rate admits a request and counts it only then: a request that is cancelled while it waits does not
// count.
func (q *requestRate) wait(ctx context.Context) error {
	if q == nil {
		return nil
	}
	select {
	case q.next <- struct{}{}:
		defer func() { <-q.next }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for ctx.Err() == nil {
		now := time.Now()
		at, err := q.ledger.takeNow(now, q.window)
		if err != nil || !at.After(now) {
			return err
		}
		if err := sleep.For(ctx, at.Sub(now)); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
