package policy

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/tool"
)

// documents returns policies in JSON, for the seeds of fuzzing.
func documents(t testing.TB) []json.RawMessage {
	t.Helper()
	src, err := os.ReadFile("../../testdata/policy/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, docs := yamldoc.Read("base.yaml", src, yamldoc.Codes{})
	base, _ := docs[0].JSON()
	return []json.RawMessage{
		base,
		json.RawMessage(`{"version":1,"tools":{"search":{"allow":[{"set":{"limit":5}}],"deny":[{"args":{"limit":{"in":[5,1e3]}}}]}}}`),
		json.RawMessage(`{"version":1,"tools":{"file_read":{"allow":[{"args":{"filePaths":["**"]}}],"deny":[{"args":{"filePaths":["*.key","a/**/b"]}}]}}}`),
		json.RawMessage(`{"version":1,"enable_exec":true,"tools":{"words":{"ask":[{"args":{"argv":{"prefix":["git","push"]}}}],"allow":[{}]}}}`),
		json.RawMessage(`{"version":1,"tools":{"api_call":{"allow":[{"effect":"write","args":{"url":{"scheme":["https"],"host":["*.ok.test"],"port":[8443],"path":["/v1/**"]},"method":{"match":"GET|POST"}}}]}},"labels":{"api_call":[{"add":["sink"]}]},"budget":{"calls":1}}`),
	}
}

// FuzzDecide checks that each document either compiles or has findings, and that decisions are repeatable and never
// fail internally. A call does not pass if a deny rule matches its proposed or effective arguments, and is not allowed
// without the question if an ask rule matches its proposed ones. Effective arguments fit the tool.
func FuzzDecide(f *testing.F) {
	tools := known(f)
	for _, doc := range documents(f) {
		for i, args := range []string{`{"uri":"https://docs.ok.test/a"}`, `{"method":"POST","url":"https://a.ok.test:8443/v1/x"}`, `{"filePaths":["a.md","./secret/x"]}`, `{"path":"out/a","content":"x"}`, `{"query":"x","limit":5.0}`, `{"to":"a"}`, `{"argv":["git","push"]}`, `{"command":"git status --short -- a"}`} {
			f.Add(string(doc), i, args)
		}
	}
	f.Fuzz(func(t *testing.T, doc string, n int, args string) {
		l, findings := Compile(json.RawMessage(doc), tools)
		if (l == nil) != (len(findings) > 0) {
			t.Fatalf("a layer %v with findings %v", l != nil, findings)
		}
		def := tools.All()[uint(n)%uint(len(tools.All()))]
		if l == nil || diag.HasErrors(def.Check(json.RawMessage(args))) {
			return
		}
		p, facts := Policy{Layers: []*Layer{l}, Flags: FlagRules{EnableExec: true}}, Facts{Def: def, Arguments: def.WithDefaults(json.RawMessage(args))}
		d := p.Decide(&State{}, facts)
		if again := p.Decide(&State{}, facts); again.Verdict != d.Verdict || again.Rule != d.Rule || string(again.Arguments) != string(d.Arguments) {
			t.Errorf("%+v, and then %+v", d, again)
		}
		checkDecision(t, l, facts, d)
	})
}

// checkDecision checks the invariants of a decision.
func checkDecision(t *testing.T, l *Layer, f Facts, d Decision) {
	rules := l.tools[f.Def.Name]
	hit := func(rules []rule, args json.RawMessage) bool {
		f := f
		f.Arguments = args
		f.decodeArguments()
		return slices.ContainsFunc(rules, func(r rule) bool { return r.matches(f) })
	}
	switch {
	case d.Rule == "floor:internal":
		t.Errorf("a fault inside, with %s", f.Arguments)
	case d.Verdict == Deny && d.Code == "", d.Verdict != Deny && d.Code != "", d.Rule == "":
		t.Errorf("%+v", d)
	case d.Verdict == Deny:
	case rules == nil || f.Def.Effect == tool.Exec && !l.EnableExec:
		t.Errorf("%s of a tool that is not listed, or of one that runs programs", d.Verdict)
	case hit(rules.deny, f.Arguments) || hit(rules.deny, d.Arguments):
		t.Errorf("%s by %s of what a rule denies: %s, %s", d.Verdict, d.Rule, f.Arguments, d.Arguments)
	case d.Verdict == Allow && hit(rules.ask, f.Arguments):
		t.Errorf("allowed by %s without the question of a rule: %s", d.Rule, f.Arguments)
	case diag.HasErrors(f.Def.Check(d.Arguments)):
		t.Errorf("%s with %s", d.Verdict, d.Arguments)
	case d.Early && (d.Verdict != Allow || f.Def.Effect != tool.Read):
		t.Error("it may start early")
	}
}

// TestFold checks that the state folded from the records equals the live state, whatever the
// outcomes of the calls, so that a resumed run gets the same decisions. No record panics.
func TestFold(t *testing.T) {
	tools := known(t)
	p := Policy{Layers: []*Layer{layer(t, `{version: 1, tools: {
		wget: {allow: [{id: page, limit: {calls: 3}}], limit: {rate: 3/m, burst: 2}}, search: {allow: [{id: find}], limit: {rate: 1/s}},
		file_read: {allow: [{id: note}]}, gmail_send: {allow: [{id: mail}], limit: {calls: 4}}}, budget: {calls: 12, writes: 5}}`)}, Flags: FlagRules{}}
	calls := []struct{ tool, args string }{
		{"wget", `{"uri":"https://a.test/"}`}, {"search", `{"query":"x"}`}, {"file_read", `{"filePaths":["a"]}`}, {"gmail_send", `{"to":"a"}`}, {"file_put", `{"path":"a","content":"b"}`},
	}
	rapid.Check(t, func(t *rapid.T) {
		live, now := &State{}, time.Unix(1e9, 0)
		var records []runfile.Record
		keep := func(body runfile.Body) {
			live.Apply(now, body)
			records = append(records, runfile.Record{Header: runfile.Header{Time: now}, Body: body})
		}
		for range rapid.IntRange(0, 30).Draw(t, "calls") {
			c, id := rapid.SampledFrom(calls).Draw(t, "call"), rapid.StringMatching("[a-d]").Draw(t, "id")
			def, _ := tools.Get(c.tool)
			d := p.Decide(live, Facts{Def: def, Arguments: def.WithDefaults(json.RawMessage(c.args))})
			keep(runfile.Call{ID: id, Name: c.tool, Effect: string(def.Effect), Verdict: string(d.Verdict), Rule: d.Rule, Labels: d.LabelNames()})
			if d.Verdict == Allow {
				wait, err := d.ReserveStart(live, id, now)
				if err != nil {
					t.Fatal(err)
				}
				now = now.Add(wait)
				outcome(t, id, def, &now, keep)
			}
			if diff := cmp.Diff(live, fold(records), cmp.AllowUnexported(State{}, knownValues{}, textSource{})); diff != "" {
				t.Fatalf("live and folded:\n%s", diff)
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pause")) * time.Millisecond)
		}
	})
}

// outcome records an outcome of a started call.
func outcome(t *rapid.T, id string, def *tool.Definition, now *time.Time, keep func(runfile.Body)) {
	if def.Effect != tool.Read {
		keep(runfile.Intent{Call: id})
	}
	switch rapid.SampledFrom([]string{"ok", "error", "needs", "unknown", "discarded"}).Draw(t, "outcome") {
	case "unknown":
		keep(runfile.UnknownOutcome{Call: id})
	case "discarded":
		keep(runfile.Discarded{Call: id})
	case "error":
		keep(runfile.Result{Call: id, Result: chat.Failure(chat.Failed, "no")})
	case "needs":
		keep(runfile.Result{Call: id, Result: chat.Result{Needs: []string{"a"}}})
	default:
		took := time.Duration(rapid.IntRange(0, 5000).Draw(t, "took")) * time.Millisecond
		*now = now.Add(took)
		keep(runfile.Result{Call: id, Result: chat.Success(1), Duration: took})
	}
}
