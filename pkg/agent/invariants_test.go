package agent_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// A reply of a generated run: statements and a stop reason.
type drawnReply struct {
	Statements []string
	Stop       chat.Stop
	Piece      int // bytes of a piece
}

func (d drawnReply) step() step {
	text := "Well.\n"
	if len(d.Statements) > 0 {
		text = calls(d.Statements...)
	}
	whole := chunked(text, d.Piece)
	if d.Stop != chat.StopEnd {
		whole = stops(text, d.Stop)
	}
	return whole
}

// drawReplies generates the replies of a run.
func drawReplies() *rapid.Generator[[]drawnReply] {
	statement := rapid.Custom(func(t *rapid.T) string {
		arg := rapid.StringMatching(`[a-e]`).Draw(t, "argument")
		form := rapid.SampledFrom([]string{
			`look(%q)`, `look(%q)`, `put(%q)`, `put(%q)`, `fetch("http://%s.test/")`, `launch([%q])`, `nope(%q)`, `look(%q, 1)`, `put({x: %q})`, `look(%s)`, `x = %q`,
		}).Draw(t, "form")
		return fmt.Sprintf(form, arg)
	})
	one := rapid.Custom(func(t *rapid.T) drawnReply {
		return drawnReply{
			Statements: rapid.SliceOfN(statement, 0, 6).Draw(t, "statements"),
			Stop:       rapid.SampledFrom([]chat.Stop{chat.StopEnd, chat.StopEnd, chat.StopEnd, chat.StopLength, chat.StopOther}).Draw(t, "stop"),
			Piece:      rapid.IntRange(1, 40).Draw(t, "piece"),
		}
	})
	return rapid.SliceOfN(one, 0, 6)
}

// drawnRun executes a generated run, which may end in any way.
func drawnRun(t *testing.T, script []drawnReply, fail int) (*rig, agent.Outcome, error) {
	var steps []step
	for _, d := range script {
		steps = append(steps, d.step())
	}
	r := newRig(t, then(steps...)...)
	r.cfg.Limits = agent.Limits{Calls: 20, Repeats: 4, Reminders: 1}
	r.cfg.ContinueDenied, r.fail = true, fail
	out, err := r.run()
	return r, out, err
}

// For all replies and all disk failures, the log of a run keeps these rules.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := drawReplies().Draw(rt, "replies")
		r, out, err := drawnRun(t, script, rapid.IntRange(0, 60).Draw(rt, "fail"))
		log := r.seen()
		running, failed := []string{}, false
		for i, line := range log {
			what, rest, _ := strings.Cut(line, " ")
			writing := slices.ContainsFunc(running, func(call string) bool { return strings.HasPrefix(call, "put") })
			switch {
			case failed && (what == "append" || what == "sync" || what == "ask" || strings.HasPrefix(line, "start put")):
				rt.Errorf("after the failure: %s", line)
			case strings.HasSuffix(line, "FAILS"):
				failed = true
			case what == "start" && (writing || strings.HasPrefix(rest, "put") && len(running) > 0):
				rt.Errorf("%s beside %v", line, running)
			case strings.HasPrefix(line, "start put") && (log[i-1] != "sync" || !strings.HasPrefix(log[i-2], "append intent")):
				rt.Errorf("%s has no durable intent before it", line)
			case strings.HasPrefix(line, "end put") && log[i+1] != "append result "+strings.TrimPrefix(log[i-3], "append intent ") && !strings.HasSuffix(log[i+1], "FAILS"):
				rt.Errorf("%s is followed by %s", line, log[i+1])
			case what == "ask" && len(running) > 0:
				rt.Errorf("%s while %v are running", line, running)
			case strings.HasPrefix(line, "start launch"), strings.HasPrefix(line, "start nope"):
				rt.Errorf("%s", line)
			}
			switch what {
			case "start":
				running = append(running, rest)
			case "end":
				at := slices.Index(running, rest)
				running = slices.Delete(running, at, at+1)
			}
		}
		if len(running) > 0 {
			rt.Errorf("%v is left running", running)
		}
		wantAccounts(rt, log, failed)
		if failed != (err != nil && strings.Contains(err.Error(), errDisk.Error())) || (out.Answer == nil) != (err != nil) {
			rt.Errorf("answer %s, error %v", out.Answer, err)
		}
		if rt.Failed() {
			rt.Logf("log:\n%s", strings.Join(log, "\n"))
		}
	})
}

// wantAccounts asserts that every call that may have run early has a result or
// is discarded, never both, and that no call has two results.
func wantAccounts(t *rapid.T, log []string, failed bool) {
	outcomes := map[string]int{}
	for _, line := range log {
		for _, kind := range []string{"append result ", "append discarded "} {
			if id, ok := strings.CutPrefix(line, kind); ok {
				outcomes[id]++
			}
		}
	}
	for _, line := range log {
		id, early := strings.CutSuffix(strings.TrimPrefix(line, "append call "), " early")
		if early && outcomes[id] != 1 && !failed {
			t.Errorf("%s has %d outcomes", id, outcomes[id])
		}
	}
	for id, n := range outcomes {
		if n > 1 {
			t.Errorf("%s has %d outcomes", id, n)
		}
	}
}

// Two runs with the same seed and the same replies send the same requests.
func TestLawOfReplay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := drawReplies().Draw(rt, "replies")
		one, _, _ := drawnRun(t, script, 0)
		other, _, _ := drawnRun(t, script, 0)
		if diff := cmp.Diff(one.requests, other.requests); diff != "" {
			rt.Errorf("requests (-one +other):\n%s", diff)
		}
	})
}
