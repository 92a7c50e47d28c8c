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
	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// T7: a reply without a call gets a reminder with an example call, a bounded number of times in a
// row.
func TestReminders(t *testing.T) {
	r := newRig(t, says("I think"), says("that"), says("it is over."))
	out, err := r.run()
	if wrong := wantError[*agent.UselessReplyError](t, err); wrong.Why != "no call" {
		t.Errorf("why %q", wrong.Why)
	}
	if out.Turns != 3 {
		t.Errorf("%d turns", out.Turns)
	}
	for i := 1; i < 3; i++ {
		if !strings.Contains(r.last(i), "```tool\nreturn look({q: \"a\"});\n```") {
			t.Errorf("the reminder shows no call:\n%s", r.last(i))
		}
	}
	// The reply stays in the history.
	if got := r.requests[2].Messages; got[1].Content != "I think" || got[3].Content != "that" {
		t.Errorf("messages %v", got)
	}
}

// Decision 25: a call in another dialect than the run's does not run and is a finding, even beside
// a valid call. In reasoning it is a draft, and with an unknown name it is text.
func TestOtherDialect(t *testing.T) {
	const other = `<tool_call>{"name": "look", "arguments": {"q": "a"}}</tool_call>`
	for _, test := range []struct {
		text     string
		findings int
	}{
		{other, 1},
		{calls(`look("a")`) + "\n" + other, 1},
		{"<think>" + other + "</think>", 0},
		{strings.Replace(other, "look", "find", 1), 0},
		{"I look.", 0},
	} {
		r := newRig(t, says(test.text), says(test.text), says(test.text))
		out, _ := r.run()
		if len(out.Findings) != 3*test.findings {
			t.Errorf("%q: findings %v", test.text, out.Findings)
		}
		for _, f := range out.Findings {
			if f.Code != diag.OtherDialect || f.Severity != diag.Warning || !strings.Contains(test.text[f.Span.Start:f.Span.End], "look") {
				t.Errorf("%q: %v", test.text, f)
			}
		}
	}
}

// A call in between resets the count; without any reminder the first such reply ends the run.
func TestRemindersInARow(t *testing.T) {
	well, look := says("Well."), says(calls(`look("a")`))
	r := newRig(t, then(well, well, look, well, well)...)
	r.mustRun()

	r = newRig(t, well)
	r.cfg.Limits.Reminders = 0
	_, err := r.run()
	wantError[*agent.UselessReplyError](t, err)
}

// An empty registry is the same as none: the first request asks for the answer.
func TestEmptyRegistry(t *testing.T) {
	r := newRig(t, says(answer42))
	r.cfg.Tools, _ = tool.NewRegistry()
	if out := r.mustRun(); out.Turns != 1 || r.requests[0].Purpose != chat.PurposeAnswer {
		t.Errorf("%d turns, the first for %s", out.Turns, r.requests[0].Purpose)
	}
}

// A reply that is empty or does not end cleanly is dropped and requested again, once; the next
// usable one resets the count.
func TestUselessReplies(t *testing.T) {
	for _, c := range []struct {
		name, why string
		step      step
	}{
		{"empty", "empty", says("")},
		{"blank", "empty", says(" \n\t")},
		{"reasoning only", "empty", func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			delta(chat.Delta{Reasoning: "hm"})
			return chat.Response{Reasoning: "hm", Stop: chat.StopEnd}, nil
		}},
		{"length", "length", stops("It is a long", chat.StopLength)},
		{"empty by length", "length", stops("", chat.StopLength)},
		{"other", "other", stops("It is", chat.StopOther)},
	} {
		t.Run(c.name, func(t *testing.T) {
			look := says(calls(`look("a")`))
			r := newRig(t, c.step, look, c.step, says(calls("finalResponse()")), c.step, says(answer42))
			r.mustRun()
			var said []string
			for _, m := range r.requests[5].Messages {
				if m.Role == chat.Assistant {
					said = append(said, m.Content)
				}
			}
			if len(said) != 2 {
				t.Errorf("the model said %q", said)
			}

			for _, first := range []step{look, says(calls("finalResponse()"))} {
				r = newRig(t, first, c.step, c.step)
				out, err := r.run()
				if wrong := wantError[*agent.UselessReplyError](t, err); wrong.Why != c.why || wrong.Error() == "" {
					t.Errorf("why %q (%v), want %q", wrong.Why, wrong, c.why)
				}
				if out.Turns != 3 {
					t.Errorf("%d turns", out.Turns)
				}
				if !strings.HasPrefix(r.last(2), "Your last reply ") {
					t.Errorf("the model got:\n%s", r.last(2))
				}
			}
		})
	}
}

// T6, V9: the fault of a call is a result on which the model can act, and the other calls run.
func TestWrongCalls(t *testing.T) {
	r := newRig(t, then(says(calls(`loook("a")`, `look({q: 1})`, `look({query: "a"})`, `look("a", "b")`, `look("fine")`)))...)
	out := r.mustRun()
	wantStatuses(t, out, "loook error UNKNOWN_TOOL", "look error INVALID_ARGUMENTS", "look error INVALID_ARGUMENTS",
		"look error INVALID_ARGUMENTS", "look ok")
	for _, want := range []string{
		"Unknown tool: loook; did you mean look?", "q: expected a string", "missing required argument q", "no parameter query", "takes at most 1 argument", `{"q":"fine"}`,
	} {
		if !strings.Contains(r.last(1), want) {
			t.Errorf("the results do not say %q:\n%s", want, r.last(1))
		}
	}
	if strings.Count(strings.Join(r.seen(), "\n"), "start ") != 1 {
		t.Errorf("log:\n%s", strings.Join(r.seen(), "\n"))
	}
}

// M3, T6: an unreadable call is reported to the model and the caller with its position, and
// skipped; the others run.
func TestMalformedCalls(t *testing.T) {
	text := "Two calls.\n" + calls(`look("a" "c")`, `look(x + 1)`, `look("b")`) + "```tool\nconst a = 1;\n```\n"
	r := newRig(t, then(says(text))...)
	out := r.mustRun()
	if !strings.Contains(r.last(1), "could not be read") || !strings.Contains(r.last(1), `{"q":"b"}`) {
		t.Errorf("results:\n%s", r.last(1))
	}
	if len(out.Findings) < 2 {
		t.Fatalf("findings %v", out.Findings)
	}
	for _, f := range out.Findings {
		if f.Span.Line < 3 || f.Span.Column < 1 {
			t.Errorf("the finding has no place: %v", f)
		}
		if f.Severity == diag.Error && !strings.Contains(r.last(1), strings.SplitN(f.Message, `"`, 2)[0]) {
			t.Errorf("the model did not get it: %v", f)
		}
	}
	ran := 0
	for _, c := range out.Calls {
		if c.Status == agent.CallOK {
			ran++
		} else if c.Status != agent.CallSkipped {
			t.Errorf("report %+v", c)
		}
	}
	if ran != 1 {
		t.Errorf("calls %v", statuses(out))
	}
	if _, err := json.Marshal(out.Calls); err != nil {
		t.Errorf("the reports have no JSON form: %v", err)
	}
}

// If a reply ends cleanly inside a call or a fence, all complete calls run.
func TestUnterminatedCalls(t *testing.T) {
	r := newRig(t, then(says("```tool\nlook(\"a\");\nlook(\"b"))...)
	out := r.mustRun()
	wantStatuses(t, out, "look ok", "look skipped")
	if !strings.Contains(r.last(1), "unexpected end of text inside") {
		t.Errorf("the model did not get it:\n%s", r.last(1))
	}

	r = newRig(t, then(says("```tool\nlook(\"a\")"))...)
	out = r.mustRun()
	wantStatuses(t, out, "look ok")
	if len(out.Findings) != 1 || out.Findings[0].Code != diag.UnclosedFence {
		t.Errorf("findings %v", out.Findings)
	}
}

// Omitted arguments are completed before the tool gets them, and the record has both forms.
func TestDefaults(t *testing.T) {
	r := newRig(t, then(says(calls(`list("a")`)))...)
	r.mustRun()
	const whole = `{"dir":"a","limit":10}`
	if !slices.Contains(r.seen(), "start list "+whole) {
		t.Errorf("log:\n%s", strings.Join(r.seen(), "\n"))
	}
	for _, body := range r.records {
		if c, ok := body.(runfile.Call); ok && (string(c.Proposed) != `["a"]` || string(c.Effective) != whole) {
			t.Errorf("recorded as proposed %s and effective %s", c.Proposed, c.Effective)
		}
	}
}

// A long name is shortened.
func TestLongName(t *testing.T) {
	r := newRig(t, then(says(calls(strings.Repeat("n", 200)+"()")))...)
	r.mustRun()
	if got := r.last(1); strings.Contains(got, strings.Repeat("n", 65)) || !strings.Contains(got, strings.Repeat("n", 64)+"…") {
		t.Errorf("results:\n%s", got)
	}
}

// A reply with only malformed calls is not a reply without a call.
func TestOnlyMalformedCalls(t *testing.T) {
	r := newRig(t, then(says(calls(`look(nonsense)`)))...)
	r.cfg.Limits.Reminders = 0
	r.mustRun()
	if strings.Contains(r.last(1), "no call in it") {
		t.Errorf("shown:\n%s", r.last(1))
	}
}

// A result that is not JSON is the tool's failure, for the model to read.
func TestResultWithoutJSON(t *testing.T) {
	for name, data := range map[string]json.RawMessage{"text": json.RawMessage("hello"), "nothing": json.RawMessage{}} {
		for _, keeps := range []bool{true, false} {
			r := newRig(t, then(says(calls(`look("a")`)))...)
			r.do["look"] = func(context.Context, string) (chat.Result, error) { return chat.Result{Data: data}, nil }
			if !keeps {
				r.cfg.Recorder = nil
			}
			out := r.mustRun()
			wantStatuses(t, out, "look error FAILED")
			if !strings.Contains(r.last(1), `"code":"FAILED"`) {
				t.Errorf("%s: results:\n%s", name, r.last(1))
			}
		}
	}
}

// A model that streams, one that streams byte by byte and one that does not stream give identical
// runs.
func TestStreaming(t *testing.T) {
	bytewise := func(text string) step {
		return func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			for i := range len(text) {
				delta(chat.Delta{Content: text[i : i+1]})
			}
			return reply(text), nil
		}
	}
	text := "Ich schaue – 👀:\n" + calls(`look("é👍")`, `look(1 2)`, `put("b")`) + "\n~~~tool\nput('`c`')\n~~~"
	var first *rig
	var firstOut agent.Outcome
	for i, how := range []func(string) step{says, bytewise, func(s string) step { return silent(s, chat.Usage{}) }} {
		r := newRig(t, how(text), how(calls("finalResponse()")), how(answer42))
		out := r.mustRun()
		wantStatuses(t, out, "look ok", "look skipped", "put ok", "put ok")
		if i == 0 {
			first, firstOut = r, out
			continue
		}
		if diff := cmp.Diff(first.requests, r.requests); diff != "" {
			t.Errorf("requests differ (-whole +other):\n%s", diff)
		}
		if diff := cmp.Diff(firstOut, out); diff != "" {
			t.Errorf("outcome differs (-whole +other):\n%s", diff)
		}
	}
}

// Failed attempts are on record and emitted, and the final reply is used.
func TestAttempts(t *testing.T) {
	failed := chat.Attempt{Number: 1, Error: "status 503", Status: 503}
	var shown []chat.Attempt
	r := newRig(t, func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		delta(chat.Delta{Attempt: &failed})
		delta(chat.Delta{Content: calls("finalResponse()")})
		return reply(calls("finalResponse()")), nil
	}, says(answer42))
	r.cfg.Observe = func(e agent.Event) {
		if e.Kind == agent.EventRetry {
			shown = append(shown, *e.Attempt)
		}
	}
	r.mustRun()
	if diff := cmp.Diff([]chat.Attempt{failed}, shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if got, ok := r.records[1].(runfile.Attempt); !ok || got.Attempt != failed || got.Turn != 1 {
		t.Errorf("record %+v", r.records[1])
	}
}

// The last attempt at a request without a response is on record if the server may have got it.
func TestLostAttempts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		resp    chat.Response
		err     error // nil: the run is cancelled during the request
		charged bool
	}{
		{"silent", chat.Response{By: "m"}, &provider.TimeoutError{}, true},
		{"no connection", chat.Response{By: "m", Unsent: true}, &provider.TimeoutError{}, false},
		{"of another model", chat.Response{}, &provider.TimeoutError{}, false},
		{"ended", chat.Response{By: "m"}, nil, true},
		{"ended without a connection", chat.Response{By: "m", Unsent: true}, nil, false},
		{"ended between attempts", chat.Response{}, nil, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRig(t, func(ctx context.Context, _ chat.Request, _ func(chat.Delta)) (chat.Response, error) {
			if tt.err == nil {
				cancel()
				<-ctx.Done()
				return tt.resp, context.Cause(ctx)
			}
			return tt.resp, tt.err
		})
		if _, err := r.runAgent(ctx); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
		cancel()
		lost, ok := r.records[len(r.records)-1].(runfile.Attempt)
		if ok != tt.charged || ok && (!lost.Charged || !lost.Last || lost.By != "m" || lost.Usage.InputTokens == 0) {
			t.Errorf("%s: record %+v", tt.name, r.records[len(r.records)-1])
		}
	}
}

// Duplicate ids and repeated calls of a tool in one response remain distinct in the record.
func TestIDs(t *testing.T) {
	r := newRig(t, then(says(calls(`look("a")`, `look("a")`, `nope()`)), says(calls(`look("a")`)))...)
	out := r.mustRun()
	ids := map[string]bool{}
	for _, c := range out.Calls {
		if ids[c.ID] {
			t.Errorf("the id %s is not unique", c.ID)
		}
		ids[c.ID] = true
	}
}

// Required fields are checked before the run starts.
func TestConfig(t *testing.T) {
	for name, spoil := range map[string]func(*agent.Config){
		"Model":  func(c *agent.Config) { c.Model = nil },
		"Runner": func(c *agent.Config) { c.Runner = nil },
		"Texts":  func(c *agent.Config) { c.Texts = nil },
	} {
		r := newRig(t)
		spoil(&r.cfg)
		if _, err := r.run(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		if len(r.seen()) > 0 {
			t.Errorf("without %s: %v", name, r.seen())
		}
	}
}
