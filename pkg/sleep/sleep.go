// Package sleep waits as long as a context allows.
package sleep

import (
	"context"
	"time"
)

// For waits for d. If the context ends first, or has ended, it returns the context's cause.
func For(ctx context.Context, d time.Duration) error {
	timer, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-timer.Done()
	return context.Cause(ctx)
}
