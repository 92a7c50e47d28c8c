package executor

import (
	"context"
	"sync"
	"time"

	"oneshot/pkg/sleep"
	"oneshot/pkg/tool"
)

// A rateLimiter spreads the calls of each tool over time by the rate of its definition. The first calls of a
// period start immediately.
type rateLimiter struct {
	mu         sync.Mutex
	startTimes map[string][]time.Time // of the latest calls by tool, at most one period
}

// wait waits until a call of the tool may start. Its error is the cause of ctx.
func (p *rateLimiter) wait(ctx context.Context, def *tool.Definition) error {
	if def.Rate.Calls == 0 {
		return nil
	}
	return sleep.For(ctx, time.Until(p.reserve(def)))
}

// reserve reserves the next slot of a tool and returns its time.
func (p *rateLimiter) reserve(def *tool.Definition) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, row := time.Now(), p.startTimes[def.Name]
	if len(row) >= def.Rate.Calls {
		if free := row[0].Add(def.Rate.Per); free.After(at) {
			at = free
		}
		row = row[1:]
	}
	if p.startTimes == nil {
		p.startTimes = map[string][]time.Time{}
	}
	p.startTimes[def.Name] = append(row[:len(row):len(row)], at)
	return at
}
