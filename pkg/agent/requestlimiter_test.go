package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
	"oneshot/pkg/sleep"
)

// A limiter delays requests, admits a fixed number of them, and logs the calls of its methods.
type limiter struct {
	wait   time.Duration
	admits int      // number of requests to admit
	raises chat.USD // highest amount that Raise accepts
	heard  []string
}

var errNotAdmitted = errors.New("not admitted")

func (l *limiter) Admit(ctx context.Context, most chat.USD) (agent.Admission, error) {
	if err := sleep.For(ctx, l.wait); err != nil {
		return nil, err
	}
	if l.admits--; l.admits < 0 {
		return nil, errNotAdmitted
	}
	l.heard = append(l.heard, fmt.Sprint("admit ", most > 0))
	return l, nil
}

func (l *limiter) Retry(ctx context.Context) error {
	l.heard = append(l.heard, "retry")
	return sleep.For(ctx, l.wait)
}

func (l *limiter) Raise(most chat.USD) error {
	if most > l.raises {
		return errNotAdmitted
	}
	return nil
}

func (l *limiter) End(cost chat.Cost, responded bool, _ string) {
	l.heard = append(l.heard, fmt.Sprintf("end %d %v %v", cost.Amount, cost.Known, responded))
}

// limitedRig is a run whose tokens cost a nano-dollar each.
func limitedRig(t *testing.T, l *limiter, steps ...step) *rig {
	r := newRig(t, steps...)
	r.cfg.Limiter, r.cfg.Limits.Wall = l, time.Minute
	r.cfg.Prices = agent.Prices{Of: pricing.Prices{"": {Rates: pricing.Rates{Input: 1_000_000, Output: 1_000_000}}}, Turn: []string{""}, Answer: []string{""}}
	return r
}

// A run waits before each request, the waiting time does not count towards its limit, and the limiter gets the cost of each
// request.
func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limiter{wait: 50 * time.Second, admits: 3, raises: 1 << 40}
		r := limitedRig(t, l, spends(chat.Usage{InputTokens: 70, OutputTokens: 5}, calls(`look("a")`)),
			spends(chat.Usage{InputTokens: 80, OutputTokens: 6}, calls("finalResponse()")),
			spends(chat.Usage{InputTokens: 90, OutputTokens: 7}, answer42))
		out := r.mustRun()
		if want := []string{"admit true", "end 75 true true", "admit true", "end 86 true true", "admit true", "end 97 true true"}; !slices.Equal(l.heard, want) {
			t.Errorf("heard %q", l.heard)
		}
		if out.Cost != (chat.Cost{Amount: 258, Known: true}) {
			t.Errorf("cost %+v", out.Cost)
		}
	})
}

// The clock of the run stops during the wait and continues after it.
func TestLimiterStopsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func(ctx context.Context, q chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			time.Sleep(40 * time.Second)
			return says(calls(`look("a")`))(ctx, q, delta)
		}
		r := limitedRig(t, &limiter{wait: time.Hour, admits: 9, raises: 1 << 40}, slow, hangs("I"))
		_, err := r.run()
		wantError[*agent.TimeoutError](t, err)
		if took := time.Since(began); took != 2*time.Hour+time.Minute {
			t.Errorf("ended after %v", took)
		}
	})
}

// A retry waits as well, and the records contain the waiting time.
func TestLimiterAdmitsRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l := &limiter{wait: time.Hour, admits: 9, raises: 1 << 40}
		r := limitedRig(t, l, func(ctx context.Context, q chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			delta(chat.Delta{Attempt: &chat.Attempt{Number: 1, Error: "other", Skipped: true}})
			delta(chat.Delta{Attempt: &chat.Attempt{Number: 1, Error: "busy"}})
			time.Sleep(10 * time.Second)
			delta(chat.Delta{IsRetry: true})
			delta(chat.Delta{Attempt: &chat.Attempt{Number: 2, Error: "busy"}})
			delta(chat.Delta{IsRetry: true})
			return says(calls("finalResponse()"))(ctx, q, delta)
		}, says(answer42))
		r.mustRun()
		if len(l.heard) != 6 || l.heard[1] != "retry" || l.heard[2] != "retry" {
			t.Errorf("heard %q", l.heard)
		}
		var waited time.Duration
		for _, body := range r.records {
			waited += runfile.Record{Body: body}.Waited()
		}
		if waited != 4*time.Hour || time.Since(began) != 4*time.Hour+10*time.Second {
			t.Errorf("waited %v of %v", waited, time.Since(began))
		}
	})
}

// A run that is cancelled while it waits ends at once, and its outcome has the waiting time.
func TestLimiterCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := limitedRig(t, &limiter{wait: time.Hour, admits: 1})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 90*time.Second, errNotAdmitted)
		defer cancel()
		out, err := agent.Run(ctx, r.cfg)
		if !errors.Is(err, errNotAdmitted) || out.Waited != 90*time.Second || len(r.requests) > 0 {
			t.Errorf("error %v after %v, %d requests", err, out.Waited, len(r.requests))
		}
	})
}

// A request that is not admitted is not sent.
func TestLimiterRefuses(t *testing.T) {
	l := &limiter{admits: 1, raises: 1 << 40}
	r := limitedRig(t, l, says(calls(`look("a")`)))
	out, err := r.run()
	if !errors.Is(err, errNotAdmitted) || len(r.requests) != 1 || out.Turns != 1 {
		t.Errorf("error %v, %d requests, %d turns", err, len(r.requests), out.Turns)
	}
}

// A response that exceeds the admitted cost is stopped, and its cost so far counts.
func TestLimiterEndsResponse(t *testing.T) {
	l := &limiter{admits: 1, raises: 600}
	r := limitedRig(t, l, spends(chat.Usage{}, slices.Repeat([]string{"word "}, 4000)...))
	out, err := r.run()
	if !errors.Is(err, errNotAdmitted) || out.Cost.Amount < 600 || out.Cost.Amount > 620 {
		t.Errorf("error %v, cost %+v", err, out.Cost)
	}
	if want := []string{"admit true", fmt.Sprintf("end %d true true", out.Cost.Amount)}; !slices.Equal(l.heard, want) {
		t.Errorf("heard %q", l.heard)
	}
}

// A resumed run needs no admission for the requests that it repeats.
func TestLimiterOfResumedRun(t *testing.T) {
	steps := then(says(calls(`look("a")`)))
	_, log := newRig(t, steps...).recordedRun()
	second := slices.IndexFunc(log.Records, func(r runfile.Record) bool {
		b, ok := r.Body.(runfile.Request)
		return ok && b.Turn == 2
	})
	r, _ := resumed(t, log.Records[:second], steps)
	l := &limiter{admits: 2, raises: 1 << 40}
	r.cfg.Limiter = l
	if r.mustRun(); len(l.heard) != 4 || len(r.requests) != 2 {
		t.Errorf("heard %q, %d requests", l.heard, len(r.requests))
	}
}
