package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

type ctx = context.Context

// asksAbout compiles a policy for the toolbox.
func asksAbout(t *testing.T, text string) policy.Policy {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	l, findings := policy.Compile(raw, registry(t))
	if l == nil {
		t.Fatal(findings)
	}
	return policy.Policy{Layers: []*policy.Layer{l}, Flags: policy.FlagRules{EnableExec: true}}
}

// A recording approver stores the requests it gets.
type recording struct {
	asked  []string
	answer func(q agent.ApprovalRequest) (agent.Approval, error)
}

func (r *recording) Approve(_ ctx, q agent.ApprovalRequest) (agent.Approval, error) {
	r.asked = append(r.asked, q.Tool+" "+string(q.Arguments))
	return r.answer(q)
}

func yes(agent.ApprovalRequest) (agent.Approval, error) {
	return agent.Approval{Approved: true, By: "program", ID: "7"}, nil
}

func no(agent.ApprovalRequest) (agent.Approval, error) { return agent.Approval{By: "tty"}, nil }

const careful = `{version: 1, enable_exec: true, tools: {put: {ask: [{id: p}]}, look: {ask: [{args: {q: [secret]}}], allow: [{}], deny: [{args: {q: [never]}}]}, launch: {allow: [{}]}}}`

// V3: approvals are requested one at a time, in execution order, before any call of the response is
// executed.
func TestApprove(t *testing.T) {
	for _, c := range []struct {
		name     string
		calls    []string
		answer   func(agent.ApprovalRequest) (agent.Approval, error)
		goesOn   bool
		asked    []string
		statuses []string
		started  []string
		fails    error
	}{
		{
			"yes", []string{`launch(["x"])`, `put("a")`, `look("secret")`, `look("free")`}, yes, false,
			[]string{`put {"path":"a"}`, `look {"q":"secret"}`}, []string{"launch ok", "put ok", "look ok", "look ok"},
			[]string{`launch {"argv":["x"]}`, `put {"path":"a"}`, `look {"q":"secret"}`, `look {"q":"free"}`}, nil,
		},
		{
			"no to a change", []string{`put("a")`, `look("free")`, `put("b")`}, no, false,
			[]string{`put {"path":"a"}`}, []string{"put denied DENIED", "look skipped", "put skipped"}, nil, new(agent.DeniedError),
		},
		{
			"no, and on", []string{`put("a")`, `put("b")`}, no, true,
			[]string{`put {"path":"a"}`, `put {"path":"b"}`}, []string{"put denied DENIED", "put denied DENIED"}, nil, new(agent.AllDeniedError),
		},
		{
			"no to a read", []string{`look("secret")`, `look("free")`}, no, false,
			[]string{`look {"q":"secret"}`}, []string{"look denied DENIED", "look ok"}, []string{`look {"q":"free"}`}, nil,
		},
		{
			"nobody", []string{`put("a")`, `look("secret")`, `look("free")`}, func(agent.ApprovalRequest) (agent.Approval, error) { return agent.Approval{}, errNobody }, false,
			[]string{`put {"path":"a"}`, `look {"q":"secret"}`}, []string{"put skipped", "look skipped", "look skipped"}, nil, new(agent.ApprovalError),
		},
		{
			"nobody, and on", []string{`put("a")`, `look("free")`}, func(agent.ApprovalRequest) (agent.Approval, error) { return agent.Approval{}, errNobody }, true,
			[]string{`put {"path":"a"}`}, []string{"put denied DENIED", "look ok"}, []string{`look {"q":"free"}`}, nil,
		},
		{
			"a denial comes first", []string{`put("a")`, `look("never")`, `launch([])`, `put("a")`}, yes, true,
			[]string{`put {"path":"a"}`, `put {"path":"a"}`}, []string{"put ok", "look denied DENIED", "launch ok", "put ok"},
			[]string{`put {"path":"a"}`, `launch {"argv":[]}`, `put {"path":"a"}`}, nil,
		},
		{
			"other arguments", []string{`put("a")`}, func(agent.ApprovalRequest) (agent.Approval, error) {
				return agent.Approval{Approved: true, Modified: json.RawMessage(`{"path":"b"}`)}, nil
			}, false, []string{`put {"path":"a"}`}, []string{"put ok"}, []string{`put {"path":"b"}`}, nil,
		},
		{
			"arguments that do not fit", []string{`look("secret")`}, func(agent.ApprovalRequest) (agent.Approval, error) {
				return agent.Approval{Approved: true, Modified: json.RawMessage(`{"path":"b"}`)}, nil
			}, false, []string{`look {"q":"secret"}`}, []string{"look denied INVALID_ARGUMENTS"}, nil, new(agent.AllDeniedError),
		},
		{
			"arguments that can be read in two ways", []string{`look("secret")`}, func(agent.ApprovalRequest) (agent.Approval, error) {
				return agent.Approval{Approved: true, Modified: json.RawMessage(`{"q":"open","q":"never"}`)}, nil
			}, false, []string{`look {"q":"secret"}`}, []string{"look denied INVALID_ARGUMENTS"}, nil, new(agent.AllDeniedError),
		},
		{
			"arguments that are denied", []string{`look("secret")`}, func(agent.ApprovalRequest) (agent.Approval, error) {
				return agent.Approval{Approved: true, Modified: json.RawMessage(`{"q":"never"}`)}, nil
			}, false, []string{`look {"q":"secret"}`}, []string{"look denied DENIED"}, nil, new(agent.AllDeniedError),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, then(says(calls(c.calls...)))...)
			r.cfg.Policy, r.cfg.ContinueDenied = asksAbout(t, careful), c.goesOn
			asks := &recording{answer: c.answer}
			r.cfg.Approver = asks
			out, err := r.run()
			switch c.fails.(type) {
			case nil:
				if err != nil {
					t.Fatal(err)
				}
			case *agent.DeniedError:
				wantError[*agent.DeniedError](t, err)
			case *agent.AllDeniedError:
				wantError[*agent.AllDeniedError](t, err)
			case *agent.ApprovalError:
				wantError[*agent.ApprovalError](t, err)
			}
			if diff := cmp.Diff(c.asked, asks.asked); diff != "" {
				t.Errorf("asked:\n%s", diff)
			}
			wantStatuses(t, out, c.statuses...)
			started := []string{}
			for _, line := range r.seen() {
				if call, ok := strings.CutPrefix(line, "start "); ok {
					started = append(started, call)
				}
			}
			if len(started)+len(c.started) > 0 && len(started) != len(c.started) {
				t.Errorf("started %q, want %q", started, c.started)
			}
			for _, call := range c.started {
				if !strings.Contains(strings.Join(started, "\n"), call) {
					t.Errorf("%s was not started: %q", call, started)
				}
			}
		})
	}
}

// The model gets the approver's decision in the words of V3, and the record has it with the digest
// of the request.
func TestRefusalReachesModel(t *testing.T) {
	r := newRig(t, then(says(calls(`look("secret")`, `look("free")`)))...)
	r.cfg.Policy, r.cfg.Approver = asksAbout(t, careful), &recording{answer: no}
	r.mustRun()
	if !strings.Contains(r.last(1), `"message":"User cancelled tool execution"`) {
		t.Error(r.last(1))
	}
	digest := runfile.CallDigest("look", []byte(`{"q":"secret"}`))
	for _, b := range r.records {
		if a, ok := b.(runfile.Approval); ok {
			if a.Digest != digest || a.Approved || a.By != "tty" {
				t.Errorf("%+v", a)
			}
			return
		}
	}
	t.Error("no approval is on record")
}

// An approved call counts like an allowed one: limits apply.
func TestApprovalCounts(t *testing.T) {
	r := newRig(t, then(says(calls(`put("a")`, `put("b")`)))...)
	r.cfg.Policy = asksAbout(t, `{version: 1, tools: {put: {ask: [{}], limit: {calls: 1}}}}`)
	r.cfg.ContinueDenied = true
	asks := &recording{answer: yes}
	r.cfg.Approver = asks
	wantStatuses(t, r.mustRun(), "put ok", "put denied RATE_LIMITED")
	if len(asks.asked) != 1 {
		t.Error(asks.asked)
	}
}

// A call needs approval also if its rule overwrites the argument that the rule constrains, or if only --ask requires the
// approval: the approver sees the new value.
func TestApprovalOfSetArguments(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		ask    []string
	}{
		"a rule": {`{version: 1, tools: {look: {ask: [{args: {q: [secret]}, set: {q: open}}]}}}`, nil},
		"a flag": {`{version: 1, tools: {look: {allow: [{args: {q: [secret]}, set: {q: open}}]}}}`, []string{"look"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, then(says(calls(`look("secret")`)))...)
			r.cfg.Policy = asksAbout(t, c.policy)
			r.cfg.Policy.Flags.Ask = c.ask
			asks := &recording{answer: yes}
			r.cfg.Approver = asks
			wantStatuses(t, r.mustRun(), "look ok")
			if diff := cmp.Diff([]string{`look {"q":"open"}`}, asks.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A timeout during an approval ends the run.
func TestApprovalEnds(t *testing.T) {
	late := errors.New("late")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := newRig(t, then(says(calls(`put("a")`)))...)
	r.cfg.Policy = asksAbout(t, careful)
	r.cfg.Approver = &recording{answer: func(agent.ApprovalRequest) (agent.Approval, error) {
		cancel(late)
		return agent.Approval{}, late
	}}
	if _, err := agent.Run(ctx, r.cfg); !errors.Is(err, late) || errors.As(err, new(*agent.ApprovalError)) {
		t.Errorf("%v", err)
	}
}

// Labels and rule of a call are those of the arguments set by the approver.
func TestModifiedCallCounts(t *testing.T) {
	r := newRig(t, then(says(calls(`fetch("http://a.test/")`)), says(calls(`look("open")`)), says(calls(`put("x")`)))...)
	r.cfg.Policy = asksAbout(t, `{version: 1, tools: {
		fetch: {allow: [{}]}, look: {ask: [{args: {q: [open]}}], allow: [{id: free, limit: {calls: 1}}]}, put: {allow: [{}]}},
		labels: {fetch: [{add: [untrusted]}], look: [{args: {q: [diary]}, add: [private]}], put: [{add: [sink]}]}}`)
	r.cfg.Approver = &recording{answer: func(agent.ApprovalRequest) (agent.Approval, error) {
		return agent.Approval{Approved: true, Modified: json.RawMessage(`{"q":"diary"}`)}, nil
	}}
	_, err := r.run()
	denied := wantError[*agent.DeniedError](t, err)
	if denied.Tool != "put" || !strings.Contains(denied.Why, "private data (look)") {
		t.Errorf("%+v", denied)
	}
	for _, b := range r.records {
		if a, ok := b.(runfile.Approval); ok && (a.Rule != "free" || len(a.Labels) != 1) {
			t.Errorf("%+v", a)
		}
	}
}

// M2: a recorded approval is bound to the effects at that time. If they have changed and no call of
// the response was executed, the approver is asked again; otherwise the approval holds.
func TestResumeChangedApprovals(t *testing.T) {
	steps := func() []step { return then(says(calls(`put("a")`, `put("b")`))) }
	rigged := func(r *rig, state *string) *recording {
		r.cfg.ID = "x"
		r.cfg.Policy = asksAbout(t, `{version: 1, tools: {put: {ask: [{id: once, limit: {calls: 2}}]}}}`)
		r.cfg.Preview = func(*tool.Definition, json.RawMessage) chat.CallPreview {
			return chat.CallPreview{Files: []chat.FilePreview{{Path: "a", Resolved: "a", State: chat.FilePresent, SHA256: *state}}}
		}
		asks := &recording{answer: yes}
		r.cfg.Approver = asks
		return asks
	}
	before, after := "1", "2"
	first := newRig(t, steps()...)
	rigged(first, &before)
	_, log := first.recordedRun()
	for n := 1; n <= len(log.Records); n++ {
		part := log.Records[:n]
		if _, open := part[n-1].Body.(runfile.Intent); open {
			continue // its outcome is unknown
		}
		approved, carried := countOf[runfile.Approval](part), countOf[runfile.Intent](part)
		for _, state := range []*string{&before, &after} {
			r, past := resumed(t, part, steps())
			asks := rigged(r, state)
			wantStatuses(t, r.mustRun(), "put ok", "put ok")
			want := 2 - approved
			if state == &after && carried == 0 {
				want = 2
			}
			if len(asks.asked) != want {
				t.Errorf("cut after record %d, state %s: asked %q, want %d", n, *state, asks.asked, want)
			}
			again, _ := resumed(t, asRecords(append(bodies(past), r.records...)), steps())
			if asks := rigged(again, state); len(asks.asked) > 0 {
				t.Error(asks.asked)
			}
			wantStatuses(t, again.mustRun(), "put ok", "put ok")
		}
	}
}

// M2: a call whose effects change during its approval is shown again, and is unapproved after the
// last attempt.
func TestApprovalOfChangingEffects(t *testing.T) {
	for changes, want := range map[int]int{0: 1, 1: 2, 9: 3} {
		r := newRig(t, then(says(calls(`put("a")`)))...)
		r.cfg.Policy = asksAbout(t, careful)
		version := 0
		asks := &recording{answer: func(q agent.ApprovalRequest) (agent.Approval, error) {
			if changes > version {
				version++
			}
			return yes(q)
		}}
		r.cfg.Approver = asks
		r.cfg.Preview = func(*tool.Definition, json.RawMessage) chat.CallPreview {
			return chat.CallPreview{Argv: []string{strings.Repeat("x", version)}}
		}
		_, err := r.run()
		if len(asks.asked) != want || (err != nil) != (changes == 9) {
			t.Errorf("%d changes: asked %q, %v", changes, asks.asked, err)
		}
	}
}

// X4: each file in an approval request has the reason why the call accesses it; Decision 16: an approval is for
// one call of one run.
func TestApprovalFacts(t *testing.T) {
	r := newRig(t, then(says(calls(`look("secret")`)), says(calls(`put("found.md")`, `put("found.md")`)))...)
	r.cfg.Prompt = "Read given.md"
	r.do["look"] = func(ctx, string) (chat.Result, error) { return chat.Success([]string{"found.md"}), nil }
	r.cfg.Policy = asksAbout(t, careful)
	r.cfg.Preview = func(*tool.Definition, json.RawMessage) chat.CallPreview {
		return chat.CallPreview{Files: []chat.FilePreview{{Path: "given.md"}, {Path: "found.md"}, {Path: "made.md"}}}
	}
	seen := map[string]bool{}
	reasons := []string{}
	r.cfg.Approver = &recording{answer: func(q agent.ApprovalRequest) (agent.Approval, error) {
		seen[q.Approval] = true
		reasons = reasons[:0]
		for _, f := range q.Preview.Files {
			reasons = append(reasons, f.Reason)
		}
		return yes(q)
	}}
	r.mustRun()
	want := []string{"your prompt or input names it", "a result of look names it", "only the model names it"}
	if diff := cmp.Diff(want, reasons); diff != "" || len(seen) != 3 {
		t.Errorf("%s, %d approvals", diff, len(seen))
	}
}
