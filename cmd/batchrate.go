package cmd

import (
	"context"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// A requestLimiter limits the requests to a model over all batches of a user.
type requestLimiter struct {
	ledger *userRates
	window policy.RateWindow
}

// newRequestLimiter returns the limiter of --rate, nil without the flag.
func (b *batchRun) newRequestLimiter() (*requestLimiter, error) {
	text := b.flags.batch.rate
	if text == "" {
		return nil, nil
	}
	rate, ok := tool.ParseRate(text)
	if !ok || rate.Calls > policy.MaxLedgerStarts {
		return nil, usagef("for example --rate 5/s, 100/m or 1000/h; at most 1000 per unit", "--rate: %q is not a rate", text)
	}
	ledger, err := newUserRates(b.env, b.flags.dryRun)
	m := b.shared.models
	return &requestLimiter{ledger, policy.RateWindow{Key: "model " + breakerKey(m.names[0], m.endpoints[0].address()), MaxStarts: rate.Calls, Window: rate.Per}}, err
}

// limit returns a model whose requests wait for their turn.
func (l *requestLimiter) limit(m agent.Model) agent.Model {
	if l == nil || m == nil {
		return m
	}
	return &limitedModel{l, m}
}

// A limitedModel is a model whose requests wait for their turn.
type limitedModel struct {
	limiter *requestLimiter
	model   agent.Model
}

// Reply waits, and then sends the request.
func (m *limitedModel) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	now := time.Now()
	at, err := m.limiter.ledger.Take(now, []policy.RateWindow{m.limiter.window})
	if err != nil {
		return chat.Response{}, err
	}
	select {
	case <-time.After(at.Sub(now)):
		return m.model.Reply(ctx, req, delta)
	case <-ctx.Done():
		return chat.Response{}, context.Cause(ctx)
	}
}
