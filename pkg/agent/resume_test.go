package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// resumed returns a rig for a resumed run, and its record.
func resumed(t *testing.T, records []runfile.Record, steps []step) (*rig, []runfile.Record) {
	t.Helper()
	past, err := agent.ResumeHistory(&runfile.Log{Records: records})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, r := range past {
		if r.Kind == runfile.KindRequest {
			asked++
		}
	}
	r := newRig(t, steps[asked:]...)
	r.cfg.History = past
	return r, past
}

func countOf[T runfile.Body](records []runfile.Record) int {
	n := 0
	for _, r := range records {
		if _, ok := r.Body.(T); ok {
			n++
		}
	}
	return n
}

// A run cut off at any record has the same end when resumed: the model gets only new requests,
// no change is made twice, and one with an unknown outcome is not repeated.
func TestResumeAtEveryRecord(t *testing.T) {
	first := newRig(t, eventful()...)
	first.cfg.Limits.Turns = 0
	was, log := first.recordedRun()
	for n := 1; n <= len(log.Records); n++ {
		prefix := log.Records[:n]
		r, past := resumed(t, prefix, eventful())
		r.cfg.Limits.Turns = 0
		out, err := r.run()
		puts := strings.Count(strings.Join(r.seen(), "\n"), "start put")
		if countOf[runfile.Intent](past) == 1 && last(past, "put") {
			unknown := wantError[*agent.UnknownOutcomeError](t, err)
			if puts > 0 || unknown.Tool != "put" || countOf[runfile.UnknownOutcome](asRecords(r.records)) != 1 {
				t.Errorf("cut after record %d: put ran %d times, %v", n, puts, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("cut after record %d (%s): %v", n, prefix[n-1].Kind, err)
			continue
		}
		if diff := cmp.Diff(was, out, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("cut after record %d: outcome (-whole +resumed):\n%s", n, diff)
		}
		if want := 1 - countOf[runfile.Intent](past); puts != want {
			t.Errorf("cut after record %d: put ran %d times, want %d", n, puts, want)
		}
		whole := append(bodies(past), r.records...)
		if diff := cmp.Diff(kinds(bodies(log.Records)), kinds(whole)); diff != "" {
			t.Errorf("cut after record %d: records (-whole +resumed):\n%s", n, diff)
		}
	}
}

// A resumed run that ends before it has repeated its record has the usage, the calls and the effects of all of it.
func TestResumeEndsInRecord(t *testing.T) {
	usage := chat.Usage{InputTokens: 70, OutputTokens: 5}
	steps := []step{
		spends(usage, calls(`look("a")`)), spends(usage, calls(`put("x")`, `nope(1)`)), spends(usage, calls(`look("b")`)), spends(usage, calls("finalResponse()")),
	}
	first := newRig(t, steps...)
	first.cfg.Limits.Turns = 4
	was, err := first.run()
	wantError[*agent.LimitError](t, err)
	for name, end := range map[string]func(*rig) (agent.Outcome, error){
		"limit": func(r *rig) (agent.Outcome, error) {
			r.cfg.Limits.Turns = 1
			return r.run()
		},
		"signal": func(r *rig) (agent.Outcome, error) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errStop)
			out, err := r.runAgent(ctx)
			out.Aborted = false
			return out, err
		},
		"other policy": func(r *rig) (agent.Outcome, error) {
			r.cfg.Policy.Flags.Allow = nil
			return r.run()
		},
		"no time left": func(r *rig) (agent.Outcome, error) {
			r.cfg.Limits.Wall, r.cfg.Elapsed = time.Minute, time.Minute
			out, err := r.run()
			out.Aborted = false
			return out, err
		},
	} {
		r, _ := resumed(t, begun(first.records), steps)
		out, err := end(r)
		if diff := cmp.Diff(was, out, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(agent.Outcome{}, "Findings")); err == nil || diff != "" || len(r.records) > 0 {
			t.Errorf("%s: %v, %d records, outcome (-recorded +resumed):\n%s", name, err, len(r.records), diff)
		}
	}
}

// last reports whether the last intent of a tool has no result.
func last(records []runfile.Record, tool string) bool {
	open := false
	calls := map[string]string{}
	for _, r := range records {
		switch b := r.Body.(type) {
		case runfile.Call:
			calls[b.ID] = b.Name
		case runfile.Intent:
			open = calls[b.Call] == tool
		case runfile.Result:
			if calls[b.Call] == tool {
				open = false
			}
		}
	}
	return open
}

func bodies(records []runfile.Record) (all []runfile.Body) {
	for _, r := range records {
		all = append(all, r.Body)
	}
	return all
}

func asRecords(bodies []runfile.Body) (all []runfile.Record) {
	for i, b := range bodies {
		all = append(all, runfile.Record{Header: runfile.Header{Seq: i + 1, Kind: b.Kind()}, Body: b})
	}
	return all
}

func kinds(bodies []runfile.Body) (all []string) {
	for _, b := range bodies {
		all = append(all, label(b))
	}
	return all
}

// A run with other requests than the recorded ones is not resumed.
func TestResumeOtherRun(t *testing.T) {
	first := newRig(t, then(says(calls(`put("x")`)))...)
	_, log := first.recordedRun()
	for name, change := range map[string]func(*agent.Config){
		"prompt": func(c *agent.Config) { c.Prompt = "another" },
		"policy": func(c *agent.Config) { c.Policy.Flags.Allow = nil },
		"seed":   func(c *agent.Config) { c.Seed[0], c.Input = 7, "x" },
	} {
		r, _ := resumed(t, log.Records[:len(log.Records)-3], then(says(calls(`put("x")`))))
		change(&r.cfg)
		_, err := r.run()
		wantError[*agent.DivergedError](t, err)
		if len(r.records) > 0 || strings.Contains(strings.Join(r.seen(), "\n"), "start") {
			t.Errorf("%s: %v", name, r.seen())
		}
	}
}

// If a request differs, the error shows the recorded and the current one.
func TestResumeShowsDifference(t *testing.T) {
	first := newRig(t, then(says(calls(`put("x")`)))...)
	_, log := first.recordedRun()
	was := first.cfg.Prompt
	r, _ := resumed(t, log.Records[:len(log.Records)-3], then(says(calls(`put("x")`))))
	r.cfg.Prompt = "another"
	_, err := r.run()
	wantError[*agent.DivergedError](t, err)
	if text := err.Error(); !strings.Contains(text, "turn 1") || !strings.Contains(text, "\n- "+was) || !strings.Contains(text, "\n+ another") {
		t.Error(text)
	}
}

// A run with an answer cannot be resumed; one whose answer was never shown can.
func TestResumeAfterAnswer(t *testing.T) {
	first := newRig(t, ending()...)
	_, log := first.recordedRun()
	ok := append(log.Records, runfile.Record{Header: runfile.Header{Seq: len(log.Records) + 1}, Body: runfile.End{Name: "ok"}})
	if _, err := agent.ResumeHistory(&runfile.Log{Records: ok}); !errors.As(err, new(*agent.FinishedError)) {
		t.Error(err)
	}
	r, _ := resumed(t, log.Records, ending())
	if out := r.mustRun(); string(out.Answer) != answer42 || len(r.requests)+len(r.records) > 0 {
		t.Errorf("%s, %d requests", out.Answer, len(r.requests))
	}
}

// A result that was truncated in the record cannot be replayed.
func TestResumeTruncatedResult(t *testing.T) {
	first := newRig(t, then(says(calls(`look("a")`)))...)
	_, log := first.recordedRun()
	for i, record := range log.Records {
		if b, ok := record.Body.(runfile.Result); ok {
			b.Truncated, b.Bytes = true, 9<<20
			log.Records[i].Body = b
		}
	}
	r, _ := resumed(t, log.Records[:len(log.Records)-2], then(says(calls(`look("a")`))))
	_, err := r.run()
	wantError[*agent.DivergedError](t, err)
	if !strings.Contains(err.Error(), "is truncated") {
		t.Error(err)
	}
}

// Recorded broken and rejected responses are replayed, and then the model is asked.
func TestResumeAfterFaults(t *testing.T) {
	steps := func() []step {
		return then(breaks("I beg", &provider.BrokenOffError{Err: errors.New("connection reset")}), says(calls(`put("x")`)))
	}
	first := newRig(t, steps()...)
	was, log := first.recordedRun()
	for n := 1; n < len(log.Records); n++ {
		r, past := resumed(t, log.Records[:n], steps())
		out, err := r.run()
		if last(past, "put") {
			wantError[*agent.UnknownOutcomeError](t, err)
			continue
		}
		if err != nil || string(out.Answer) != string(was.Answer) {
			t.Errorf("cut after record %d: %v", n, err)
		}
	}
}

var _ agent.Approver = approvals(nil)

// approvals decide by tool and arguments only.
type approvals map[string]agent.Approval

func (a approvals) Approve(_ ctx, q agent.ApprovalRequest) (agent.Approval, error) {
	if answer, ok := a[q.Tool+" "+string(q.Arguments)]; ok {
		return answer, nil
	}
	return agent.Approval{}, errNobody
}

var errNobody = errors.New("gone fishing")

// A refusal and an approval hold in the resumed run; a request without a decision is repeated.
func TestResumeApprovals(t *testing.T) {
	steps := func() []step {
		return then(says(calls(`put("a")`, `put("b")`, `look("c")`)))
	}
	asking := func(r *rig, a agent.Approver) {
		r.cfg.Policy = asksAbout(t, `{version: 1, tools: {put: {ask: [{}]}, look: {allow: [{}]}}}`)
		r.cfg.Approver = a
	}
	first := newRig(t, steps()...)
	asking(first, approvals{`put {"path":"a"}`: {Approved: true, By: "tty"}})
	_, err := first.run()
	waiting := wantError[*agent.ApprovalError](t, err)
	if len(waiting.Requests) != 1 || waiting.Requests[0].Digest != runfile.CallDigest("put", []byte(`{"path":"b"}`)) || !errors.Is(err, errNobody) {
		t.Errorf("%+v", waiting)
	}
	if strings.Contains(strings.Join(first.seen(), "\n"), "start") {
		t.Error(first.seen())
	}
	records := append(asRecords([]runfile.Body{runfile.Run{ID: "x"}}), asRecords(first.records)...)
	r, _ := resumed(t, records, steps())
	asking(r, approvals{`put {"path":"b"}`: {Approved: true, By: "flag"}, `put {"path":"a"}`: {Approved: false}})
	wantStatuses(t, r.mustRun(), "put ok", "put ok", "look ok")
}

// The user's values for a tool are replayed at the same point of the resumed run, and only there.
func TestResumeUserInput(t *testing.T) {
	steps := func() []step {
		return then(says(calls(`look("unclear")`)), says(calls(`finalResponse()`)), says(`{"answer":"when?"}`), says(calls(`look("clear")`)))
	}
	prepare := func(r *rig) {
		needs(r, "look", "unclear", "city", "date")
		r.cfg.UserAnswers = map[string]string{"city": "Rome", "date": "today", "more": "x"}
	}
	first := newRig(t, steps()...)
	prepare(first)
	was, log := first.recordedRun()
	if countOf[runfile.UserInput](log.Records) != 1 || string(was.Answer) != answer42 {
		t.Fatalf("%s: %v", was.Answer, kinds(bodies(log.Records)))
	}
	for n := 1; n <= len(log.Records); n++ {
		r, past := resumed(t, log.Records[:n], steps())
		prepare(r)
		if countOf[runfile.UserInput](past) > 0 {
			r.cfg.UserAnswers = nil
		}
		out, err := r.run()
		if err != nil {
			t.Errorf("cut after record %d: %v", n, err)
			continue
		}
		if diff := cmp.Diff(was, out, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("cut after record %d: outcome (-whole +resumed):\n%s", n, diff)
		}
		whole := append(bodies(past), r.records...)
		if diff := cmp.Diff(kinds(bodies(log.Records)), kinds(whole)); diff != "" {
			t.Errorf("cut after record %d: records (-whole +resumed):\n%s", n, diff)
		}
	}
}

// Resume restores from a record the settings with which the run sends the same requests, and refuses a
// damaged or finished record.
func TestResume(t *testing.T) {
	r := newRig(t)
	r.cfg.ID, r.cfg.Seed, r.cfg.TextAnswer, r.cfg.Input = "x", [32]byte{1, 2}, true, "data"
	r.cfg.Params = map[string]json.RawMessage{"seed": json.RawMessage("7")}
	first, err := r.cfg.RunRecord()
	if err != nil {
		t.Fatal(err)
	}
	request := runfile.Request{Turn: 1, Nonce: "abc"}
	log := &runfile.Log{Records: asRecords([]runfile.Body{first, request, runfile.Response{Turn: 1}, runfile.End{Exit: 6, Turns: 1}})}

	cfg := newRig(t).cfg
	cfg.Prompt, cfg.Now, cfg.Params, cfg.ResumePoints = "", time.Time{}, map[string]json.RawMessage{"top_k": json.RawMessage("1")}, []int{9}
	resumed, err := agent.Resume(log, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.TrimSpace(fmt.Sprintln(resumed.KeptThrough, cfg.ID, cfg.Seed == r.cfg.Seed, cfg.TextAnswer, cfg.Prompt, cfg.Input, cfg.Now.Equal(r.cfg.Now), cfg.Nonce, cfg.ResumePoints, len(cfg.History), cfg.Dialect.Name, len(cfg.Params), string(cfg.Params["seed"])))
	if want := "3 x true true What is new? data true true [9 1] 3 tool 1 7"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	for name, change := range map[string]func(run *runfile.Run){
		"seed":    func(run *runfile.Run) { run.Seed = "00" },
		"dialect": func(run *runfile.Run) { run.Dialect = "none" },
	} {
		damaged := first
		change(&damaged)
		log.Records[0].Body = damaged
		if _, err := agent.Resume(log, &cfg); !errors.As(err, new(*agent.UnusableRecordError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := agent.Restore(&runfile.Log{}, &cfg); !errors.As(err, new(*agent.UnusableRecordError)) {
		t.Errorf("an empty record: %v", err)
	}
	log.Records[3].Body = runfile.End{}
	_, err = agent.Resume(log, &cfg)
	wantError[*agent.FinishedError](t, err)
}
