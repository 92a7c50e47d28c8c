package lint

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// exampleTools are the tools that the examples of the family schema call.
const exampleTools = `name: search
description: Search.
signature: 'search(query: string, limit?: integer, sort?: "date" | "rank"): string'
examples: [{call: 'search("x")'}, {call: 'search("x", 5)'}, {call: 'search({query: "x", sort: "date"})'}]
effect: read
builtin: x
---
name: file_put
description: Write a file.
signature: "file_put(path: string, content: string): string"
examples: [{call: 'file_put("a", "b")'}, {call: 'file_put("a", "c")'}, {call: 'file_put("a", "")'}]
effect: write
builtin: x
---
name: wget
description: Fetch a page.
signature: "wget(uri: string, timeoutMs?: integer): string"
examples: [{call: 'wget("x")'}, {call: 'wget("x", 1)'}, {call: 'wget("y")'}]
effect: read
builtin: x
---
name: gmail_list
description: List messages.
parameters: {maxResults: {type: integer, maximum: 500, required: false}}
examples: [{call: 'gmail_list()'}, {call: 'gmail_list(1)'}, {call: 'gmail_list({maxResults: 2})'}]
effect: read
builtin: x
---
name: fetch
description: Make a request.
signature: 'fetch(request: object): string'
examples: [{call: 'fetch({request: {}})'}, {call: 'fetch({request: {path: "a"}})'}, {call: 'fetch({request: {size: 1}})'}]
effect: read
builtin: x
`

// inFull holds the full versions of bad examples that are abbreviated in the documentation.
var inFull = map[diag.Code]string{
	diag.TooDeep:        "f(" + strings.Repeat("[", 65) + strings.Repeat("]", 65) + ")",
	diag.LargeArguments: `file_put("a.txt", "` + strings.Repeat("x", tool.MaxArguments) + `")`,
	diag.TooMany:        strings.Repeat("f(1); ", dialect.MaxKept+1),
}

// shownBy are the codes whose example is in words, with the test that raises each: a file and a
// string in it.
var shownBy = map[diag.Code][2]string{
	diag.FencedAnswer:          {"../agent/answer_test.go", "diag.FencedAnswer"},
	diag.UnsourcedLink:         {"../agent/answer_test.go", "diag.UnsourcedLink"},
	diag.AnswerIsQuestion:      {"../../testdata/script/run_ask_user.txtar", "TA008"},
	diag.ReasoningBeforeAnswer: {"../agent/reasoning_test.go", "diag.ReasoningBeforeAnswer"},
	diag.AgentValue:            {"../../testdata/script/agent_run.txtar", "error TA009"},
	diag.AgentReference:        {"../../testdata/script/agent_hostile_paths.txtar", "error TA010"},
	diag.RunDamaged:            {"../../testdata/script/validate_runfile.txtar", "error TR001"},
	diag.RunTorn:               {"../../testdata/script/validate_runfile.txtar", "warning TR002"},
	diag.RunSequence:           {"../../testdata/script/validate_runfile.txtar", "error TR003"},
	diag.RunVersion:            {"../runfile/findings_test.go", "diag.RunVersion"},
	diag.RunUnordered:          {"../runfile/findings_test.go", "diag.RunUnordered"},
	diag.UnusedBaseline:        {"../../testdata/script/parse_baseline.txtar", "warning TB001"},
	diag.PolicyWritable:        {"../../testdata/script/policy_load.txtar", "TP005"},
	diag.ExposedData:           {"../../testdata/script/policy_exposed.txtar", "warning TP007"},
	diag.LargeRecord:           {"jsonlinesreader_test.go", "diag.LargeRecord"},
}

// C2: the examples are correct. The bad example of each code raises it; the good one raises no
// error or warning.
func TestRuleExamples(t *testing.T) {
	tools := exampleRegistry(t)
	for _, rule := range diag.Rules {
		t.Run(string(rule.Code), func(t *testing.T) {
			if by, ok := shownBy[rule.Code]; ok {
				if text, err := os.ReadFile(by[0]); err != nil || !strings.Contains(string(text), by[1]) {
					t.Errorf("%s does not say %q (%v)", by[0], by[1], err)
				}
				return
			}
			bad := rule.Bad
			if full, ok := inFull[rule.Code]; ok {
				bad = full
			}
			if found := example(t, rule.Code, bad, tools); !slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Code == rule.Code }) {
				t.Errorf("the bad example raises %v:\n%s", found, bad)
			}
			for _, f := range example(t, rule.Code, rule.Good, tools) {
				if f.Severity.Rank() > diag.Info.Rank() || f.Code == rule.Code {
					t.Errorf("the good example raises %s:\n%s", f, rule.Good)
				}
			}
		})
	}
}

// exampleRegistry returns the tools of the examples.
func exampleRegistry(t *testing.T) *tool.Registry {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("tools.yaml", []byte(exampleTools))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	tools, findings := tool.NewRegistry(defs...)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return tools
}

// policed returns the tools of the policy examples.
func policed(t *testing.T) *tool.Registry {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("wget.yaml", []byte(`
name: wget
description: Fetch.
parameters: {uri: {type: string, format: uri}}
examples: [{call: 'wget("https://a.example/")'}, {call: 'wget("https://b.example/")'}, {call: 'wget("https://c.example/")'}]
effect: read
builtin: wget
`))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	tools, _ := tool.NewRegistry(defs...)
	return tools
}

// example returns the findings of a code's example, read as its family requires.
func example(t *testing.T, code diag.Code, text string, tools *tool.Registry) []diag.Finding {
	t.Helper()
	var o Options
	switch code.Family().Name {
	case "definitions":
		return NewChecker(nil, tool.Loader{Builtins: []string{"wget"}}, V1Defaults{}, nil).CheckFile("f.yaml", []byte(definitionWith(text)), Definition).Findings
	case "documents":
		return documentExample(t, code, text)
	case "messages":
		return NewChecker(nil, tool.Loader{}, V1Defaults{}, nil).CheckFile("f.json", []byte(text), Message).Findings
	case "events":
		return NewChecker(nil, tool.Loader{}, V1Defaults{}, nil).CheckFile("f.jsonl", []byte(text), Events).Findings
	case "policies":
		return NewChecker(nil, tool.Loader{}, V1Defaults{}, policed(t)).CheckFile("f.yaml", []byte(text), Policy).Findings
	case "schema":
		o.Tools = tools
	}
	if strings.HasPrefix(string(code), "TC02") { // of JSON Lines
		return recordFindings(text)
	}
	o.RequireCall = code == diag.NoCall
	if code == diag.EchoedCall { // make the example its own untrusted context
		o.Context = &echo.SeenText{}
		o.Context.Add([]byte(code.Rule().Bad))
	}
	return response("x", []byte(inFence(text)), o).Findings
}

// recordFindings returns the findings in JSON Lines.
func recordFindings(text string) []diag.Finding {
	records := NewRecordReader(FieldPaths{Response: "response", Tools: "tools", Dialect: "dialect"}, Options{})
	var all []diag.Finding
	for r := range records.Read("x", oneChunk(text)) {
		all = append(all, r.Findings...)
	}
	return all
}

// inFence puts a single-statement example into a fence.
func inFence(text string) string {
	if strings.Contains("`<{", text[:1]) || !strings.Contains(text, "(") {
		return text
	}
	return fenced(text)
}

// definitionWith returns a valid definition with some of its keys replaced.
func definitionWith(part string) string {
	const base = `name: wget
description: Fetch a page.
signature: "wget(uri: string, timeoutMs?: number): string"
examples: [{call: "wget('https://example.com/')"}, {call: "wget('https://example.com/a')"}, {call: "wget('https://example.com/b', 5)"}]
effect: read
builtin: wget
`
	var src strings.Builder
	for l := range strings.Lines(base) {
		key, _, _ := strings.Cut(l, ":")
		replaced := strings.HasPrefix(part, key+":") || key == "builtin" && (strings.Contains(part, "\nexec:") || strings.Contains(part, "\nhttp:"))
		if !replaced {
			src.WriteString(l)
		}
	}
	return src.String() + part + "\n"
}

// documentExample checks an example that is a document, possibly against a schema.
func documentExample(t *testing.T, code diag.Code, text string) []diag.Finding {
	t.Helper()
	kind, answers := Answer, "{}"
	switch code {
	case diag.BadSchema, diag.MisspelledKeyword:
		kind = Schema
	case diag.UnknownKind:
		kind, _ := DetectKind([]byte(text))
		return NewChecker(nil, tool.Loader{}, V1Defaults{}, nil).CheckFile("f", []byte(text), kind).Findings
	case diag.NotYAML:
		kind = Agent
	}
	if doc, against, ok := strings.Cut(text, "  against  "); ok {
		text, answers = doc, against
	}
	s, findings := schema.Compile("s.json", []byte(answers))
	if s == nil {
		t.Fatal(findings)
	}
	return NewChecker(s, tool.Loader{}, V1Defaults{}, nil).CheckFile("f", []byte(text), kind).Findings
}

// No valid case raises an error or warning, with its dialect named or detected. Some texts are
// valid in one dialect only and look like another.
func TestValidCases(t *testing.T) {
	count := 0
	for file, text := range caseInputs(t) {
		if !strings.HasPrefix(filepath.Base(file), "valid-") {
			continue
		}
		count++
		d, ok := dialect.Lookup(filepath.Base(filepath.Dir(file)))
		if !ok {
			t.Fatal(file)
		}
		for _, o := range []Options{{}, {Dialect: d}} {
			r := asText(file, []byte(text), o)
			for _, f := range r.Findings {
				if f.Code == diag.OtherDialect && filepath.Base(file) == "valid-other.txtar" {
					continue // it is a call of another dialect
				}
				if r.Dialect == d.Name && f.Severity.Rank() > diag.Info.Rank() {
					t.Errorf("%s", f)
				}
			}
		}
	}
	if count < 200 {
		t.Errorf("there are only %d valid cases", count)
	}
}

// A code's findings offer the fix kind that it documents, and no other.
func TestFixKinds(t *testing.T) {
	offered := map[diag.Code][]diag.FixKind{}
	add := func(findings []diag.Finding) {
		for _, f := range findings {
			for _, x := range f.Fixes {
				offered[f.Code] = append(offered[f.Code], x.Kind)
			}
		}
	}
	for file, text := range caseInputs(t) {
		d, _ := dialect.Lookup(filepath.Base(filepath.Dir(file)))
		add(asText(file, []byte(text), Options{Dialect: d}).Findings)
	}
	tools := exampleRegistry(t)
	for _, rule := range diag.Rules {
		if rule.Code[:2] != "TC" {
			continue
		}
		add(example(t, rule.Code, rule.Bad, tools))
		kinds := offered[rule.Code]
		if rule.Fix == "" && len(kinds) > 0 || rule.Fix != "" && !slices.Contains(kinds, rule.Fix) {
			t.Errorf("%s documents the fix %q, and has %v", rule.Code, rule.Fix, kinds)
		}
	}
}

// Findings have only the severities that their code documents, and each of these occurs.
func TestSeverities(t *testing.T) {
	raised := map[diag.Code]map[diag.Severity]bool{}
	eachFinding(t, func(f diag.Finding) {
		if f.Severity != f.Code.Rule().Severity && !slices.Contains(f.Code.Rule().Also, f.Severity) {
			t.Errorf("%s is documented as %s", f, f.Code.Rule().Severities())
		}
		if raised[f.Code] == nil {
			raised[f.Code] = map[diag.Severity]bool{}
		}
		raised[f.Code][f.Severity] = true
	})
	for _, rule := range diag.Rules {
		if _, ok := shownBy[rule.Code]; ok {
			continue
		}
		for _, s := range append(rule.Also, rule.Severity) {
			if !raised[rule.Code][s] {
				t.Errorf("nothing raises %s as %s", rule.Code, s)
			}
		}
	}
}

// eachFinding calls a function with every finding of the dialect cases, the malformations, the
// examples of codes and some server responses.
func eachFinding(t *testing.T, do func(diag.Finding)) {
	t.Helper()
	tools, malformed := exampleRegistry(t), malformationRegistry(t)
	add := func(file, text string, o Options) {
		for _, f := range response(file, []byte(text), o).Findings {
			do(f)
		}
	}
	for file, text := range caseInputs(t) {
		d, _ := dialect.Lookup(filepath.Base(filepath.Dir(file)))
		for _, o := range []Options{{}, {Dialect: d}, {Tools: tools}} {
			add(file, text, o)
		}
	}
	for _, m := range malformations {
		for _, c := range m.cases {
			for _, o := range []Options{{}, {Tools: malformed}, {Tools: malformed, Coerce: true}} {
				add("f", c.src, o)
			}
		}
	}
	for _, text := range []string{
		chatCalls(chatCall("a", `"{}"`)+","+chatCall("a", `"{}"`), "tool_calls"),
		chatCalls(chatCall("a", `"{}"`), "stop"),
	} {
		add("f", text, Options{})
	}
	for _, f := range recordFindings(mailRecord) {
		do(f)
	}
	for _, rule := range diag.Rules {
		if _, ok := shownBy[rule.Code]; !ok {
			for _, f := range example(t, rule.Code, cmp.Or(inFull[rule.Code], rule.Bad), tools) {
				do(f)
			}
		}
	}
}

// mailRecord is a record with a function, and a call with a value in another format.
const mailRecord = `{"response":"[mail(to='me')]","tools":[{"name":"mail","parameters":{"properties":{"to":{"type":"string","format":"email"}}}}]}` + "\n"

// In published functions format is an annotation: a value in another format is a warning that is no
// repair, and an error with --strict or in a oneshot definition.
func TestFormats(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for r := range NewRecordReader(FieldPaths{Response: "response", Tools: "tools"}, Options{Strict: strict}).Read("x", oneChunk(mailRecord)) {
			want := diag.Warning
			if strict {
				want = diag.Error
			}
			if len(r.Findings) != 1 || r.Findings[0].Code != diag.ArgConstraint || r.Findings[0].Severity != want ||
				r.Calls[0].Executable == strict || len(r.Calls[0].Repairs) > 0 {
				t.Errorf("strict %v: %v, %+v", strict, r.Findings, r.Calls)
			}
		}
	}
}
