package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// V5: the first denied write ends the run. Reads that were running are dropped,
// and nothing else of the response is started.
func TestDeniedWrite(t *testing.T) {
	r := newRig(t, says(calls(`look("a")`, `put("b")`, `look("c")`, `put("d")`, "finalResponse()")))
	r.cfg.Policy.Allow = nil
	out, err := r.run()
	denied := wantError[*agent.DeniedError](t, err)
	if denied.Tool != "put" || denied.Why == "" || denied.Hint == "" {
		t.Errorf("error %+v", denied)
	}
	wantStatuses(t, out, "look discarded", "put denied DENIED", "look skipped", "put denied DENIED")
	for _, line := range r.seen() {
		if strings.HasPrefix(line, "start put") || strings.HasSuffix(line, `{"q":"c"}`) {
			t.Errorf("after a denial: %s", line)
		}
	}
	if out.Aborted || len(r.requests) != 1 {
		t.Errorf("aborted %v after %d requests", out.Aborted, len(r.requests))
	}
}

// Running commands is denied in the same way, and so is a write that a flag
// denies; a read that a flag denies is only told to the model.
func TestDeniedEffects(t *testing.T) {
	for _, c := range []struct {
		name, call string
		deny       []string
		readOnly   bool
		ends       bool
	}{
		{"exec", `launch(["ls"])`, nil, false, true},
		{"denied write", `put("a")`, []string{"p*"}, false, true},
		{"read-only", `put("a")`, nil, true, true},
		{"denied read", `look("a")`, []string{"look"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, then(says(calls(c.call)))...)
			r.cfg.Policy.Deny, r.cfg.Policy.ReadOnly = c.deny, c.readOnly
			out, err := r.run()
			if c.ends {
				wantError[*agent.DeniedError](t, err)
			} else if err != nil {
				t.Fatal(err)
			} else if !strings.Contains(r.last(1), `"code":"DENIED"`) {
				t.Errorf("the model is not told:\n%s", r.last(1))
			}
			if got := out.Calls[0]; got.Status != agent.CallDenied || got.Code != chat.Denied {
				t.Errorf("report %+v", got)
			}
			if slices.ContainsFunc(r.seen(), func(line string) bool { return strings.HasPrefix(line, "start ") }) {
				t.Error("a denied call was started")
			}
		})
	}
}

// With ContinueDenied the model is told, the other calls run, and the decision
// is on record.
func TestContinueDenied(t *testing.T) {
	r := newRig(t, then(says(calls(`put("a")`, `look("b")`)))...)
	r.cfg.Policy.Allow, r.cfg.ContinueDenied = nil, true
	out := r.mustRun()
	wantStatuses(t, out, "put denied DENIED", "look ok")
	if !strings.Contains(r.last(1), "was not allowed to") || !strings.Contains(r.last(1), `{"q":"b"}`) {
		t.Errorf("results:\n%s", r.last(1))
	}
	var decisions []string
	for _, body := range r.records {
		if c, ok := body.(runfile.Call); ok {
			decisions = append(decisions, c.Name+" "+c.Effect+" "+c.Verdict+" "+c.Rule)
		}
	}
	if diff := cmp.Diff([]string{"put write deny default:write", "look read allow default:read"}, decisions); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}

// needs makes look ask for some fields, for arguments that contain a word.
func needs(r *rig, tool, word string, fields ...string) {
	r.do[tool] = func(_ context.Context, args string) (chat.Result, error) {
		if strings.Contains(args, word) {
			return chat.Result{Needs: fields, Question: "Which one?"}, nil
		}
		return chat.Success(json.RawMessage(args)), nil
	}
}

// P3: needs go to the model first; what no call has settled at the end is an
// error, beside the answer.
func TestNeeds(t *testing.T) {
	r := newRig(t, then(says(calls(`look("unclear")`)))...)
	needs(r, "look", "unclear", "city", "date")
	out, err := r.run()
	missing := wantError[*agent.NeedsError](t, err)
	want := agent.Needs{Tool: "look", Fields: []string{"city", "date"}, Question: "Which one?"}
	if diff := cmp.Diff(want, missing.Needs); diff != "" {
		t.Errorf("needs (-want +got):\n%s", diff)
	}
	wantStatuses(t, out, "look needs")
	if string(out.Answer) != answer42 || out.Aborted {
		t.Errorf("answer %s, aborted %v", out.Answer, out.Aborted)
	}
	if !strings.Contains(r.last(1), `"needs":{"city":true,"date":true},"question":"Which one?"`) {
		t.Errorf("the model is not told:\n%s", r.last(1))
	}
}

func TestNeedsResolved(t *testing.T) {
	r := newRig(t, then(says(calls(`look("unclear")`)), says(calls(`look("clear")`)))...)
	needs(r, "look", "unclear", "city")
	wantStatuses(t, r.mustRun(), "look needs", "look ok")

	// The success of another tool settles nothing, nor does a failure.
	r = newRig(t, then(says(calls(`look("unclear")`)), says(calls(`fetch("http://a.test/")`, `look(1)`)))...)
	needs(r, "look", "unclear", "city")
	_, err := r.run()
	wantError[*agent.NeedsError](t, err)
}

// Of several needs it is always the same that is reported.
func TestNeedsAreOrdered(t *testing.T) {
	for range 20 {
		r := newRig(t, then(says(calls(`put("unclear")`, `fetch("http://unclear.test/")`, `look("unclear")`)))...)
		for _, name := range []string{"put", "fetch", "look"} {
			needs(r, name, "unclear", "city")
		}
		_, err := r.run()
		if missing := wantError[*agent.NeedsError](t, err); missing.Tool != "look" {
			t.Fatalf("%s is reported, want look, which is defined first", missing.Tool)
		}
	}
}
