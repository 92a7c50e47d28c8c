package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

// spends replies with some deltas of text and a usage.
func spends(usage chat.Usage, pieces ...string) step {
	return func(ctx context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		for _, p := range pieces {
			if ctx.Err() != nil {
				return chat.Response{}, context.Cause(ctx)
			}
			delta(chat.Delta{Content: p})
		}
		text := strings.Join(pieces, "")
		return chat.Response{Content: text, Stop: chat.StopEnd, Usage: usage}, nil
	}
}

// silent replies without a delta.
func silent(text string, usage chat.Usage) step {
	return func(context.Context, chat.Request, func(chat.Delta)) (chat.Response, error) {
		return chat.Response{Content: text, Stop: chat.StopEnd, Usage: usage}, nil
	}
}

// T10: every budget ends the run with its own error, and the outcome still reports the requests and
// calls of the run.
func TestLimits(t *testing.T) {
	look := func(arg string) step { return says(calls(`look("` + arg + `")`)) }
	cost := chat.Usage{InputTokens: 1000, OutputTokens: 300}
	long := slices.Repeat([]string{"word "}, 400)
	for _, c := range []struct {
		name     string
		limits   agent.Limits
		steps    []step
		budget   string
		requests int
	}{
		{"turns", agent.Limits{Turns: 2}, []step{look("a"), look("b")}, "turns", 2},
		{"turns, before the answer", agent.Limits{Turns: 1}, []step{says(calls("finalResponse()"))}, "turns", 1},
		{"turns, of repairs", agent.Limits{Turns: 3, Repairs: 9}, []step{says(calls("finalResponse()")), says("no"), says("no")}, "turns", 3},
		{"calls", agent.Limits{Calls: 2}, []step{look("a"), says(calls(`look("b")`, `look("c")`))}, "calls", 2},
		{"calls that cannot run", agent.Limits{Calls: 2}, []step{says(calls(`nope()`, `look(1)`, `look("c")`))}, "calls", 1},
		{"calls that cannot be read", agent.Limits{Calls: 2}, []step{says(calls(`look(x)`, `look(y)`, `look(z)`))}, "calls", 1},
		{"repeats", agent.Limits{Repeats: 2}, []step{look("a"), look("a"), look("a")}, "repeats", 3},
		{"repeats in another form", agent.Limits{Repeats: 1}, []step{look("a"), says(calls(`look({ q: 'a' })`))}, "repeats", 2},
		{"tokens", agent.Limits{Tokens: 2500}, []step{
			spends(cost, calls(`look("a")`)), spends(cost, calls(`look("b")`)),
		}, "tokens", 2},
		{"tokens of the first request", agent.Limits{Tokens: 100}, nil, "tokens", 0},
		{"tokens in a reply", agent.Limits{Tokens: 700}, []step{spends(cost, long...)}, "tokens", 1},
		{"tokens of a model that does not stream", agent.Limits{Tokens: 2500}, []step{
			silent(calls(`look("a")`), cost), silent(calls(`look("b")`), cost),
		}, "tokens", 2},
		{"tokens that the server does not count", agent.Limits{Tokens: 1200}, []step{
			spends(chat.Usage{}, "one ", "two ", "\n"+calls(`look("a")`)), spends(chat.Usage{}, long...),
		}, "tokens", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.steps...)
			r.cfg.Limits = c.limits
			out, err := r.run()
			limit := wantError[*agent.LimitError](t, err)
			if limit.Budget != c.budget || limit.Error() == "" {
				t.Errorf("budget %q (%v), want %q", limit.Budget, limit, c.budget)
			}
			if len(r.requests) != c.requests || out.Turns != c.requests || len(r.steps) > 0 {
				t.Errorf("%d requests, %d turns, want %d", len(r.requests), out.Turns, c.requests)
			}
			if out.Answer != nil || out.Aborted {
				t.Errorf("answer %s, aborted %v", out.Answer, out.Aborted)
			}
		})
	}
}

// A budget that is just enough is enough.
func TestLimitsReachedExactly(t *testing.T) {
	r := newRig(t, then(says(calls(`look("a")`, `look("a")`)), says(calls(`look("b")`)))...)
	r.cfg.Limits = agent.Limits{Turns: 4, Calls: 3, Repeats: 2}
	r.mustRun()

	first, second := chat.Usage{InputTokens: 600, OutputTokens: 100}, chat.Usage{InputTokens: 900, OutputTokens: 400}
	r = newRig(t, spends(first, calls("finalResponse()")), spends(second, `{"answer":`, ` "42"}`))
	r.cfg.Limits = agent.Limits{Tokens: 2000}
	if out := r.mustRun(); out.Usage != first.Add(second) {
		t.Errorf("usage %+v", out.Usage)
	}

	// Zero is no limit.
	var steps []step
	for range 200 {
		steps = append(steps, says(calls(`look("a")`)))
	}
	r = newRig(t, then(steps...)...)
	r.cfg.Limits = agent.Limits{}
	if out := r.mustRun(); out.Turns != 202 || len(out.Calls) != 200 {
		t.Errorf("%d turns, %d calls", out.Turns, len(out.Calls))
	}
}

// A response that exhausts the tokens has a usage even if its server sent none.
func TestTokensOfStoppedReply(t *testing.T) {
	r := newRig(t, spends(chat.Usage{}, slices.Repeat([]string{"word "}, 400)...))
	r.cfg.Limits = agent.Limits{Tokens: 700}
	out, err := r.run()
	wantError[*agent.LimitError](t, err)
	if out.Usage.InputTokens < 300 || out.Usage.OutputTokens < 50 || out.Usage.Total() > 710 {
		t.Errorf("usage %+v", out.Usage)
	}
}

// If the usage of the request for the answer exceeds the budget, the answer is on record and can be
// used with a larger budget.
func TestTokensOfAnswer(t *testing.T) {
	cost := chat.Usage{InputTokens: 600, OutputTokens: 100}
	r := newRig(t, spends(cost, calls("finalResponse()")), spends(chat.Usage{InputTokens: 2000, OutputTokens: 10}, answer42))
	r.cfg.Limits = agent.Limits{Tokens: 2000}
	out, err := r.run()
	limit := wantError[*agent.LimitError](t, err)
	if !limit.Answered || out.Answer != nil || out.Usage.Total() != 2710 {
		t.Errorf("%+v, answer %s, usage %+v", limit, out.Answer, out.Usage)
	}
	if !slices.Contains(r.seen(), "append answer") {
		t.Errorf("no answer on record: %q", r.seen())
	}
}

// A limit reached within a delta holds for the rest of that delta: no later call is recorded or
// started.
func TestLimitInsideDelta(t *testing.T) {
	for name, c := range map[string]struct {
		limits agent.Limits
		text   string
		want   []string
	}{
		"calls":   {agent.Limits{Calls: 1}, calls(`look("a")`, `look("b")`, `look("c")`), []string{"look discarded"}},
		"repeats": {agent.Limits{Repeats: 1}, calls(`look("a")`, `look("a")`, `look("c")`), []string{"look discarded"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(c.text))
			r.cfg.Limits = c.limits
			out, err := r.run()
			wantError[*agent.LimitError](t, err)
			wantStatuses(t, out, c.want...)
			r.wantLogOnce("append call t1c1 early", "append response", "append discarded t1c1")
			if slices.Contains(r.seen(), `start look {"q":"c"}`) {
				t.Error("a call after the limit was started")
			}
		})
	}
}

// 10,000 calls in one response against --max-calls: calls above the limit cost nothing and leave
// nothing.
func TestManyCallsOverLimit(t *testing.T) {
	statements := make([]string, 10_000)
	for i := range statements {
		statements[i] = fmt.Sprintf("look(%q)", fmt.Sprint(i))
	}
	r := newRig(t, says(calls(statements...)))
	out, err := r.run()
	if limit := wantError[*agent.LimitError](t, err); limit.Budget != "calls" || limit.Limit != 100 {
		t.Errorf("error %v", limit)
	}
	if len(out.Calls) != 100 {
		t.Errorf("%d calls are reported", len(out.Calls))
	}
	if len(r.records) > 250 {
		t.Errorf("%d records", len(r.records))
	}
}
