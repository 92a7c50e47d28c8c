package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// A generatedCall is a call of a generated run.
type generatedCall struct {
	Tool, Arg string
	Priority  float64
}

// A generatedReply is a reply of a generated run, in the dialect or with native calls.
type generatedReply struct {
	Text  string
	Calls []generatedCall
	Stop  chat.Stop
	Break bool // the reply breaks off after its text
}

func (h generatedReply) step(isNative bool, turn int) step {
	var resp chat.Response
	if isNative {
		resp = h.natively(turn)
	} else {
		resp = chat.Response{Content: h.written(), Stop: h.Stop}
	}
	return func(_ ctx, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		for i := 0; i < len(resp.Content); i += 9 {
			delta(chat.Delta{Content: resp.Content[i:min(i+9, len(resp.Content))]})
		}
		for _, c := range resp.Calls {
			delta(chat.Delta{Call: &c})
		}
		if h.Break {
			return resp, &provider.BrokenOffError{Err: errors.New("connection reset")}
		}
		return resp, nil
	}
}

func (h generatedReply) natively(turn int) chat.Response {
	resp := chat.Response{Content: h.Text, Stop: h.Stop}
	for i, c := range h.Calls {
		name := "path"
		if c.Tool == "look" {
			name = "q"
		}
		id := ""
		if i%2 == 0 {
			id = fmt.Sprintf("call_%d", (turn+i)%3) // a server may repeat an ID
		}
		resp.Calls = append(resp.Calls, native(id, c.Tool, fmt.Sprintf(`{%q:%q}`, name, c.Arg)))
		resp.Calls[i].Priority = c.Priority
	}
	return resp
}

func (h generatedReply) written() string {
	text := h.Text
	var statements []string
	for _, c := range h.Calls {
		statements = append(statements, fmt.Sprintf("%s(%q)", c.Tool, c.Arg))
	}
	if len(statements) > 0 {
		text += "\n" + calls(statements...)
	}
	return text
}

// A generatedRun is a generated run: the replies of its model and the decisions of its approvers.
type generatedRun struct {
	Native, NoTools, ContinuesDenied bool
	Tokens                           int  // token limit of the run; 0 for none
	Unlimited                        bool // without the limit of the policy
	Refuses                          int  // forms of the answer that the server refuses
	Replies                          []generatedReply
	Answers                          []string
	Wishes                           map[string]string // decision of the approver, by argument: yes, no, nobody, or another argument
}

// A witness logs the ids of the calls that it runs.
type witness struct {
	*rig
	begun *[]string
}

func (w witness) Run(ctx ctx, x chat.Execution) (chat.Result, error) {
	w.mu.Lock()
	*w.begun = append(*w.begun, x.Call.ID)
	w.mu.Unlock()
	return w.rig.Run(ctx, x)
}

const asksAndDenies = `{version: 1, tools: {
	put: {ask: [{args: {path: [b, d]}}], deny: [{args: {path: [e]}}], allow: [{}], limit: {calls: 4}},
	look: {ask: [{args: {q: [b]}}], deny: [{args: {q: [e]}}], allow: [{args: {q: [d]}, set: {q: dd}}, {}]}}}`

func drawRun() *rapid.Generator[generatedRun] {
	arg := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
	one := rapid.Custom(func(t *rapid.T) generatedCall {
		return generatedCall{
			Tool:     rapid.SampledFrom([]string{"look", "look", "put", "put", "nope"}).Draw(t, "tool"),
			Arg:      arg.Draw(t, "argument"),
			Priority: rapid.SampledFrom([]float64{0, 0, 1, -1}).Draw(t, "priority"),
		}
	})
	reply := rapid.Custom(func(t *rapid.T) generatedReply {
		return generatedReply{
			Text:  rapid.SampledFrom([]string{"", "Well.", "é <tool_call>\u2028", "{}"}).Draw(t, "text"),
			Calls: rapid.SliceOfN(one, 0, 4).Draw(t, "calls"),
			Stop:  rapid.SampledFrom([]chat.Stop{chat.StopEnd, chat.StopEnd, chat.StopEnd, chat.StopEnd, chat.StopLength}).Draw(t, "stop"),
			Break: rapid.IntRange(0, 7).Draw(t, "break") == 0,
		}
	})
	return rapid.Custom(func(t *rapid.T) generatedRun {
		h := generatedRun{
			Native: rapid.Bool().Draw(t, "native"), ContinuesDenied: rapid.Bool().Draw(t, "goes on"),
			Tokens:  rapid.SampledFrom([]int{0, 0, 550, 700}).Draw(t, "tokens"),
			Refuses: rapid.IntRange(0, 2).Draw(t, "refuses"),
			Replies: rapid.SliceOfN(reply, 1, 4).Draw(t, "replies"),
			Answers: rapid.SliceOfN(rapid.SampledFrom([]string{"no JSON", answer42, `{"answer": 7}`}), 0, 2).Draw(t, "answers"),
			Wishes:  map[string]string{},
		}
		h.NoTools = h.Native && rapid.IntRange(0, 3).Draw(t, "no tools") == 0
		for _, a := range []string{"b", "d"} {
			h.Wishes[a] = rapid.SampledFrom([]string{"yes", "yes", "no", "nobody", "a", "e", "x"}).Draw(t, "wish for "+a)
		}
		return h
	})
}

// steps returns the replies of the model, one per request.
func (h generatedRun) steps() []step {
	var all []step
	isNative := h.Native
	if h.NoTools {
		all, isNative = append(all, breaks("", &provider.NoToolsError{Err: errors.New("no tools here")})), false
	}
	for i, reply := range h.Replies {
		all = append(all, reply.step(isNative, i))
	}
	end := says(calls("finalResponse()"))
	if isNative {
		end = says("That is all.")
	}
	all = append(all, end)
	for range h.Refuses {
		all = append(all, breaks("", &provider.FormatError{Err: errors.New("no formats here")}))
	}
	for _, a := range h.Answers {
		all = append(all, says(a))
	}
	return append(all, says(answer42))
}

// Approve returns the generated decision.
func (h generatedRun) Approve(_ ctx, q agent.ApprovalRequest) (agent.Approval, error) {
	var args map[string]string
	if err := json.Unmarshal(q.Arguments, &args); err != nil {
		return agent.Approval{}, err
	}
	for name, arg := range args {
		switch wish := h.Wishes[arg]; wish {
		case "yes":
			return agent.Approval{Approved: true, By: "tty"}, nil
		case "no":
			return agent.Approval{By: "tty"}, nil
		case "nobody", "":
			return agent.Approval{}, errNobody
		default:
			changed, err := json.Marshal(map[string]string{name: wish})
			return agent.Approval{Approved: true, By: "program", Modified: changed}, err
		}
	}
	return agent.Approval{}, errNobody
}

// play continues a generated run from the end of its history.
func (h generatedRun) play(t *testing.T, past []runfile.Record) (*rig, agent.Outcome, error) {
	r := newRig(t, h.steps()[countOf[runfile.Request](past):]...)
	r.cfg.Native, r.cfg.History, r.cfg.ContinueDenied = h.Native, past, h.ContinuesDenied
	r.cfg.Limits = agent.Limits{Calls: 20, Repeats: 4, Reminders: 1, Repairs: 2, Tokens: h.Tokens}
	r.cfg.Policy = asksAbout(t, asksAndDenies)
	if h.Unlimited {
		r.cfg.Policy = asksAbout(t, strings.Replace(asksAndDenies, "limit: {calls: 4}", "limit: {calls: 100}", 1))
	}
	r.cfg.Policy.Flags = policy.FlagRules{}
	r.cfg.Approver = h
	var begun []string
	r.cfg.Runner = witness{r, &begun}
	out, err := r.runAgent(t.Context())
	for _, record := range past {
		id := ""
		switch b := record.Body.(type) {
		case runfile.Result:
			id = b.Call
		case runfile.Discarded:
			id = b.Call
		case runfile.Intent:
			id = b.Call
		}
		if id != "" && slices.Contains(begun, id) {
			t.Errorf("the call %s began before, and began again", id)
		}
	}
	return r, out, err
}

// changes returns the changes that were started, in order.
func (r *rig) changes() []string {
	return slices.DeleteFunc(r.seen(), func(line string) bool { return !strings.HasPrefix(line, "start put") })
}

// readBack returns records as read from a file.
func readBack(t *testing.T, records []runfile.Record) []runfile.Record {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := runfile.Create(path, runfile.Run{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		err = errors.Join(err, w.Append(r.Body))
	}
	log, readErr := runfile.ReadFile(path)
	if err := errors.Join(err, w.Close(), readErr, os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	return log.Records
}

// begun returns a record with its first line.
func begun(bodies []runfile.Body) []runfile.Record {
	return asRecords(append([]runfile.Body{runfile.Run{ID: "x"}}, bodies...))
}

// A run that is cut off at any record, and again after it was resumed, has the same end: the
// same requests, decisions, approvals, changes and answer. No change is made twice, and no answered
// request is repeated.
func TestLawOfResume(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := drawRun().Draw(rt, "run")
		whole, was, wasErr := drawn.play(t, nil)
		records := readBack(t, begun(whole.records))
		for range 2 {
			n := rapid.IntRange(1, len(records)).Draw(rt, "cut")
			gone := wantSameEnd(rt, t, drawn, records[:n], whole, was, wasErr, fmt.Sprintf("cut after record %d", n))
			if m := rapid.IntRange(n, len(gone)).Draw(rt, "again"); len(gone) > 0 {
				wantSameEnd(rt, t, drawn, gone[:m], whole, was, wasErr, fmt.Sprintf("cut after record %d, and then %d", n, m))
			}
			if rt.Failed() {
				rt.Fatalf("records: %q", kinds(bodies(records)))
			}
		}
	})
}

// wantSameEnd resumes a record and compares its end with the complete run. It returns the extended
// record.
func wantSameEnd(rt *rapid.T, t *testing.T, drawn generatedRun, records []runfile.Record, whole *rig, was agent.Outcome, wasErr error, at string) []runfile.Record {
	past, err := agent.ResumeHistory(&runfile.Log{Records: records})
	if err != nil {
		rt.Fatalf("%s: %v", at, err)
	}
	r, out, err := drawn.play(t, past)
	more := append(bodies(records), runfile.Resumed{KeptThrough: past[len(past)-1].Seq})
	after := readBack(t, asRecords(append(more, r.records...)))
	if open := last(past, "put"); open {
		if !errors.As(err, new(*agent.UnknownOutcomeError)) || len(r.changes()) > 0 {
			rt.Errorf("%s, during a change: %v, %q", at, err, r.changes())
		}
		return after
	}
	if fmt.Sprint(err) != fmt.Sprint(wasErr) {
		rt.Errorf("%s: error %v, want %v", at, err, wasErr)
	}
	if diff := difference(was, out, cmpopts.EquateEmpty()); diff != "" {
		rt.Errorf("%s: outcome (-whole +resumed):\n%s", at, diff)
	}
	stands := (&runfile.Log{Records: after}).LiveRecords()
	if diff := difference(kinds(whole.records), kinds(bodies(stands)[1:])); diff != "" {
		rt.Errorf("%s: records (-whole +resumed):\n%s", at, diff)
	}
	if diff := difference(whole.requests[countOf[runfile.Request](past):], r.requests, cmpopts.EquateEmpty()); diff != "" {
		rt.Errorf("%s: requests (-whole +resumed):\n%s", at, diff)
	}
	if done := whole.changes()[countOf[runfile.Intent](past):]; difference(done, r.changes(), cmpopts.EquateEmpty()) != "" {
		rt.Errorf("%s: changes %q, want %q", at, r.changes(), done)
	}
	return after
}

// Calls of one response that are approved one after the other, in separate runs and in any order,
// lead to the same changes as if all had been approved at once.
func TestLawOfLateApproval(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := drawRun().Draw(rt, "run")
		drawn.ContinuesDenied, drawn.Unlimited, drawn.Tokens = false, true, 0
		wishes := drawn.Wishes
		whole, was, wasErr := drawn.play(t, nil)
		records := begun(nil)
		started := []string{}
		for _, known := range [][]string{{}, rapid.SampledFrom([][]string{{"b"}, {"d"}}).Draw(rt, "first"), {"b", "d"}, {"b", "d"}} {
			drawn.Wishes = map[string]string{}
			for _, a := range known {
				drawn.Wishes[a] = wishes[a]
			}
			past, err := agent.ResumeHistory(&runfile.Log{Records: records})
			if err != nil {
				rt.Fatal(err)
			}
			r, out, err := drawn.play(t, past)
			started = append(started, r.changes()...)
			records = readBack(t, asRecords(append(append(bodies(records), runfile.Resumed{KeptThrough: past[len(past)-1].Seq}), r.records...)))
			if len(known) < 2 {
				continue
			}
			if fmt.Sprint(err) != fmt.Sprint(wasErr) || difference(was, out, cmpopts.EquateEmpty()) != "" || difference(whole.changes(), started, cmpopts.EquateEmpty()) != "" {
				rt.Fatalf("error %v, want %v; changes %q, want %q; outcome (-whole +late):\n%s", err, wasErr, started, whole.changes(), cmp.Diff(was, out))
			}
		}
	})
}
