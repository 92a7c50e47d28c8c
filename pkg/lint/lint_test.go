package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/dialect"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// fenced puts statements into a fence; the first is on line 2.
func fenced(statements ...string) string {
	return "```tool\n" + strings.Join(statements, "\n") + "\n```\n"
}

// greeting returns a registry with one tool, greet(name: string, times?: integer).
func greeting(t *testing.T) *tool.Registry {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("greet.yaml", []byte(greetYAML))
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

// asText reads a text that may look like something else.
func asText(file string, src []byte, o Options) ParseResult {
	return o.readText(src).checkAndConvert(file, diag.Text{Bytes: src}, o)
}

// response returns the first result of a file.
func response(file string, src []byte, o Options) ParseResult {
	for r := range ParseCapture(file, src, o) {
		return r
	}
	return ParseResult{}
}

// fixOf returns the first fixed response of a file.
func fixOf(file string, src []byte, o Options) Fixed[ParseResult] {
	for f := range Fix(file, src, o) {
		return f
	}
	return Fixed[ParseResult]{}
}

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

// C2: without definitions nothing is checked, and arguments are shown as written.
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
			r := asText("f", []byte(fenced(tt.call)), Options{})
			if len(r.Calls) != 1 {
				t.Fatalf("%d calls, want 1", len(r.Calls))
			}
			if got := string(r.Calls[0].Arguments); got != tt.want {
				t.Errorf("arguments %s, want %s", got, tt.want)
			}
		})
	}
}

// The finding about an unknown tool is located at its name.
func TestUnknownTool(t *testing.T) {
	for body, want := range map[string]string{
		fenced(`greet("a")`, `  grete({name: "grete"})`):                                                        "grete",
		"<tool_call>\n{\"arguments\": {\"name\": \"grete\"}, \"name\": \"grete\"}\n</tool_call>":                `"grete"`,
		"<tool_call>grete\n<arg_key>name</arg_key>\n<arg_value>grete</arg_value></tool_call>":                   "grete",
		" to=name<|message|><atem:function_calls><atem:invoke name=\"name\">":                                   "name",
		`{"message":{"tool_calls":[{"function":{"arguments":{"name":"grete"},"name":"grete"}}]},"done":true}`:   `grete`,
		`{"message":{"content":"<tool_call>{\"name\": \"grete\", \"arguments\": {}}</tool_call>"},"done":true}`: `\"grete\"`,
	} {
		r := response("f", []byte(body), Options{Tools: greeting(t)})
		i := slices.IndexFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.UnknownTool })
		if i < 0 || body[r.Findings[i].Span.Start:r.Findings[i].Span.End] != want {
			t.Errorf("%s\n%v", body, r.Findings)
		}
	}
}

// For a call without parentheses, the text of unparseable arguments is the object.
func TestUnreadObject(t *testing.T) {
	r := asText("f", []byte("<|tool_call>call:f{a:x (y), z}<tool_call|>"), Options{})
	if len(r.Calls) != 1 || string(r.Calls[0].Arguments) != `"{a:x (y), z}"` {
		t.Errorf("%+v", r.Calls)
	}
}

// M3, T6: readable calls are kept next to unreadable ones, and each finding refers to its call.
func TestPartialSuccess(t *testing.T) {
	src := fenced(`a({x: True})`, `b({x: })`, `c({})`)
	r := asText("reply.txt", []byte(src), Options{})
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

// T6, M9: calls are checked against their definitions.
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
	r := asText("f", []byte(src), Options{Tools: greeting(t)})
	want := []string{
		"3:1 warning TC401 1",
		"4:7 error TC302 2 /name",
		"4:15 error TC310 2 /times",
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

// C2: repeated calls are reported; the order of keys does not matter, a digit does.
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
	r := asText("f", []byte(src), Options{})
	var repeats []string
	for _, f := range r.Findings {
		if f.Code == diag.DuplicateCall {
			repeats = append(repeats, brief([]diag.Finding{f})[0]+": "+f.Message)
		}
	}
	want := []string{
		"3:1 warning TC401 1: repeats call 0 on line 2",
		"7:1 warning TC401 5: repeats call 3 on line 5",
	}
	if d := cmp.Diff(want, repeats); d != "" {
		t.Error(d)
	}
}

// M3: the paths of findings point into the arguments as shown.
func TestPaths(t *testing.T) {
	src := fenced(`greet("Ada", +2)`, `greet({name: "Ada", times: +3})`, `other({a: [+1]})`, `other([+1], 2)`, `greet(name="Ada", times=+4)`)
	got := map[string][]string{}
	for name, o := range map[string]Options{"bound": {Tools: greeting(t)}, "not bound": {}} {
		for _, f := range asText("f", []byte(src), o).Findings {
			if f.Code == diag.NonstandardNumber {
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

// The cost per call does not depend on the length of the line or list.
func TestTextIsLinear(t *testing.T) {
	src := fenced(strings.Repeat("a(True); ", dialect.MaxKept))
	begin := time.Now()
	r := asText("f", []byte(src), Options{})
	if want := dialect.MaxKept + 1; len(r.Findings) != want {
		t.Errorf("%d findings, want %d: faults and repeats, and how many more there are", len(r.Findings), want)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("%d calls took %v", dialect.MaxKept, took)
	}
}

// C2: invalid UTF-8 is reported with its location, once for the text and once for each value, and
// the text is read anyway.
func TestEncoding(t *testing.T) {
	src := "caf\xe9\n" + fenced("a({s: \"\xff\"})") + "\xfe\xfe"
	r := asText("f", []byte(src), Options{})
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
	r := asText("f", []byte(src), Options{Strict: true})
	if d := cmp.Diff([]string{"2:7 error TC203 0 /x"}, brief(r.Findings)); d != "" {
		t.Error(d)
	}
	if r.Calls[0].Executable || !r.Calls[1].Executable {
		t.Errorf("executable: %v and %v, want false and true", r.Calls[0].Executable, r.Calls[1].Executable)
	}
}

// C2: the result explains why its dialect was chosen.
func TestDialect(t *testing.T) {
	named, _ := dialect.Lookup("tool")
	list := `{"toolCalls": [{"type": "a", "id": "1", "operation": "o", "parameters": {}}]}`
	for _, tt := range []struct {
		name, src, dialect, why string
		o                       Options
		want                    []string
	}{
		{"named", list, "tool", "named by the caller", Options{Dialect: named}, []string{"1:16 warning TC106 -"}},
		{"fence", "So:\n" + fenced("a()"), "tool", `line 2 has a fence marked "tool"`, Options{}, []string{}},
		{"list", "\n" + list, "toolcalls", `line 2 has the key "toolCalls"`, Options{}, []string{}},
		{"relative", `{"name": "a", "arguments": {}}`, "json_generic", `line 1 has JSON with the keys "name" and "arguments"`, Options{}, []string{}},
		{"both", fenced("a()") + list, "tool", `line 1 has a fence marked "tool"`, Options{}, []string{"4:16 warning TC106 1"}},
		{"both the other way", list + "\n" + fenced("b()"), "toolcalls", `line 1 has the key "toolCalls"`, Options{},
			[]string{"3:1 warning TC106 1"}},
		{"in a string", fenced("a(`\n" + list + "`)"), "tool", `line 1 has a fence marked "tool"`, Options{}, []string{}},
		{"nothing there", "So.", "tool", "the text contains no call of any dialect", Options{}, []string{}},
		{"empty", "", "tool", "the text contains no call of any dialect", Options{}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := asText("f", []byte(tt.src), tt.o)
			if r.Dialect != tt.dialect || r.Why != tt.why {
				t.Errorf("dialect %s, %s; want %s, %s", r.Dialect, r.Why, tt.dialect, tt.why)
			}
			if d := cmp.Diff(tt.want, brief(r.Findings)); d != "" {
				t.Error(d)
			}
		})
	}
}

// M2, M3: the calls of a JSON list are shown with id and priority, unreadable ones with their text,
// and incomplete ones are still checked against their definitions.
func TestCallList(t *testing.T) {
	src := `{"toolCalls": [
{"type": "greet", "id": "1", "operation": "o", "parameters": {"name": "Ada"}, "priority": 2.5},
{"type": "greet", "operation": "o", "parameters": {"times": "x"}},
{"type": "greet", "id": "3", "operation": "o", "parameters": {"name": }},
{"type": "greet", "id": "3", "operation": "o", "parameters": {"name": "Ada"}},
"greet"]}`
	r := asText("f", []byte(src), Options{Tools: greeting(t)})
	want := []string{
		"3:1 error TC115 1",
		"3:51 error TC302 1 /name",
		"3:61 error TC304 1 /times",
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
	text, ok := schema.PublishedText(name)
	if !ok {
		t.Fatalf("no published schema %s", name)
	}
	s, findings := schema.Compile(name, text)
	if s == nil {
		t.Fatal(findings)
	}
	return s
}

// FuzzText checks that the result of any text fits the published schema, that its findings are
// sorted and inside the text, that reading twice gives the same (K2), and that the text can be
// checked as any kind of file.
func FuzzText(f *testing.F) {
	for _, src := range []string{
		"", "So.", fenced("a()"), fenced(`a({x: True})`, `b({x: })`, `greet("Ada", 2, 3)`, `greet({times: "x"})`),
		fenced("greet({name: \"\xff\"})") + "\xfe", fenced(`greet("a")`, `greet({name: "a"})`), "```tool\ngreet({name: \"a",
		"~~~~tool\ngreet(`\n```\n`, 1e400)\n~~~~\r\n```tool_code\nprint(greet())\n```",
		`{"toolCalls": [{"type": "greet", "id": "1", "operation": "o", "parameters": {"name": "a", "times": "x"}}, {"type": "greet", "parameters": 1}]}`,
		"So:\n```json\n{\"tool_calls\": [{\"function\": {\"name\": \"greet\", \"arguments\": \"{\\\"name\\\": 'a'\"}}, {'name': 'greet', args: {name: 'éÿ'}},]}\n",
		`[{"name": "greet", "arguments": {}}, x]` + "\n```tool\ngreet()",
		greetYAML, `{"type": "object"}`, `{"seq":1,"run":"x","kind":"run","time":"2026-11-21T09:30:00Z"}` + "\n", `{"name":{"a":[`,
		"version: 1\nmodel: [a, 0x1]\nname: \"\\u00e9\"\nmax_turn: {a: 1}\nheader: [x]\n---\nversion: 2", "version: 1\ntools: {\"a b\": {allow: [{args: {x: {match: \"(\"}}}]}}\ntools: 1",
		`{"role":"user","content":"a","toolCalls":[{"toolType":"vectorSearch","input":{"topK":0}}]}` + "\n" + `{"toolType":"a","output":1}`,
		`{"event":"on_chain_start"}` + "\n" + `{"event":"on_tool_end","toolCalls":[{"b":1,"a":2}]}` + "\n\n" + `{"event":"on_chain_end","toolCalls":[]}` + "\n" + `{"eve`,
		`[{"name":"retrieval","query":"q","results":[{"chunk_id":1,"content":"c","metadata":{"a":1}}],"index":"i"},{"query":1,"results":[]}]`,
		"{\"role\":\"user\",\"toolCalls\":[\n {\n  \"results\": [{\"content\": 1}],\n  \"query\": 2, \"name\": \"Retrieval\"\n }]}", "query: a\nname: retrieval\nresults: [{}]\n",
		` [{"ok":true}, {"ok":false,"needs":{"a":1}}]`,
		"<tool_call>\n<function=greet>\n<parameter=name>\nx\n</parameter>\n<parameter=times>\nx\n</function>\n</tool_call>",
		`<invoke name="greet"><times><item>1</item><b><c>x</c><c/></b></times><name>a</name><name>b</name></invoke>`,
		"<tool_call>greet\n<arg_key> é </arg_key><arg_value>[1, {\"a\": 'x'}]</arg_value></tool_call>",
		`<|tool_call>call:greet{name:<|"|>"<|"|>,times:<|"|>"5<|"|>}<tool_call|>`,
		`<tool_call>{"name": "greet", "arguments": "{\"name\": \"\\ud800\", \"times\": \"5\"}"}</tool_call>`,
	} {
		f.Add(src)
	}
	fits := published(f, "parse_result.v1")
	defs, _ := tool.Loader{}.Parse("greet.yaml", []byte(greetYAML))
	registry, _ := tool.NewRegistry(defs...)
	answers, _ := schema.Compile("s", []byte(`{"type": "object"}`))
	schemas := map[string]*schema.Schema{}
	f.Fuzz(func(t *testing.T, src string) {
		checkKinds(t, answers, schemas, []byte(src))
		told := &echo.SeenText{}
		told.Add([]byte(src))
		for _, o := range []Options{{}, {Tools: registry, Strict: true}, {Tools: registry, Coerce: true}, {Context: told}} {
			r := asText("f", []byte(src), o)
			if o.Context != nil && len(slices.DeleteFunc(r.executableCalls(), func(c Call) bool { return tool.LookupEndingTool(c.Name) != nil })) > 0 {
				t.Errorf("a call that repeats untrusted context is executable: %v", r.executableCalls())
			}
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
			if d := cmp.Diff(r, asText("f", []byte(src), o), cmpopts.IgnoreUnexported(Call{})); d != "" {
				t.Error("another reading:", d)
			}
		}
	})
}

// A byte order mark at the start of a text changes only byte offsets.
func TestOrderMark(t *testing.T) {
	for file, text := range texts(t) {
		plain, marked := asText("x", []byte(text), Options{}), asText("x", []byte(byteOrderMark+text), Options{})
		if len(marked.Findings) == 0 || marked.Findings[0].Code != diag.ByteOrderMark || plain.Content != marked.Content {
			t.Fatalf("%s: %q, %v", file, marked.Content, marked.Findings)
		}
		if d := cmp.Diff(brief(plain.Findings), brief(marked.Findings[1:])); d != "" {
			t.Errorf("%s: findings (-without +with)\n%s", file, d)
			continue
		}
		for i, f := range marked.Findings[1:] {
			if p := plain.Findings[i]; f.Span.Start != p.Span.Start+len(byteOrderMark) || f.Span.End != p.Span.End+len(byteOrderMark) {
				t.Errorf("%s: %v is at %+v, and with a mark at %+v", file, p, p.Span, f.Span)
			}
		}
		if d := cmp.Diff(plain.Calls, marked.Calls, cmpopts.IgnoreFields(Call{}, "Span"), cmpopts.IgnoreUnexported(Call{})); d != "" {
			t.Errorf("%s: calls (-without +with)\n%s", file, d)
		}
		checkFix(t, byteOrderMark+text, Options{})
	}
}

// TestBoundedFindings checks that a result keeps a bounded number of findings, and that dropped
// ones also block their calls.
func TestBoundedFindings(t *testing.T) {
	defs, _ := tool.Loader{}.Parse("tools.yaml", []byte(malformationTools))
	tools, _ := tool.NewRegistry(defs...)
	for _, c := range []struct {
		args string
		want int
	}{
		{`{"tags": [` + strings.Repeat("1,", 3*dialect.MaxKept) + `"x"]}`, dialect.MaxKept + 1},
		{`{"tags": [` + strings.Repeat("1,", 9) + `"x"]}`, 9},
	} {
		r := response("f", []byte(noteCall(c.args)), Options{Tools: tools})
		if len(r.Findings) != c.want || r.Calls[0].Executable {
			t.Errorf("%d findings, want %d; executable: %t", len(r.Findings), c.want, r.Calls[0].Executable)
			continue
		}
		last := r.Findings[c.want-1]
		if beyond := c.want > dialect.MaxKept; beyond != (last.Code == diag.TooMany) || beyond && !strings.HasPrefix(last.Message, "20000 more") || last.File != "f" || last.Span.Line == 0 {
			t.Errorf("%v at %d", last, last.Span.Line)
		}
	}
}
