package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// freight is a tool that accepts any object; its schema does not constrain it.
const freight = `
name: post
description: Post a request.
parameters:
  to: {type: string, required: false}
  body: {type: object}
examples: [{call: "post({body: {}})"}, {call: "post({body: {a: 1}})"}, {call: "post({to: 'x', body: {}})"}]
effect: read
builtin: post
---
name: file
description: Keep an object.
parameters: {body: {type: object}}
examples: [{call: "file({c: 1})"}, {call: "file({body: {a: 1}})"}, {call: "file({b: 2})"}]
effect: read
builtin: file
`

func toolsOf(t *testing.T, text string) *tool.Registry {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("tools.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	reg, _ := tool.NewRegistry(defs...)
	return reg
}

// Ambiguous arguments reach neither policy nor tool: the model gets the fault and its position, and
// the record has the rule.
func TestStrictArguments(t *testing.T) {
	for _, c := range []struct{ name, args, says string }{
		{"twice", `{"to":"a","body":{},"to":"b"}`, "duplicate key"},
		{"twice, deep", `{"body":{"x":[{"id":1,"id":2}]}}`, `body.x[0].id: duplicate key \"id\"`},
		{"case", `{"to":"a","TO":"b","body":{}}`, `the keys \"to\" and \"TO\" of one object differ only in case`},
		{"case, deep", `{"body":{"admin":false,"Admin":true}}`, `differ only in case`},
		{"long s", `{"body":{"scopes":1,"ſcopes":2}}`, "differ only in case"},
		{"case of a parameter", `{"body":{},"To":"b"}`, `post has no parameter To`},
		{"bytes", "{\"body\":{\"a\":\"\xff\"}}", "UTF-8"},
		{"half a pair", `{"body":{"a":"\ud800"}}`, "surrogate"},
		{"trailing", `text:{"body":{}}{"body":{"a":1}}`, "unexpected second value"},
		{"bytes in a text", "text:{\"body\":{\"a\":\"\xff\"}}", "UTF-8"},
		{"twice in a text", `text:{"body":{"a":1,"a":2}}`, "duplicate key"},
		{"no number", `text:{"body":{"a":NaN}}`, "NaN"},
		{"range", `{"body":{"n":1e999}}`, "body.n: 1e999 exceeds the range"},
		{"deep", `{"body":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 65), "nested more than 64 deep"},
		{"large", `{"body":{"a":"` + strings.Repeat("x", 2<<20) + `"}}`, "1048576 are allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := native("x", "post", c.args)
			if text, ok := strings.CutPrefix(c.args, "text:"); ok { // how a client passes on arguments that are not JSON
				call.Arguments, call.Text = nil, text
			}
			r := nativeRig(t, requests("", call), says("Done."), says(answer42))
			r.cfg.Tools = toolsOf(t, freight)
			path := filepath.Join(t.TempDir(), "run.jsonl")
			w, err := runfile.Create(path, runfile.Run{ID: "r1"})
			if err != nil {
				t.Fatal(err)
			}
			r.cfg.Recorder = w
			out := r.mustRun()
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			wantStatuses(t, out, "post error INVALID_ARGUMENTS")
			wantNoStart(t, r)
			if shown := r.last(1); !strings.Contains(shown, c.says) || len(shown) > 1000 {
				t.Errorf("the model got %.1000s", shown)
			}
			want := "floor:decode"
			if c.name == "case of a parameter" {
				want = "check"
			}
			wantRule(t, path, want)
		})
	}
}

func wantNoStart(t *testing.T, r *rig) {
	t.Helper()
	if slices.ContainsFunc(r.seen(), func(line string) bool { return strings.HasPrefix(line, "start ") }) {
		t.Errorf("a tool was started: %v", r.seen())
	}
}

// wantRule asserts the rule of the one call of a run file.
func wantRule(t *testing.T, path, rule string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := runfile.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, record := range log.Records {
		if c, ok := record.Body.(runfile.Call); ok {
			rules = append(rules, c.Verdict+" "+c.Rule)
		}
	}
	if !slices.Equal(rules, []string{"deny " + rule}) {
		t.Errorf("rules %q, want deny %s", rules, rule)
	}
}

// The same in a dialect, which accepts more than JSON; a positional argument that matches a
// parameter only in another case is not bound to it.
func TestStrictDialect(t *testing.T) {
	for _, c := range []struct{ call, says string }{
		{`post({to: "a", body: {}, TO: "b"})`, "differ only in case"},
		{`post({body: {a: {id: 1, ID: 2}}})`, "differ only in case"},
		{`post({body: {n: 1e999}})`, "1e999 exceeds the range"},
		{`file({BODY: {a: 1}})`, "file has no parameter BODY"},
		{`file({a: 1, A: 2})`, "differ only in case"},
		{`post({body: {a: 1, a: 2}})`, "duplicate key"},
	} {
		t.Run(c.call, func(t *testing.T) {
			r := newRig(t, then(says(calls(c.call)))...)
			r.cfg.Tools = toolsOf(t, freight)
			r.mustRun()
			wantNoStart(t, r)
			if shown := r.last(1); !strings.Contains(shown, c.says) {
				t.Errorf("the model got:\n%s", shown)
			}
		})
	}
	r := newRig(t, then(says(calls(`file({a: 1, b: {A: 2}})`)))...)
	r.cfg.Tools = toolsOf(t, freight)
	wantStatuses(t, r.mustRun(), "file ok")
}
