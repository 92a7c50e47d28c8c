package agent_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/executor"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// eventful is a run with every kind of step.
func eventful() []step {
	return []step{
		says("I look.\n" + calls(`look("a")`, `look("b <tool_call>")`, `look("c")`)),
		says(""),
		says(calls(`look("e")`)),
		stops(calls(`look("dropped")`), chat.StopLength),
		says("Hm."),
		says(calls(`nope(1)`, `put("x")`, `look(1 2)`, `look("d")`)),
		says(calls("finalResponse()")),
		says("not JSON"),
		says("```json\n" + answer42 + "\n```"),
	}
}

// The same seed gives identical requests; another seed changes only the boundary.
func TestSameSeedSameRequests(t *testing.T) {
	one := func(seed byte) *rig {
		r := newRig(t, eventful()...)
		r.cfg.Input, r.cfg.Seed[0] = "some data", seed
		r.cfg.Limits.Turns = 0
		r.mustRunEventful()
		return r
	}
	first := one(1)
	for range 5 {
		if diff := cmp.Diff(first.requests, one(1).requests); diff != "" {
			t.Fatalf("requests differ (-first +other):\n%s", diff)
		}
	}
	other := one(2)
	mark, otherMark := first.mark(), other.mark()
	if mark == otherMark || len(mark) != 32 {
		t.Fatalf("marks %q and %q", mark, otherMark)
	}
	for i := range first.requests {
		for j, m := range first.requests[i].Messages {
			if got := strings.ReplaceAll(m.Content, mark, otherMark); got != other.requests[i].Messages[j].Content {
				t.Errorf("request %d differs in more than the mark:\n%s", i+1, cmp.Diff(got, other.requests[i].Messages[j].Content))
			}
		}
	}
}

// The dropped reads of an eventful run may or may not start.
func (r *rig) mustRunEventful() agent.Outcome {
	r.t.Helper()
	out := r.mustRun()
	wantStatuses(r.t, out, "look ok", "look ok", "look ok", "look ok", "look discarded", "nope error UNKNOWN_TOOL", "put ok", "look skipped", "look ok")
	return out
}

// mark returns the boundary around the input in the first message.
func (r *rig) mark() string {
	_, rest, _ := strings.Cut(r.requests[0].Messages[0].Content, "--- ")
	mark, _, _ := strings.Cut(rest, " begin ---")
	return mark
}

// T7: the system prompt is the same on every turn, and the history only grows.
func TestMessagesOnlyGrow(t *testing.T) {
	r := newRig(t, eventful()...)
	r.cfg.Limits.Turns = 0
	r.mustRunEventful()
	for i, req := range r.requests[1:] {
		before := r.requests[i]
		if req.System != before.System {
			t.Errorf("request %d has another system prompt", i+2)
		}
		if diff := cmp.Diff(before.Messages, req.Messages[:len(before.Messages)]); diff != "" {
			t.Errorf("request %d changes the history (-before +after):\n%s", i+2, diff)
		}
	}
}

// The record holds every message once: each request has its new messages and the digest of all, and
// the first one has the system prompt.
func TestRecordGrowsLinearly(t *testing.T) {
	r := newRig(t, eventful()...)
	r.cfg.Limits.Turns = 0
	r.mustRunEventful()
	var whole []chat.Message
	for i, body := range requestsOf(r) {
		sent := r.requests[i]
		whole = append(whole, body.Messages...)
		if diff := cmp.Diff(sent.Messages, whole); diff != "" {
			t.Fatalf("request %d is not what is on record (-sent +recorded):\n%s", i+1, diff)
		}
		if body.Digest != provider.Digest(sent) || body.Turn != i+1 || body.Purpose != sent.Purpose {
			t.Errorf("record %+v", body)
		}
		if (body.System != "") != (i == 0) {
			t.Errorf("request %d is recorded with the system prompt %q", i+1, body.System)
		}
	}
}

// A run file written by a run is complete, has no findings, and replays the same run, including its
// tools.
func TestReplayOfRunFile(t *testing.T) {
	first := newRig(t, eventful()...)
	first.cfg.Limits.Turns = 0
	was, log := first.recordedRun()
	if findings := runfile.Findings("run.jsonl", log, nil); len(findings) > 0 {
		t.Errorf("findings %v", findings)
	}

	again := newRig(t)
	again.cfg.Limits.Turns = 0
	player, err := provider.NewReplay("run.jsonl", log)
	if err != nil {
		t.Fatal(err)
	}
	again.cfg.Model, again.cfg.Runner = player, executor.NewReplay(log)
	now, _ := again.recordedRun()
	if diff := cmp.Diff(was, now); diff != "" {
		t.Errorf("outcome (-first +replayed):\n%s", diff)
	}
	digests := func(r *rig) (all []string) {
		for _, b := range requestsOf(r) {
			all = append(all, b.Digest)
		}
		return all
	}
	if diff := cmp.Diff(digests(first), digests(again)); diff != "" {
		t.Errorf("digests (-first +replayed):\n%s", diff)
	}
}

// recordedRun runs the agent with a run file and returns its content.
func (r *rig) recordedRun() (agent.Outcome, *runfile.Log) {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path, runfile.Run{ID: "20261121T090000Z-000000"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.cfg.Recorder = tee{r, w}
	out := r.mustRun()
	if err := w.Close(); err != nil {
		r.t.Fatal(err)
	}
	log, err := runfile.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return out, log
}

// tee writes records to two recorders.
type tee struct{ one, other agent.Recorder }

func (t tee) Append(body runfile.Body) error {
	if err := t.one.Append(body); err != nil {
		return err
	}
	return t.other.Append(body)
}

func (t tee) Sync() error {
	if err := t.one.Sync(); err != nil {
		return err
	}
	return t.other.Sync()
}

// Events arrive in the order in which they happen.
func TestEvents(t *testing.T) {
	var events []string
	refused := &provider.FormatError{Err: &provider.StatusError{Status: 500, Message: "invalid format"}}
	r := newRig(t, says("Hm."), says(""), says(calls(`look("a")`, `look(1 2)`)), says(calls("finalResponse()")),
		breaks("", refused), says("no"), says("```json\n"+answer42+"\n```"))
	r.cfg.Observe = func(e agent.Event) {
		events = append(events, strings.TrimSpace(fmt.Sprintf("%d %s %s %s%s", e.Turn, e.Kind, e.Purpose, e.Call.Status, e.Finding.Code)))
	}
	r.mustRun()
	want := []string{
		"1 request turn", "1 text", "1 reply", "1 reprompt",
		"2 request turn", "2 reply", "2 reprompt",
		"3 request turn", "3 text", "3 call  skipped", "3 start  skipped", "3 reply", "3 finding  TC220", "3 result  ok",
		"4 request turn", "4 text", "4 reply",
		"5 request answer", "5 reprompt",
		"6 request answer", "6 text", "6 reply", "6 reprompt",
		"7 request answer", "7 text", "7 reply", "7 finding  TA003",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// For any end of a run, the order of its records is valid.
func TestRecordIsOrdered(t *testing.T) {
	denied := says(calls(`look("a")`, `put("b")`, `look("c")`))
	for name, c := range map[string]struct {
		steps  []step
		change func(r *rig)
	}{
		"answered":               {steps: eventful()},
		"cancelled in a read":    {steps: []step{says(calls(`put("w")`, `look("a")`))}, change: func(r *rig) { r.do["look"] = waits }},
		"cancelled in a write":   {steps: []step{says(calls(`put("a")`, `put("b")`))}, change: func(r *rig) { r.do["put"] = waits }},
		"cancelled in a stream":  {steps: []step{hangs(calls(`look("a")`, `put("b")`))}},
		"broken off":             {steps: []step{breaks(calls(`look("a")`, `put("b")`), errNoStep)}},
		"denied":                 {steps: []step{denied}, change: func(r *rig) { r.cfg.Policy.Flags.Allow = nil }},
		"denied and shown":       {steps: then(denied), change: func(r *rig) { r.cfg.Policy.Flags.Allow, r.cfg.ContinueDenied = nil, true }},
		"over a limit":           {steps: []step{denied}, change: func(r *rig) { r.cfg.Limits.Calls = 2 }},
		"refused format":         {steps: []step{says(calls("finalResponse()")), breaks("", &provider.FormatError{Err: new(provider.StatusError)}), says(answer42)}},
		"no answer":              {steps: []step{says(calls("finalResponse()")), says(""), says("")}},
		"an answer in the first": {steps: []step{says(answer42 + "\n" + calls("finalResponse()"))}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.steps...)
				r.cfg.Limits.Turns = 0
				if c.change != nil {
					c.change(r)
				}
				if findings := r.findingsOfRecord(); len(findings) > 0 {
					t.Errorf("findings %v\nlog:\n%s", findings, strings.Join(r.seen(), "\n"))
				}
			})
		})
	}
}

// findingsOfRecord runs the agent with a run file, cancels it after a while if asked to, and
// returns the findings in the file.
func (r *rig) findingsOfRecord() []diag.Finding {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path, runfile.Run{ID: "20261121T090000Z-000000"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.cfg.Recorder = tee{r, w}
	out, err := r.cancelled(time.Minute)
	end := runfile.End{Name: "ok", Usage: out.Usage, Turns: out.Turns, Calls: len(out.Calls)}
	if err != nil {
		end.Exit, end.Name, end.Why = 1, "failed", err.Error()
	}
	if err := errors.Join(w.Append(end), w.Close()); err != nil {
		r.t.Fatal(err)
	}
	log, err := runfile.ReadFile(path)
	return runfile.Findings(path, log, err)
}
