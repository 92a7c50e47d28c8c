package lint

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/dialect"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// fenced puts statements into a fence; the first is on line 2.
func fenced(statements ...string) string {
	return "```tool\n" + strings.Join(statements, "\n") + "\n```\n"
}

// greeting is a registry with one tool, greet(name: string, times?: integer).
func greeting(t *testing.T) *tool.Registry {
	t.Helper()
	defs, findings := tool.Parse("greet.yaml", []byte(greetYAML))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	registry, findings := tool.NewRegistry(defs...)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return registry
}

const greetYAML = `name: greet
description: Greet somebody.
signature: "greet(name: string, times?: integer): string"
parameters:
  name: {type: string, description: Who.}
  times: {type: integer, minimum: 1, description: How often.}
examples:
  - {call: 'greet({name: "Ada"})'}
  - {call: 'greet({name: "Ada", times: 2})'}
  - {call: 'greet("Ada")'}
effect: read
builtin: greet
`

// brief returns findings as "line:column severity code call path".
func brief(findings []diag.Finding) []string {
	out := []string{}
	for _, f := range findings {
		call := "-"
		if f.Call != nil {
			call = fmt.Sprint(*f.Call)
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d:%d %s %s %s %s", f.Span.Line, f.Span.Column, f.Severity, f.Code, call, f.Path)))
	}
	return out
}

// C2: without definitions nothing is checked against any, and arguments are
// shown as they were given.
func TestArguments(t *testing.T) {
	for _, tt := range []struct{ call, want string }{
		{`f({a: 1.50, "b": [null]})`, `{"a":1.50,"b":[null]}`},
		{`f()`, `[]`},
		{`f("x", 12345678901234567890)`, `["x",12345678901234567890]`},
		{`f([1])`, `[[1]]`},
		{`f({}, {})`, `[{},{}]`},
		{`f({a: NaN})`, `"{a: NaN}"`},
		{`f("a" + "\u0007")`, `"\"a\" + \"\\u0007\""`},
	} {
		t.Run(tt.call, func(t *testing.T) {
			r := Text("f", []byte(fenced(tt.call)), Options{})
			if len(r.Calls) != 1 {
				t.Fatalf("%d calls, want 1", len(r.Calls))
			}
			if got := string(r.Calls[0].Arguments); got != tt.want {
				t.Errorf("arguments %s, want %s", got, tt.want)
			}
		})
	}
}

// M3, T6: calls that can be read are kept beside those that cannot, and each
// finding says which call it is about.
func TestPartialSuccess(t *testing.T) {
	src := fenced(`a({x: True})`, `b({x: })`, `c({})`)
	r := Text("reply.txt", []byte(src), Options{})
	want := []string{"2:7 warning TC203 0 /x", "3:7 error TC220 1 /0/x"}
	if d := cmp.Diff(want, brief(r.Findings)); d != "" {
		t.Error(d)
	}
	type outcome struct {
		Name       string
		Status     chat.Status
		Executable bool
		Repairs    []diag.Code
		Line       int
	}
	var got []outcome
	for _, c := range r.Calls {
		got = append(got, outcome{c.Name, c.Status, c.Executable, c.Repairs, c.Span.Line})
	}
	wantCalls := []outcome{
		{"a", chat.StatusRepaired, true, []diag.Code{diag.PythonLiteral}, 2},
		{"b", chat.StatusInvalid, false, []diag.Code{}, 3},
		{"c", chat.StatusOK, true, []diag.Code{}, 4},
	}
	if d := cmp.Diff(wantCalls, got); d != "" {
		t.Error(d)
	}
	for _, f := range r.Findings {
		if f.File != "reply.txt" {
			t.Errorf("a finding is in file %q", f.File)
		}
	}
}

// T6, M9: calls are held against their definitions.
func TestBind(t *testing.T) {
	src := fenced(
		`greet({name: "Ada", times: 2})`,
		`greet("Ada", 2)`,
		`greet({times: 0})`,
		`greet("Ada", 2, 3)`,
		`grete("Ada")`,
		`finalResponse()`,
		`greet({name: )`,
	)
	r := Text("f", []byte(src), Options{Tools: greeting(t)})
	want := []string{
		"3:1 warning TC401 1",
		"4:1 error TC302 2 /name",
		"4:1 error TC310 2 /times",
		"5:1 error TC307 3",
		"6:1 error TC301 4",
		"8:14 error TC211 6 /0/name",
	}
	if d := cmp.Diff(want, brief(r.Findings)); d != "" {
		t.Error(d)
	}
	if hint := r.Findings[4].Hint; hint != "did you mean greet?" {
		t.Errorf("unknown tool: hint %q", hint)
	}
	var executable []bool
	for _, c := range r.Calls {
		executable = append(executable, c.Executable)
	}
	if d := cmp.Diff([]bool{true, true, false, false, false, true, false}, executable); d != "" {
		t.Error("executable:", d)
	}
	if got := string(r.Calls[1].Arguments); got != `{"name":"Ada","times":2}` {
		t.Errorf("arguments by position become %s", got)
	}
}

// C2: a call that was made before is reported; the order of keys makes no
// difference, a digit does.
func TestRepeats(t *testing.T) {
	src := fenced(
		`a({x: 1, y: {p: "\u00e9", q: 2}})`,
		`a({y: {q: 2, p: "é"}, x: 1})`,
		`b({x: 1, y: {p: "é", q: 2}})`,
		`a({x: 12345678901234567890})`,
		`a({x: 12345678901234567891})`,
		`a({x: 12345678901234567890})`,
		`a({x: )`,
		`a({x: )`,
	)
	r := Text("f", []byte(src), Options{})
	var repeats []string
	for _, f := range r.Findings {
		if f.Code == diag.DuplicateCall {
			repeats = append(repeats, brief([]diag.Finding{f})[0]+": "+f.Message)
		}
	}
	want := []string{
		"3:1 warning TC401 1: call 0 on line 2 is the same",
		"7:1 warning TC401 5: call 3 on line 5 is the same",
	}
	if d := cmp.Diff(want, repeats); d != "" {
		t.Error(d)
	}
}

// M3: the paths of findings lead into the arguments as they are shown.
func TestPaths(t *testing.T) {
	src := fenced(`greet("Ada", +2)`, `greet({name: "Ada", times: +3})`, `other({a: [+1]})`, `other([+1], 2)`, `greet(name="Ada", times=+4)`)
	got := map[string][]string{}
	for name, o := range map[string]Options{"bound": {Tools: greeting(t)}, "not bound": {}} {
		for _, f := range Text("f", []byte(src), o).Findings {
			if f.Code == diag.NumberForm {
				got[name] = append(got[name], f.Path)
			}
		}
	}
	want := map[string][]string{
		"bound":     {"/times", "/times", "/a/0", "/0/0", "/times"},
		"not bound": {"/1", "/times", "/a/0", "/0/0", "/times"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Reading costs the same for each call, however long the line and the list are.
func TestTextIsLinear(t *testing.T) {
	src := fenced(strings.Repeat("a(True); ", dialect.MaxKept))
	begin := time.Now()
	r := Text("f", []byte(src), Options{})
	if want := 2*dialect.MaxKept - 1; len(r.Findings) != want {
		t.Errorf("%d findings, want %d: one fault in each call, and repeats", len(r.Findings), want)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("%d calls took %v", dialect.MaxKept, took)
	}
}

// C2: bytes that are not UTF-8 are reported with their place, once for the text
// and once for each value, and the text is read all the same.
func TestEncoding(t *testing.T) {
	src := "caf\xe9\n" + fenced("a({s: \"\xff\"})") + "\xfe\xfe"
	r := Text("f", []byte(src), Options{})
	want := []string{"1:4 error TC001 -", "3:8 error TC001 0 /0/s"}
	if d := cmp.Diff(want, brief(r.Findings)); d != "" {
		t.Error(d)
	}
	if message := r.Findings[0].Message; message != "byte 0xe9 is not UTF-8, nor are 2 more outside calls" {
		t.Errorf("message %q", message)
	}
	if len(r.Calls) != 1 || r.Calls[0].Name != "a" {
		t.Errorf("calls %v", r.Calls)
	}
}

// C2: strict reading tolerates nothing.
func TestStrict(t *testing.T) {
	src := fenced(`a({x: True})`, `b({})`)
	r := Text("f", []byte(src), Options{Strict: true})
	if d := cmp.Diff([]string{"2:7 error TC203 0 /x"}, brief(r.Findings)); d != "" {
		t.Error(d)
	}
	if r.Calls[0].Executable || !r.Calls[1].Executable {
		t.Errorf("executable: %v and %v, want false and true", r.Calls[0].Executable, r.Calls[1].Executable)
	}
}

// C2: the record says how its dialect was told.
func TestDialect(t *testing.T) {
	named, _ := dialect.Named("tool")
	list := `{"toolCalls": [{"type": "a", "id": "1", "operation": "o", "parameters": {}}]}`
	for _, tt := range []struct {
		name, src, dialect, why string
		o                       Options
		want                    []string
	}{
		{"named", list, "tool", "named by the caller", Options{Dialect: named}, []string{}},
		{"fence", "So:\n" + fenced("a()"), "tool", `line 2 has a fence marked "tool"`, Options{}, []string{}},
		{"list", "\n" + list, "toolcalls", `line 2 has the key "toolCalls"`, Options{}, []string{}},
		{"relative", `{"name": "a", "arguments": {}}`, "json_generic", `line 1 has JSON with the keys "name" and "arguments"`, Options{}, []string{}},
		{"both", fenced("a()") + list, "tool", `line 1 has a fence marked "tool"`, Options{}, []string{"4:16 warning TC106 1"}},
		{"both the other way", list + "\n" + fenced("b()"), "toolcalls", `line 1 has the key "toolCalls"`, Options{},
			[]string{"3:1 warning TC106 1"}},
		{"in a string", fenced("a(`\n" + list + "`)"), "tool", `line 1 has a fence marked "tool"`, Options{}, []string{}},
		{"nothing there", "So.", "tool", "nothing in the text is a call of any dialect", Options{}, []string{}},
		{"empty", "", "tool", "nothing in the text is a call of any dialect", Options{}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Text("f", []byte(tt.src), tt.o)
			if r.Dialect != tt.dialect || r.Why != tt.why {
				t.Errorf("dialect %s, %s; want %s, %s", r.Dialect, r.Why, tt.dialect, tt.why)
			}
			if d := cmp.Diff(tt.want, brief(r.Findings)); d != "" {
				t.Error(d)
			}
		})
	}
}

// M2, M3: the calls of a JSON list are shown with id and priority, those that
// cannot be read with their text, and those that lack something are still held
// against their definitions.
func TestCallList(t *testing.T) {
	src := `{"toolCalls": [
{"type": "greet", "id": "1", "operation": "o", "parameters": {"name": "Ada"}, "priority": 2.5},
{"type": "greet", "operation": "o", "parameters": {"times": "x"}},
{"type": "greet", "id": "3", "operation": "o", "parameters": {"name": }},
{"type": "greet", "id": "3", "operation": "o", "parameters": {"name": "Ada"}},
"greet"]}`
	r := Text("f", []byte(src), Options{Tools: greeting(t)})
	want := []string{
		"3:1 error TC115 1",
		"3:1 error TC302 1 /name",
		"3:1 error TC304 1 /times",
		"4:71 error TC220 2 /name",
		"5:25 error TC402 3",
		"6:1 error TC113 -",
	}
	if d := cmp.Diff(want, brief(r.Findings)); d != "" {
		t.Error(d)
	}
	type shown struct {
		ID, Arguments string
		Priority      float64
		Status        chat.Status
		Executable    bool
	}
	var got []shown
	for _, c := range r.Calls {
		got = append(got, shown{c.ID, string(c.Arguments), c.Priority, c.Status, c.Executable})
	}
	wantCalls := []shown{
		{"1", `{"name":"Ada"}`, 2.5, chat.StatusOK, true},
		{"", `{"times":"x"}`, 0, chat.StatusInvalid, false},
		{"3", `"{\"type\": \"greet\", \"id\": \"3\", \"operation\": \"o\", \"parameters\": {\"name\": }}"`, 0, chat.StatusInvalid, false},
		{"3", `{"name":"Ada"}`, 0, chat.StatusInvalid, false},
	}
	if d := cmp.Diff(wantCalls, got); d != "" {
		t.Error(d)
	}
}

// published returns a published schema.
func published(t testing.TB, name string) *schema.Schema {
	t.Helper()
	text, ok := schema.Text(name)
	if !ok {
		t.Fatalf("no published schema %s", name)
	}
	s, findings := schema.Compile(name, text)
	if s == nil {
		t.Fatal(findings)
	}
	return s
}

// FuzzText: whatever the text, its record fits the published schema, findings
// are in order and lie inside the text, and reading twice gives the same (K2). As a
// file of any kind it can be checked.
func FuzzText(f *testing.F) {
	for _, src := range []string{
		"", "So.", fenced("a()"), fenced(`a({x: True})`, `b({x: })`, `greet("Ada", 2, 3)`, `greet({times: "x"})`),
		fenced("greet({name: \"\xff\"})") + "\xfe", fenced(`greet("a")`, `greet({name: "a"})`), "```tool\ngreet({name: \"a",
		"~~~~tool\ngreet(`\n```\n`, 1e400)\n~~~~\r\n```tool_code\nprint(greet())\n```",
		`{"toolCalls": [{"type": "greet", "id": "1", "operation": "o", "parameters": {"name": "a", "times": "x"}}, {"type": "greet", "parameters": 1}]}`,
		"So:\n```json\n{\"tool_calls\": [{\"function\": {\"name\": \"greet\", \"arguments\": \"{\\\"name\\\": 'a'\"}}, {'name': 'greet', args: {name: 'éÿ'}},]}\n",
		`[{"name": "greet", "arguments": {}}, x]` + "\n```tool\ngreet()",
		greetYAML, `{"type": "object"}`, `{"seq":1,"run":"x","kind":"run","time":"2026-11-21T09:30:00Z"}` + "\n", `{"name":{"a":[`,
	} {
		f.Add(src)
	}
	fits := published(f, "parse_result.v1")
	defs, _ := tool.Parse("greet.yaml", []byte(greetYAML))
	registry, _ := tool.NewRegistry(defs...)
	answers, _ := schema.Compile("s", []byte(`{"type": "object"}`))
	f.Fuzz(func(t *testing.T, src string) {
		checkKinds(t, answers, []byte(src))
		for _, o := range []Options{{}, {Tools: registry, Strict: true}} {
			r := Text("f", []byte(src), o)
			var doc bytes.Buffer
			if err := report.JSON(&doc, r); err != nil {
				t.Fatal(err)
			}
			for _, f := range fits.Check(doc.Bytes()) {
				t.Errorf("%s\n%s", f, doc.Bytes())
			}
			for i, c := range r.Calls {
				if o.Strict && c.Executable && c.Status != chat.StatusOK {
					t.Errorf("call %d is %s, and executable in a strict reading", i, c.Status)
				}
			}
			for _, f := range r.Findings {
				if f.Span.Start < 0 || f.Span.End > len(src) || f.Span.Start > f.Span.End || f.Span.Line < 1 {
					t.Errorf("%s stands nowhere: %+v", f, f.Span)
				}
				if f.Severity == diag.Error && f.Call != nil && r.Calls[*f.Call].Executable {
					t.Errorf("%s, and the call is executable", f)
				}
			}
			if d := cmp.Diff(r, Text("f", []byte(src), o), cmpopts.IgnoreUnexported(Call{})); d != "" {
				t.Error("another reading:", d)
			}
		}
	})
}
