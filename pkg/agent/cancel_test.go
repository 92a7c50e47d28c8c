package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

var errStop = errors.New("stopped by the user")

// hangs sends a delta and then nothing until it is cancelled.
func hangs(text string) step {
	return func(ctx context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		if text != "" {
			delta(chat.Delta{Content: text})
		}
		<-ctx.Done()
		return chat.Response{Content: text}, context.Cause(ctx)
	}
}

// stubborn replies after a second, cancelled or not.
func stubborn(text string) step {
	return func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		time.Sleep(time.Second)
		delta(chat.Delta{Content: text})
		return reply(text), nil
	}
}

// breaksOff hangs and returns its own error when cancelled.
func breaksOff(ctx context.Context, _ chat.Request, _ func(chat.Delta)) (chat.Response, error) {
	<-ctx.Done()
	return chat.Response{}, errors.New("use of closed network connection")
}

// waits is a tool that never ends by itself.
func waits(ctx context.Context, _ string) (chat.Result, error) {
	<-ctx.Done()
	return chat.Result{}, context.Cause(ctx)
}

// gives up is a tool that returns a result when cancelled.
func givesUp(ctx context.Context, _ string) (chat.Result, error) {
	<-ctx.Done()
	return chat.Failure(chat.Timeout, "too slow"), nil
}

// V7: a cancelled run returns at once in every phase, with the cause and the partial outcome, and
// leaves nothing running. In a synctest bubble "at once" is exact, and a leaked goroutine is a
// failure.
func TestCancel(t *testing.T) {
	for _, c := range []struct {
		name   string
		steps  []step
		tool   func(context.Context, string) (chat.Result, error)
		after  time.Duration // that Run may still take
		status []string
	}{
		{name: "before the first byte", steps: []step{hangs("")}},
		{name: "in a model that makes an error of it", steps: []step{breaksOff}},
		{name: "in the stream", steps: []step{hangs("I will")}},
		{name: "in a stream with a call", steps: []step{hangs(calls(`look("a")`, `put("b")`))}, tool: waits,
			status: []string{"look discarded", "put skipped"}},
		{name: "in a read", steps: []step{says(calls(`look("a")`))}, tool: waits, status: []string{"look discarded"}},
		{name: "in one of many reads", steps: []step{says(calls(`put("w")`, `look("a")`, `look("b")`, `put("c")`))},
			tool: waits, status: []string{"put ok", "look discarded", "look discarded", "put skipped"}},
		{name: "in a read that makes a result of it", steps: []step{says(calls(`look("a")`, `put("b")`))}, tool: givesUp,
			status: []string{"look error TIMEOUT", "put skipped"}},
		{name: "in the answer", steps: []step{says(calls("finalResponse()")), hangs(`{"ans`)}},
		{name: "in a model that does not listen", steps: []step{stubborn(calls(`put("a")`))}, after: 500 * time.Millisecond,
			status: []string{"put skipped"}},
		{name: "in a model that does not listen and says nothing", steps: []step{stubborn("")}, after: 500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.steps...)
				r.do["look"] = c.tool
				start := time.Now()
				out, err := r.cancelled(500 * time.Millisecond)
				if took := time.Since(start); took != 500*time.Millisecond+c.after {
					t.Errorf("Run returned after %v", took)
				}
				if err != errStop || !out.Aborted {
					t.Errorf("error %v, aborted %v", err, out.Aborted)
				}
				if len(r.steps) > 0 {
					t.Error("the test did not reach the state it is about")
				}
				wantStatuses(t, out, c.status...)
				r.wantNoWrite("b", "c")
			})
		})
	}
}

// cancelled runs the agent and cancels it after some time.
func (r *rig) cancelled(after time.Duration) (agent.Outcome, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	timer := time.AfterFunc(after, func() { cancel(errStop) })
	defer timer.Stop()
	return r.runAgent(ctx)
}

func (r *rig) wantNoWrite(paths ...string) {
	r.t.Helper()
	for _, path := range paths {
		if slices.Contains(r.seen(), `start put {"path":"`+path+`"}`) {
			r.t.Errorf("the write of %s has started", path)
		}
	}
}

// An answer that exists before the cancellation counts, and the first error remains the reason.
func TestCancelTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says(calls("finalResponse()")), stubborn(answer42))
		out, err := r.cancelled(500 * time.Millisecond)
		if err != nil || out.Aborted || string(out.Answer) != answer42 {
			t.Errorf("answer %s, aborted %v, error %v", out.Answer, out.Aborted, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says(calls("finalResponse()")), stubborn("no"))
		r.cfg.Limits.Repairs = 0
		out, err := r.cancelled(500 * time.Millisecond)
		wantError[*agent.AnswerError](t, err)
		if out.Aborted {
			t.Error("the run is reported as aborted")
		}
	})
}

// The cause is returned unwrapped, even if the disk is full by then.
func TestCancelAndRecorderFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, hangs(calls(`look("a")`)))
		r.do["look"], r.fail = waits, 4
		if _, err := r.cancelled(time.Second); err != errStop {
			t.Errorf("error %v", err)
		}
		if last := r.seen()[len(r.seen())-1]; last != "append discarded t1c1 FAILS" {
			t.Errorf("the last is %q", last)
		}
	})
}

// A write that is cut off has an unknown outcome, which is on record; it is not reported as
// skipped. Later writes have no intent, because they never started.
func TestCancelInWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says(calls(`put("a")`, `put("b")`)))
		r.do["put"] = waits
		out, err := r.cancelled(time.Second)
		if err != errStop || !out.Aborted {
			t.Errorf("error %v, aborted %v", err, out.Aborted)
		}
		wantStatuses(t, out, "put error UNKNOWN_OUTCOME", "put skipped")
		r.wantLog("append request", "ask turn", "append call t1c1", "append call t1c2", "append response",
			"append intent t1c1", "sync", `start put {"path":"a"}`, `end put {"path":"a"}`, "append unknown_outcome")
	})
}

// No intent is recorded for a write that will not start.
func TestCancelBeforeWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says(calls(`look("a")`, `put("b")`)))
		r.do["look"] = func(context.Context, string) (chat.Result, error) {
			time.Sleep(time.Second) // and does not listen
			return chat.Success("done"), nil
		}
		out, err := r.cancelled(500 * time.Millisecond)
		if err != errStop {
			t.Errorf("error %v", err)
		}
		wantStatuses(t, out, "look ok", "put skipped")
		if slices.Contains(r.seen(), "append intent t1c2") {
			t.Errorf("log:\n%s", strings.Join(r.seen(), "\n"))
		}
	})
}

// A tool that ignores its context blocks Run until it ends, which is why runners must not; but
// waiting calls never start.
func TestCancelStubbornTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := make([]string, 20)
		for i := range reads {
			reads[i] = `look("` + string(rune('a'+i)) + `")`
		}
		r := newRig(t, says(calls(reads...)))
		r.do["look"] = func(context.Context, string) (chat.Result, error) {
			time.Sleep(time.Second)
			return chat.Success("done"), nil
		}
		start := time.Now()
		out, err := r.cancelled(500 * time.Millisecond)
		if err != errStop {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("Run returned after %v", took)
		}
		started := 0
		for _, line := range r.seen() {
			if strings.HasPrefix(line, "start ") {
				started++
			}
		}
		if started == 0 || started == len(reads) || len(out.Calls) != len(reads) {
			t.Errorf("%d of %d calls started: %v", started, len(reads), statuses(out))
		}
	})
}

// The wall-clock limit ends a run in the same way.
func TestWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, hangs("I"))
		r.cfg.Limits.Wall = time.Minute
		start := time.Now()
		out, err := r.run()
		if timeout := wantError[*agent.TimeoutError](t, err); timeout.Limit != time.Minute || time.Since(start) != time.Minute {
			t.Errorf("limit %v, after %v", timeout.Limit, time.Since(start))
		}
		if !out.Aborted || out.Turns != 1 {
			t.Errorf("outcome %+v", out)
		}
	})
}

// An error of the runner ends the run at once: parallel calls are cancelled, and the run returns
// that error and not theirs.
func TestRunnerError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errRunner := errors.New("no such result on record")
		r := newRig(t, says(calls(`put("w")`, `look("a")`, `look("b")`)))
		r.do["look"] = func(ctx context.Context, args string) (chat.Result, error) {
			if strings.Contains(args, "b") {
				time.Sleep(time.Second)
				return chat.Result{}, errRunner
			}
			<-ctx.Done()
			return chat.Result{}, ctx.Err()
		}
		out, err := r.run()
		if !errors.Is(err, errRunner) || !strings.Contains(err.Error(), "look") || out.Aborted {
			t.Errorf("error %v, aborted %v", err, out.Aborted)
		}
		wantStatuses(t, out, "put ok", "look discarded", "look discarded")
	})
}

// A panic of a runner is an error of the run, and one of an observer propagates out of Run; neither
// leaves anything running.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says(calls(`put("a")`)))
		r.do["put"] = func(context.Context, string) (chat.Result, error) { panic("a bug in the runner") }
		out, err := r.run()
		if err == nil || !strings.Contains(err.Error(), "a bug in the runner") {
			t.Errorf("error %v", err)
		}
		wantStatuses(t, out, "put error UNKNOWN_OUTCOME")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, says(calls(`look("a")`)))
		r.do["look"] = waits
		r.cfg.Observe = func(e agent.Event) {
			if e.Kind == agent.EventReply {
				panic("a bug in the observer")
			}
		}
		defer func() {
			if p := recover(); p != "a bug in the observer" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, err := r.run()
		t.Errorf("Run returned %v", err)
	})
}

// A read of a dropped response is cancelled and not waited for.
func TestDroppedReadsAreCancelled(t *testing.T) {
	for name, c := range map[string]struct {
		first  step
		change func(c *agent.Config)
	}{
		"length": {stops(calls(`look("a")`), chat.StopLength), func(*agent.Config) {}},
		"broken": {breaks(calls(`look("a")`), errNoStep), func(*agent.Config) {}},
		"denied": {says(calls(`look("a")`, `put("b")`)), func(c *agent.Config) { c.Policy.Flags.Allow = nil }},
		"limit":  {says(calls(`look("a")`, `look("b")`)), func(c *agent.Config) { c.Limits.Calls = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, then(c.first)...)
				r.do["look"] = waits
				c.change(&r.cfg)
				start := time.Now()
				out, _ := r.run()
				if got := statuses(out)[0]; got != "look discarded" || time.Since(start) > 0 {
					t.Errorf("%s after %v", got, time.Since(start))
				}
			})
		})
	}
}

// Contexts of a reply and its calls end with them.
func TestContextsAreCancelled(t *testing.T) {
	var given []context.Context
	remember := func(next step) step {
		return func(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			for i, earlier := range given {
				if earlier.Err() == nil {
					t.Errorf("context %d has not ended when request %d is made", i, len(given)+1)
				}
			}
			given = append(given, ctx)
			return next(ctx, req, delta)
		}
	}
	r := newRig(t, remember(says(calls(`put("a")`))), remember(says("")), remember(says(calls("finalResponse()"))), remember(says(answer42)))
	r.do["put"] = func(ctx context.Context, args string) (chat.Result, error) {
		given = append(given, ctx)
		return chat.Success(args), nil
	}
	r.mustRun()
}

// A call knows the deadline of the run.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, then(says(calls(`look("a")`)))...)
		var deadline time.Time
		r.cfg.Runner = runnerFunc(func(ctx context.Context, x chat.Execution) (chat.Result, error) {
			deadline = x.Deadline
			return r.Run(ctx, x)
		})
		r.cfg.Limits.Wall = time.Hour
		want := time.Now().Add(time.Hour)
		r.mustRun()
		if !deadline.Equal(want) {
			t.Errorf("deadline %v, want %v", deadline, want)
		}
	})
}

type runnerFunc func(ctx context.Context, x chat.Execution) (chat.Result, error)

func (f runnerFunc) Run(ctx context.Context, x chat.Execution) (chat.Result, error) { return f(ctx, x) }

// Deltas after the run has stopped reading a response change nothing.
func TestDeltaAfterError(t *testing.T) {
	r := newRig(t, func(ctx context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		for range 3 {
			delta(chat.Delta{Content: calls(`look("a")`, `look("b")`, `look("c")`)})
			delta(chat.Delta{Attempt: &chat.Attempt{Number: 1}})
		}
		if ctx.Err() == nil {
			t.Error("the model did not have to stop")
		}
		return chat.Response{}, errors.New("whatever the model makes of it")
	})
	r.cfg.Limits.Calls = 1
	out, err := r.run()
	wantError[*agent.LimitError](t, err)
	wantStatuses(t, out, "look discarded")
	r.wantLogOnce("append call t1c1 early", "append response", "append discarded t1c1")
	if out.Aborted {
		t.Error("a spent budget is not an abort")
	}
}

// wantLogOnce asserts that these are the only records of calls.
func (r *rig) wantLogOnce(want ...string) {
	r.t.Helper()
	var got []string
	for _, line := range r.seen() {
		if strings.HasPrefix(line, "append ") && line != "append request" {
			got = append(got, line)
		}
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("records %q, want %q", got, want)
	}
}
