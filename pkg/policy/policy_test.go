package policy

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/tool"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// known returns the tools of testdata/tools.yaml.
func known(t testing.TB) *tool.Registry {
	t.Helper()
	src, err := os.ReadFile("testdata/tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defs, findings := tool.Loader{}.Parse("tools.yaml", src)
	for _, f := range findings {
		t.Fatal(f)
	}
	registry, _ := tool.NewRegistry(defs...)
	return registry
}

// compile compiles a policy in YAML.
func compile(t testing.TB, text string) (*Layer, []diag.Finding) {
	t.Helper()
	file, docs := yamldoc.Read("policy.yaml", []byte(text), yamldoc.Codes{})
	if len(file.Findings()) > 0 || len(docs) != 1 {
		t.Fatalf("%v", file.Findings())
	}
	doc, _ := docs[0].JSON()
	return Compile(doc, known(t))
}

// layer returns the layer of a policy in YAML.
func layer(t testing.TB, text string) *Layer {
	t.Helper()
	l, findings := compile(t, text)
	if l == nil {
		t.Fatalf("%s\n%v", text, findings)
	}
	return l
}

// of returns the facts about a call.
func of(t testing.TB, name, args string) Facts {
	t.Helper()
	def, ok := known(t).Get(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return Facts{Def: def, Arguments: def.WithDefaults(json.RawMessage(args))}
}

// effect returns the facts about a call without arguments, of a tool with the effect.
func effect(name string, e tool.Effect) Facts {
	return Facts{Def: &tool.Definition{Name: name, Effect: e, Schema: tool.Signature{}.Schema()}, Arguments: json.RawMessage("{}")}
}

// V5: reads of named tools run, writes need --allow, commands need --enable-exec, too, and
// --deny wins over everything.
func TestRules(t *testing.T) {
	read, write, exec := effect("file_read", tool.Read), effect("file_put", tool.Write), effect("shell", tool.Exec)
	scoped := effect("file_read", tool.Read)
	scoped.Def.Scopes = []string{"mail", "notes"}
	for _, c := range []struct {
		name    string
		rules   FlagRules
		facts   Facts
		verdict Verdict
		rule    string
	}{
		{"read", FlagRules{}, read, Allow, "default:read"},
		{"read, read-only", FlagRules{ReadOnly: true}, read, Allow, "default:read"},
		{"read, denied", FlagRules{Deny: []string{"file_read"}}, read, Deny, "flag:deny"},
		{"read, denied by glob", FlagRules{Deny: []string{"x", "file_*"}}, read, Deny, "flag:deny"},
		{"read, denied and allowed", FlagRules{Allow: []string{"*"}, Deny: []string{"*"}}, read, Deny, "flag:deny"},
		{"read, another denied", FlagRules{Deny: []string{"file_put", "file_rea", "ile_read", "FILE_READ"}}, read, Allow, "default:read"},

		{"write", FlagRules{}, write, Deny, "default:write"},
		{"write, allowed", FlagRules{Allow: []string{"file_put"}}, write, Allow, "flag:allow"},
		{"write, allowed by glob", FlagRules{Allow: []string{"x", "*_put"}}, write, Allow, "flag:allow"},
		{"write, another allowed", FlagRules{Allow: []string{"file_read", "put", "file_pu?t"}}, write, Deny, "default:write"},
		{"write, allowed by an invalid glob", FlagRules{Allow: []string{"file_put["}}, write, Deny, "default:write"},
		{"write, read-only", FlagRules{Allow: []string{"*"}, ReadOnly: true}, write, Deny, "flag:read-only"},
		{"write, denied", FlagRules{Allow: []string{"file_put"}, Deny: []string{"file_put"}}, write, Deny, "flag:deny"},

		{"write, asked about", FlagRules{Ask: []string{"file_put"}}, write, Ask, "flag:ask"},
		{"write, allowed and asked about", FlagRules{Ask: []string{"file_*"}, Allow: []string{"*"}}, write, Ask, "flag:ask"},
		{"write, asked about and denied", FlagRules{Ask: []string{"*"}, Deny: []string{"file_put"}}, write, Deny, "flag:deny"},
		{"write, asked about, read-only", FlagRules{Ask: []string{"*"}, ReadOnly: true}, write, Deny, "flag:read-only"},
		{"write, asked about by an invalid glob", FlagRules{Ask: []string{"file_put["}, Allow: []string{"*"}}, write, Deny, "flag:ask"},
		{"read, asked about", FlagRules{Ask: []string{"*"}}, read, Ask, "flag:ask"},
		{"exec, asked about", FlagRules{Ask: []string{"*"}}, exec, Deny, "floor:exec"},
		{"exec, enabled and asked about", FlagRules{Ask: []string{"*"}, EnableExec: true}, exec, Ask, "flag:ask"},

		{"exec", FlagRules{}, exec, Deny, "floor:exec"},
		{"exec, allowed", FlagRules{Allow: []string{"*"}}, exec, Deny, "floor:exec"},
		{"exec, enabled", FlagRules{EnableExec: true}, exec, Deny, "default:write"},
		{"exec, enabled and allowed", FlagRules{EnableExec: true, Allow: []string{"shell"}}, exec, Allow, "flag:allow"},
		{"exec, read-only", FlagRules{EnableExec: true, Allow: []string{"*"}, ReadOnly: true}, exec, Deny, "flag:read-only"},
		{"no effect", FlagRules{Allow: []string{"*"}}, effect("file_put", ""), Deny, "floor:exec"},

		{"scopes that nobody granted", FlagRules{Allow: []string{"*"}}, scoped, Deny, "floor:scopes"},
		{"one of the scopes", FlagRules{Scopes: []string{"notes"}}, scoped, Deny, "floor:scopes"},
		{"all scopes", FlagRules{Scopes: []string{"notes", "x", "mail"}}, scoped, Allow, "default:read"},

		{"an invalid glob denies all", FlagRules{Deny: []string{"file_["}}, read, Deny, "flag:deny"},
	} {
		p := Policy{Flags: c.rules}
		got := p.Decide(&State{}, c.facts)
		if got.Verdict != c.verdict || got.Rule != c.rule {
			t.Errorf("%s: %s by %s, want %s by %s", c.name, got.Verdict, got.Rule, c.verdict, c.rule)
		}
		if (got.Why == "") != (got.Verdict == Allow) || (got.Code == "") != (got.Verdict != Deny) {
			t.Errorf("%s: %s because %q, %s", c.name, got.Verdict, got.Why, got.Code)
		}
		if got.Early && (c.facts.Def.Effect != tool.Read || got.Verdict != Allow) {
			t.Errorf("%s: it may start early", c.name)
		}
	}
}

// Only a denial that a flag can lift has a hint.
func TestHint(t *testing.T) {
	for want, r := range map[string]FlagRules{"allow it with --allow file_put": {}, "": {ReadOnly: true}} {
		p := Policy{Flags: r}
		if got := p.Decide(&State{}, effect("file_put", tool.Write)).Hint; got != want {
			t.Errorf("hint %q", got)
		}
	}
}

// A read may start early when all hosts that it reaches are allowed by name and port.
func TestEarly(t *testing.T) {
	p := Policy{Flags: FlagRules{AllowHosts: map[string]bool{"ok.test:80": true, "off.test:80": false}}}
	for uri, early := range map[string]bool{
		"http://ok.test/": true, "http://OK.test:80/x": true, "http://ok.test./": true,
		"https://ok.test/": false, "http://ok.test:8080/": false, "http://off.test/": false, "http://ok.test.evil.test/": false,
	} {
		args, _ := json.Marshal(map[string]string{"uri": uri})
		if got := p.Decide(&State{}, of(t, "wget", string(args))); got.Early != early || got.Verdict != Allow {
			t.Errorf("%s: early %v, want %v (%+v)", uri, got.Early, early, got)
		}
	}
	if got := p.Decide(&State{}, of(t, "search", `{"query":"http://ok.test/ or ftp://evil.test"}`)); got.Early {
		t.Error("a read starts early that says another host")
	}
	p.Layers = []*Layer{layer(t, `{version: 1, tools: {wget: {allow: [{set: {uri: "http://evil.test/"}}]}, search: {allow: [{}]}}}`)}
	if got := p.Decide(&State{}, of(t, "wget", `{"uri":"http://ok.test/"}`)); got.Early || string(got.Arguments) != `{"uri":"http://evil.test/"}` {
		t.Errorf("a read starts early whose host was changed: %+v", got)
	}
	if got := p.Decide(&State{}, of(t, "search", `{"query":"x"}`)); !got.Early {
		t.Error("a read that reaches nobody does not start early")
	}
}

// A request of a definition reaches the host of the definition.
func TestEarlyRequest(t *testing.T) {
	p := Policy{Flags: FlagRules{AllowHosts: map[string]bool{"ok.test:80": true}}}
	for origin, early := range map[string]bool{"http://ok.test": true, "http://OK.test:80": true, "https://ok.test": false, "http://evil.test": false} {
		f := effect("get", tool.Read)
		f.Def.HTTP = &tool.Request{Origin: origin}
		if got := p.Decide(&State{}, f); got.Early != early || got.Verdict != Allow {
			t.Errorf("%s: early %v, want %v (%+v)", origin, got.Early, early, got)
		}
	}
}

func TestCheckGlobs(t *testing.T) {
	for _, bad := range []string{"[", "a[", "[]", "[a", "[a-]", `\`, `a\`, "*[", "file_put[", "*_x[", "[^]"} {
		if got := FirstInvalidGlob([]string{"*", bad, "x"}); got != bad {
			t.Errorf("%q is taken as a glob (%q)", bad, got)
		}
	}
	if got := FirstInvalidGlob([]string{"*", "file_*", "?", "[a-z]*", "[^a]", `\*`, "{a,b}", ""}); got != "" {
		t.Errorf("%q is refused", got)
	}
	if got := FirstInvalidGlob(nil); got != "" {
		t.Errorf("%q is refused", got)
	}
}

// Ask overrides allow, deny overrides both, and a rule may change arguments.
func TestForms(t *testing.T) {
	for _, c := range []struct{ policy, tool, args, want string }{
		{`{version: 1, tools: {gmail_send: {ask: [{}], allow: [{}]}}}`, "gmail_send", `{"to":"a"}`, "ask gmail_send.ask[0]"},
		{`{version: 1, tools: {gmail_send: {ask: [{}], allow: [{}], deny: [{}]}}}`, "gmail_send", `{"to":"a"}`, "deny gmail_send.deny[0]"},
		{`{version: 1, tools: {search: {allow: [{args: {query: {match: "[a-z]+"}}}]}}}`, "search", `{"query":"abc"}`, "allow search.allow[0]"},
		{`{version: 1, tools: {search: {allow: [{args: {query: {match: "[a-z]+"}}}]}}}`, "search", `{"query":"abc\nDROP"}`, "deny no_rule"},
		{`{version: 1, tools: {search: {allow: [{args: {limit: {in: [5, 10]}}}]}}}`, "search", `{"query":"x","limit":5.0}`, "allow search.allow[0]"},
		{`{version: 1, tools: {search: {allow: [{args: {limit: {in: [5]}}}]}}}`, "search", `{"query":"x"}`, "deny no_rule"},
		{`{version: 1, tools: {search: {allow: [{set: {limit: 5}}]}}}`, "search", `{"query":"x","limit":500}`, `allow search.allow[0] {"query":"x","limit":5}`},
		{`{version: 1, tools: {search: {allow: [{set: {limit: many}}]}}}`, "search", `{"query":"x"}`, "deny search.allow[0]"},
		{`{version: 1, tools: {search: {allow: [{set: {query: no}}], deny: [{args: {query: [no]}}]}}}`, "search", `{"query":"x"}`, "deny search.deny[0]"},
		{`{version: 1, enable_exec: true, tools: {words: {allow: [{args: {argv: {prefix: [git, status]}}}]}}}`, "words", `{"argv":["git","status","--short"]}`, "allow words.allow[0]"},
		{`{version: 1, enable_exec: true, tools: {words: {allow: [{args: {argv: {prefix: [git, status]}}}]}}}`, "words", `{"argv":["git","-c","core.pager=touch x","status"]}`, "deny no_rule"},
		{`{version: 1, tools: {gmail_send: {allow: [{effect: read}]}}}`, "gmail_send", `{"to":"a"}`, "deny no_rule"},
		{`{version: 1, tools: {}}`, "search", `{"query":"x"}`, "deny not_listed"},
	} {
		p := Policy{Layers: []*Layer{layer(t, c.policy)}, Flags: FlagRules{EnableExec: true}}
		f := of(t, c.tool, c.args)
		d := p.Decide(&State{}, f)
		got := string(d.Verdict) + " " + d.Rule
		if string(d.Arguments) != string(f.Arguments) && d.Verdict != Deny {
			got += " " + string(d.Arguments)
		}
		if got != c.want {
			t.Errorf("%s\n%s %s: %s (%s), want %s", c.policy, c.tool, c.args, got, d.Why, c.want)
		}
	}
}

// Each layer must allow a call, also with the arguments that a later layer sets.
func TestLayers(t *testing.T) {
	const only, all, none = `{version: 1, tools: {search: {allow: [{id: few, args: {query: [a, b]}}]}}}`, `{version: 1, tools: {search: {allow: [{id: all}]}}}`, `{version: 1, tools: {search: {deny: [{id: no}]}}}`
	const sets = `{version: 1, tools: {search: {allow: [{id: sets, set: {query: c}}]}}}`
	const five, fifty = `{version: 1, tools: {search: {allow: [{id: five, set: {limit: 5}}]}}}`, `{version: 1, tools: {search: {allow: [{id: fifty, set: {limit: 50}}]}}}`
	const usual = `{version: 1, tools: {search: {ask: [{id: usual, args: {limit: {in: [10]}}, set: {limit: 5}}]}}}`
	for _, c := range []struct {
		layers []string
		want   string
	}{
		{[]string{only, all}, "allow 1:few+2:all"},
		{[]string{all, only}, "allow 1:all+2:few"},
		{[]string{all, none}, "deny 2:no"},
		{[]string{none, all}, "deny 1:no"},
		{[]string{all, sets}, `allow 1:all+2:sets`},
		{[]string{only, sets}, "deny 1:no_rule"},
		{[]string{sets, only}, "deny 2:no_rule"},
		{[]string{five, sets}, "allow 1:five+2:sets"},
		{[]string{five, fifty}, "deny 1:five+2:fifty"}, // the layers set different values
		{[]string{fifty, five}, "deny 1:fifty+2:five"},
		{[]string{five, sets, fifty}, "deny 1:five+3:fifty"},
		{[]string{five, all, five}, "allow 1:five+2:all+3:five"},
		{[]string{usual, all}, "ask 1:usual+2:all"},
		{[]string{usual, sets}, "ask 1:usual+2:sets"}, // the value that a layer sets need not match its own constraint
		{[]string{usual, fifty}, "deny 1:no_rule"},
		{[]string{usual, `{version: 1, tools: {search: {allow: [{id: sets, set: {query: c}}], deny: [{id: no, args: {limit: {in: [5]}}}]}}}`}, "deny 2:no"},
	} {
		p := Policy{}
		for _, text := range c.layers {
			p.Layers = append(p.Layers, layer(t, text))
		}
		if d := p.Decide(&State{}, of(t, "search", `{"query":"a"}`)); string(d.Verdict)+" "+d.Rule != c.want {
			t.Errorf("%v: %s %s (%s), want %s", c.layers, d.Verdict, d.Rule, d.Why, c.want)
		}
	}
}

// Flags can only restrict policy files further.
func TestFlagsNarrow(t *testing.T) {
	put := layer(t, `{version: 1, tools: {file_put: {allow: [{id: out}]}}}`)
	f := of(t, "file_put", `{"path":"a","content":"x"}`)
	for _, c := range []struct {
		flags FlagRules
		want  string
	}{{FlagRules{}, "out"}, {FlagRules{Ask: []string{"file_put"}}, "flag:ask+out"}, {FlagRules{ReadOnly: true}, "flag:read-only"}, {FlagRules{Deny: []string{"file_*"}}, "flag:deny"}} {
		p := Policy{Layers: []*Layer{put}, Flags: c.flags}
		if d := p.Decide(&State{}, f); d.Rule != c.want {
			t.Errorf("%+v: %s", c.flags, d.Rule)
		}
	}
}

// apply applies the records of a decided and successful call to a state.
func apply(s *State, f Facts, d Decision, at time.Time) {
	id := strconv.Itoa(s.calls)
	s.Apply(at, runfile.Call{ID: id, Name: f.Def.Name, Effect: string(f.Def.Effect), Verdict: string(d.Verdict), Rule: d.Rule, Labels: d.LabelNames()})
	s.Apply(at, runfile.Result{Call: id, Result: chat.Success("x")})
}

// Limits count calls that were allowed; budgets end the run.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		policy string
		calls  int // that are allowed
		rule   string
		code   chat.ErrorCode
		budget string
	}{
		{`{version: 1, tools: {gmail_send: {allow: [{}], limit: {calls: 2}}}}`, 2, "gmail_send.limit", chat.RateLimited, ""},
		{`{version: 1, tools: {gmail_send: {allow: [{id: one, limit: {calls: 1}}]}}}`, 1, "one", chat.RateLimited, ""},
		{`{version: 1, tools: {gmail_send: {allow: [{}]}}, budget: {calls: 3}}`, 3, "budget.calls", chat.Denied, "calls"},
		{`{version: 1, tools: {gmail_send: {allow: [{}]}}, budget: {writes: 0}}`, 0, "budget.writes", chat.Denied, "writes"},
	} {
		p, s := Policy{Layers: []*Layer{layer(t, c.policy)}}, &State{}
		f := of(t, "gmail_send", `{"to":"a"}`)
		for range c.calls {
			d := p.Decide(s, f)
			if d.Verdict != Allow {
				t.Errorf("%s: %+v", c.policy, d)
			}
			apply(s, f, d, time.Time{})
		}
		if d := p.Decide(s, f); d.Verdict != Deny || d.Rule != c.rule || d.Code != c.code || d.Budget != c.budget {
			t.Errorf("%s: %+v", c.policy, d)
		}
	}
}

// Calls over a rate wait before they start, and starts within the time of a burst never exceed the
// burst. A state folded from records has the same starts.
func TestRate(t *testing.T) {
	p := Policy{Layers: []*Layer{layer(t, `{version: 1, tools: {search: {allow: [{}], limit: {rate: 2/s, burst: 2}}}}`)}}
	f, live, folded, now := of(t, "search", `{"query":"x"}`), &State{}, &State{}, time.Unix(100, 0)
	for i, want := range []time.Duration{0, 0, time.Second, time.Second, 2 * time.Second} {
		d, id := p.Decide(live, f), strconv.Itoa(i)
		if d.Verdict != Allow || d.Early {
			t.Errorf("call %d: %+v", i, d)
		}
		call := runfile.Call{ID: id, Name: f.Def.Name, Effect: "read", Verdict: string(d.Verdict), Rule: d.Rule}
		live.Apply(now, call)
		wait, err := d.ReserveStart(live, id, now)
		if err != nil || wait != want {
			t.Errorf("call %d waits %v, want %v", i, wait, want)
		}
		result := runfile.Result{Call: id, Result: chat.Success("x"), Duration: time.Minute}
		for _, s := range []*State{live, folded} {
			if s == folded {
				s.Apply(now, call)
			}
			s.Apply(now.Add(wait+time.Minute), result)
		}
	}
	if d := cmp.Diff(live.starts, folded.starts); d != "" {
		t.Error(d)
	}
	if wait, err := p.Decide(live, f).ReserveStart(live, "late", now.Add(4*time.Second)); err != nil || wait != 0 {
		t.Errorf("later it waits %v", wait)
	}
}

// A call gets the earliest time at which no window exceeds its maximum of starts, also before reserved
// times.
func TestNextFree(t *testing.T) {
	begin, ms := time.Unix(100, 0), time.Millisecond
	rapid.Check(t, func(t *rapid.T) {
		u := RateWindow{MaxStarts: rapid.IntRange(1, 4).Draw(t, "starts"), Window: time.Duration(rapid.IntRange(1, 20).Draw(t, "window")) * ms}
		fits := func(starts []time.Time) bool {
			for i := u.MaxStarts; i < len(starts); i++ {
				if starts[i].Sub(starts[i-u.MaxStarts]) < u.Window {
					return false
				}
			}
			return true
		}
		var starts []time.Time
		for range rapid.IntRange(0, 30).Draw(t, "calls") {
			at := begin.Add(time.Duration(rapid.IntRange(0, 100).Draw(t, "at")) * ms)
			got := u.NextFree(starts, at)
			for ; at.Before(got); at = at.Add(ms) {
				if fits(insertTime(slices.Clone(starts), at)) {
					t.Fatalf("%v: %v and not %v", starts, got, at)
				}
			}
			if starts = insertTime(starts, got); !fits(starts) {
				t.Fatalf("too many: %v", starts)
			}
		}
	})
}

// Numbers are compared with all their digits.
func TestExact(t *testing.T) {
	for _, same := range [][]string{{"5", "5.0", "50e-1", "0.5E+1", "5e0"}, {"0", "-0", "0.0", "0e9"}, {"-1200", "-1.2e3"}, {`"5"`}, {"9007199254740993"}, {"9007199254740992"}, {"true"}, {"null"}, {`"null"`}, {"1e99999999999999999999"}} {
		for _, raw := range same {
			if got := canonicalScalar(gjson.Parse(raw)); got != canonicalScalar(gjson.Parse(same[0])) {
				t.Errorf("%s is %s, and %s is not", raw, got, same[0])
			}
		}
	}
	if canonicalScalar(gjson.Parse("9007199254740993")) == canonicalScalar(gjson.Parse("9007199254740992")) || canonicalScalar(gjson.Parse(`"5"`)) == canonicalScalar(gjson.Parse("5")) {
		t.Error("two values are one")
	}
}

// Compile rejects policies with invalid values or likely mistakes, such as an unknown name, a constraint
// that cannot match, or a failing test.
func TestCompile(t *testing.T) {
	for text, want := range map[string]string{
		`{version: 1, tools: {wget: {allow: [{args: {url: {host: [x]}}}]}}}`:                                                                                   "TP003 /tools/wget/allow/0/args/url",
		`{version: 1, tools: {wgte: {allow: [{}]}}}`:                                                                                                           "TP002 /tools/wgte",
		`{version: 1, tools: {search: {allow: [{args: {query: {match: "("}}}]}}}`:                                                                              "TP001 /tools/search/allow/0/args/query/match",
		`{version: 1, tools: {search: {allow: [{args: {query: {match: "a)(?:b"}}}]}}}`:                                                                         "TP001 /tools/search/allow/0/args/query/match",
		`{version: 1, tools: {terminal_execute: {deny: [{args: {command: ["rm *"]}}]}}}`:                                                                       "TP003 /tools/terminal_execute/deny/0/args/command",
		`{version: 1, tools: {api_call: {deny: [{args: {body: ["*secret*"]}}]}}}`:                                                                              "TP003 /tools/api_call/deny/0/args/body",
		`{version: 1, tools: {search: {deny: [{args: {query: {prefix: [rm]}}}]}}}`:                                                                             "TP003 /tools/search/deny/0/args/query",
		`{version: 1, tools: {search: {allow: [{args: {query: {match: '\Qa'}}}]}}}`:                                                                            "TP001 /tools/search/allow/0/args/query/match",
		`{version: 1, tools: {search: {allow: [{args: {query: {}}}]}}}`:                                                                                        "TP001 /tools/search/allow/0/args/query",
		`{version: 1, tools: {search: {allow: [{args: {query: null}}]}}}`:                                                                                      "TP001 /tools/search/allow/0/args/query",
		`{version: 1, tools: {search: {allow: [{args: {query: []}}]}}}`:                                                                                        "TP001 /tools/search/allow/0/args/query",
		`{version: 1, tools: {wget: {allow: [{args: {uri: {host: [], scheme: [https]}}}]}}}`:                                                                   "TP001 /tools/wget/allow/0/args/uri",
		`{version: 1, tools: {wget: {allow: [{args: {uri: {hosts: [a.test]}}}]}}}`:                                                                             "TP001 /tools/wget/allow/0/args/uri",
		`{version: 1, tools: {wget: {allow: [{arg: {uri: {host: [a.test]}}}]}}}`:                                                                               "TP001 ",
		`{version: 1, tools: {search: {allow: [{args: {query: ["a**"]}}]}}}`:                                                                                   "TP001 /tools/search/allow/0/args/query/0",
		`{version: 1, tools: {wget: {deny: [{args: {uri: {host: ["a.*.test"]}}}]}}}`:                                                                           "TP001 /tools/wget/deny/0/args/uri/host/0",
		`{version: 1, tools: {wget: {deny: [{id: a}], allow: [{id: a}]}}}`:                                                                                     "TP001 /tools/wget/allow/0/id",
		`{version: 1, tools: {wget: {allow: [{args: {uri: {host: ["*"]}}}]}}, tests: [{call: {tool: wget, args: {uri: "https://evil.test/"}}, expect: deny}]}`: "TP004 /tests/0",
		`{version: 1, tools: {wget: {}}, tests: [{call: {tool: wget, args: {url: "https://evil.test/"}}, expect: deny}]}`:                                      "TP004 /tests/0/call",
		`{version: 1, tools: {wget: {}}, tests: [{call: {tool: curl}, expect: deny}]}`:                                                                         "TP002 /tests/0/call/tool",
		`{version: 1, tools: {wget: {allow: [{set: {limit: 1}}]}}}`:                                                                                            "TP003 /tools/wget/allow/0/set/limit",
		`{version: 1, tools: {search: {deny: [{args: {query: {host: [evil.test]}}}]}}}`:                                                                        "TP003 /tools/search/deny/0/args/query",
		`{version: 1, tools: {wget: {limit: {rate: 0/s}}}}`:                                                                                                    "TP001 /tools/wget/limit/rate",
	} {
		l, findings := compile(t, text)
		if l != nil || len(findings) != 1 || string(findings[0].Code)+" "+findings[0].Path != want {
			t.Errorf("%s: %+v, want %s", text, findings, want)
		}
	}
}

// With more denials and --read-only, no denied call becomes allowed. A call that changes anything
// is never allowed in a read-only run, and other effects than read and write need --enable-exec.
// --deny denies the tool that it names.
func TestDenyOnlyNarrows(t *testing.T) {
	name := rapid.SampledFrom([]string{"file_put", "file_read", "wget", "shell"})
	glob := rapid.SampledFrom([]string{"*", "file_*", "wget", "?get", "s*", "[", "file_[pr]*"})
	effects := rapid.SampledFrom([]tool.Effect{tool.Read, tool.Write, tool.Exec, "", "other"})
	rapid.Check(t, func(t *rapid.T) {
		f := effect(name.Draw(t, "tool"), effects.Draw(t, "effect"))
		r := FlagRules{Allow: rapid.SliceOf(glob).Draw(t, "allow"), Deny: rapid.SliceOf(glob).Draw(t, "deny"), ReadOnly: rapid.Bool().Draw(t, "readonly"), EnableExec: rapid.Bool().Draw(t, "exec")}
		verdict := func(r FlagRules) Verdict {
			p := Policy{Flags: r}
			return p.Decide(&State{}, f).Verdict
		}
		before := verdict(r)
		if before == Allow && f.Def.Effect != tool.Read && (r.ReadOnly || f.Def.Effect != tool.Write && !r.EnableExec) {
			t.Errorf("%+v allows %+v", r, f)
		}
		narrow := r
		narrow.Deny = append(slices.Clone(r.Deny), glob.Draw(t, "more"))
		narrow.ReadOnly = true
		if before == Deny && verdict(narrow) == Allow {
			t.Errorf("%+v denies %+v and %+v allows it", r, f, narrow)
		}
		narrow.Deny = append(narrow.Deny, f.Def.Name)
		if verdict(narrow) != Deny {
			t.Errorf("%+v allows %+v", narrow, f)
		}
	})
}

// The hosts of a call are those of all URLs in it, at any depth and in any spelling. Other text with "://" is
// returned unchanged, and equals no host.
func TestHosts(t *testing.T) {
	for args, want := range map[string][]string{
		`{"q":"milk"}`: nil,
		`{"q":"x","urls":["http://a.test/","https://b.test:8/x"]}`: {"a.test:80", "b.test:8"},
		`{"q":"http:\/\/a.test\/"}`:                                {"a.test:80"},
		`{"q":"\u0068ttps://A.test"}`:                              {"a.test:443"},
		`{"q":"http://ok.test:80@evil.test/"}`:                     {"http://ok.test:80@evil.test/"},
		`{"q":"http://[::1]/"}`:                                    {"[::1]:80"},
		`{"q":"ftp://a.test/"}`:                                    {"ftp://a.test/"},
		`{"q":"see http://a.test/"}`:                               {"see http://a.test/"},
		`{"q":"a","q":"http://a.test/"}`:                           {"?"},
	} {
		if got := urlHosts(json.RawMessage(args)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// A glob matches the same texts as the equivalent regular expression.
func TestGlob(t *testing.T) {
	part := rapid.SampledFrom([]string{"**", "*", "a", "?", "a*", "*b", "a*b", "[ab]", "", "*.md", "ab"})
	name := rapid.SampledFrom([]string{"a", "b", "ab", "", "aab", "x.md", "é", "a\nb"})
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "pattern"), "/")
		text := strings.Join(rapid.SliceOfN(name, 1, 6).Draw(t, "text"), "/")
		g, err := newGlob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := expression(pattern).MatchString("/" + text)
		if g.matches(text) != want {
			t.Errorf("%q and %q: %v", pattern, text, !want)
		}
		if want {
			hits++
		}
	})
	if hits < 10 {
		t.Errorf("only %d match", hits)
	}
}

// expression returns the equivalent regular expression of a glob, for a text after a slash.
func expression(pattern string) *regexp.Regexp {
	var b strings.Builder
	for part := range strings.SplitSeq(pattern, "/") {
		if part == "**" {
			b.WriteString("(?:/[^/]*)*")
			continue
		}
		b.WriteString("/" + strings.NewReplacer("*", "[^/]*", "?", "[^/]", ".", `\.`).Replace(part))
	}
	return regexp.MustCompile(`\A` + b.String() + `\z`)
}
