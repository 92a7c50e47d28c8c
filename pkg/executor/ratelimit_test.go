package executor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/tool"
)

// Calls over the rate wait, and in each period as many calls start as the rate allows.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p rateLimiter
		slow := &tool.Definition{Name: "slow", Limits: tool.Limits{Rate: tool.Rate{Calls: 2, Per: time.Second}}}
		free := &tool.Definition{Name: "free"}
		begin := time.Now()
		for i, want := range []time.Duration{0, 0, time.Second, time.Second, 2 * time.Second} {
			if err := p.wait(t.Context(), slow); err != nil {
				t.Fatal(err)
			}
			if err := p.wait(t.Context(), free); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(begin); got != want {
				t.Errorf("call %d begins after %v, want %v", i, got, want)
			}
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		p.reserve(slow)
		if err := p.wait(ctx, slow); err != stop {
			t.Errorf("error %v, want the cause", err)
		}
	})
}
