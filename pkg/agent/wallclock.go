package agent

import (
	"context"
	"sync"
	"time"
)

// A wallClock is a context that ends when the wall-clock limit of a run is used up. It begins with start, and can be
// stopped while the run waits for other runs.
type wallClock struct {
	context.Context
	end  context.CancelCauseFunc
	over *TimeoutError
	left time.Duration // at the latest start

	mu       sync.Mutex // the rest is also read by other goroutines
	timer    *time.Timer
	deadline time.Time // zero if the clock is stopped, or has no limit
}

// newWallClock returns a context that ends when the rest of the limit is used up; 0 is no limit.
func newWallClock(ctx context.Context, wall, spent time.Duration) *wallClock {
	c := &wallClock{over: &TimeoutError{wall, spent}, left: wall - spent}
	c.Context, c.end = context.WithCancelCause(ctx)
	return c
}

func (c *wallClock) start() {
	if c.over.Limit == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = time.Now().Add(c.left)
	if c.left <= 0 { // a timer would end it a moment later, after a request
		c.end(c.over)
		return
	}
	c.timer = time.AfterFunc(c.left, func() { c.end(c.over) })
}

// stop stops the clock, and reports whether it was running.
func (c *wallClock) stop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil || !c.timer.Stop() {
		return false
	}
	c.left, c.deadline = time.Until(c.deadline), time.Time{}
	return true
}

// cancel ends the context.
func (c *wallClock) cancel() {
	c.stop()
	c.end(nil)
}

// Deadline returns when the context ends, if the clock is running.
func (c *wallClock) Deadline() (deadline time.Time, ok bool) {
	deadline, ok = c.Context.Deadline()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.deadline.IsZero() && (!ok || c.deadline.Before(deadline)) {
		return c.deadline, true
	}
	return deadline, ok
}

// stopDuring stops the clock while f runs, and returns how long that takes.
func (c *wallClock) stopDuring(f func() error) (time.Duration, error) {
	if c.stop() {
		defer c.start()
	}
	began := time.Now()
	err := f()
	return time.Since(began), err
}
