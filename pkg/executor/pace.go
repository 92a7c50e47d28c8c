package executor

import (
	"context"
	"sync"
	"time"

	"oneshot/pkg/tool"
)

// A pace spreads the calls of each tool over time, as its definition's rate
// says. The first calls of a period go at once.
type pace struct {
	mu    sync.Mutex
	begun map[string][]time.Time // when the latest calls begin, by tool; at most one period's
}

// wait returns when a call of the tool may begin, or with the cause of ctx.
func (p *pace) wait(ctx context.Context, def *tool.Definition) error {
	if def.Rate.Calls == 0 {
		return nil
	}
	if !sleep(ctx, time.Until(p.next(def))) {
		return context.Cause(ctx)
	}
	return nil
}

// next takes the next place in the row of the tool's calls.
func (p *pace) next(def *tool.Definition) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, row := time.Now(), p.begun[def.Name]
	if len(row) >= def.Rate.Calls {
		if free := row[0].Add(def.Rate.Per); free.After(at) {
			at = free
		}
		row = row[1:]
	}
	if p.begun == nil {
		p.begun = map[string][]time.Time{}
	}
	p.begun[def.Name] = append(row[:len(row):len(row)], at)
	return at
}
