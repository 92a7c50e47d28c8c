package lint

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/internal/testsize"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/provider"
	"oneshot/pkg/tool"
)

// M22: in every dialect, a call is coerced to its tool's types, and its fixes write the coerced
// values. Dialects with plain text values have already done so.
func TestCoerceInEveryDialect(t *testing.T) {
	o := Options{Tools: greeting(t), Coerce: true}
	fixed := 0
	for _, d := range dialect.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			c := chat.Call{Name: "greet", ID: "1", Arguments: json.RawMessage(`{"name":7,"times":"5"}`)}
			text, ok := d.Render(c, nil)
			if !ok {
				return
			}
			o.Dialect = d
			r := asText("f", []byte(text), o)
			if len(r.Calls) != 1 || string(r.Calls[0].Arguments) != `{"name":"7","times":5}` || !r.Calls[0].Executable {
				t.Fatalf("%s\n%+v\n%v", text, r.Calls, r.Findings)
			}
			after := checkFix(t, text, o)
			fixed += after.Applied
			for _, f := range after.Result.Findings {
				if f.Code == diag.WrongType && f.Fixes[0].Kind != diag.Display {
					t.Errorf("%s\nbecomes\n%s\n%s", text, after.Text, f)
				}
			}
		})
	}
	if fixed < 50 {
		t.Errorf("only %d fixes were made", fixed)
	}
}

// The same holds in the bodies of all servers: each fix edits the string that holds the call.
func TestCoerceInBodies(t *testing.T) {
	o := Options{Tools: greeting(t), Coerce: true}
	for format, body := range map[string]string{
		"native_openai_chat":      `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"greet","arguments":"{\"name\":7, \"times\": \"5\"}"}}]},"finish_reason":"tool_calls"}]}`,
		"native_openai_responses": `{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"1","name":"greet","arguments":"{\"name\":7, \"times\": \"5\"}"}]}`,
		"native_anthropic":        `{"type":"message","content":[{"type":"tool_use","id":"1","name":"greet","input":{"name":7, "times": "5"}}],"stop_reason":"tool_use"}`,
		"native_gemini":           `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"greet","args":{"name":7, "times": "5"}}}]},"finishReason":"STOP"}]}`,
		"native_ollama_chat":      `{"message":{"tool_calls":[{"function":{"name":"greet","arguments":{"name":7, "times": "5"}}}]},"done":true}`,
		"native_bedrock_converse": `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"1","name":"greet","input":{"name":7, "times": "5"}}}]}},"stopReason":"tool_use"}`,
		"native_cohere_v2":        `{"message":{"tool_calls":[{"id":"1","function":{"name":"greet","arguments":"{\"name\":7, \"times\": \"5\"}"}}]},"finish_reason":"TOOL_CALL"}`,
	} {
		r := response("f", []byte(body), o)
		if r.Dialect != format || len(r.Calls) != 1 || r.Calls[0].normalizedArguments() != `{"name":"7","times":5}` || !r.Calls[0].ValueChanged {
			t.Errorf("%s: %s %+v", format, r.Dialect, r.Calls)
			continue
		}
		fixed := checkFix(t, body, o)
		if want := strings.NewReplacer(`7`, `"7"`, `"5"`, `5`).Replace(strings.ReplaceAll(body, `\"`, `"`)); strings.ReplaceAll(string(fixed.Text), `\"`, `"`) != want {
			t.Errorf("%s becomes\n%s", body, fixed.Text)
		}
	}
	if want := len(provider.Protocols()); want != 7 {
		t.Errorf("there are %d formats, and 7 are tested", want)
	}
}

// Ignored calls are not checked against definitions, whether complete, truncated or invalid.
func TestDrafts(t *testing.T) {
	for _, call := range []string{
		"<tool_call>shell\n<arg_key>a</arg_key>\n<arg_value>x</arg_value></tool_call>", "<tool_call>shell\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>",
		"<tool_call>greet\n<arg_key>times</arg_key>\n<arg_value>x</arg_value>", "<tool_call>greet\n<arg_key>name</arg_key>\n<arg_value>x",
	} {
		d, _ := dialect.Lookup("glm47_moe")
		r := asText("f", []byte(call), Options{Tools: greeting(t), Dialect: d, Reasoning: dialect.ReasoningOpen})
		for _, f := range r.Findings {
			if strings.HasPrefix(string(f.Code), "TC3") {
				t.Errorf("%s\n%s", call, f)
			}
		}
	}
}

// Without --coerce, coercions are suggested and nothing is changed.
func TestSuggestedCoercion(t *testing.T) {
	r := asText("f", []byte(fenced(`greet("Ada", "5")`, `greet({name: "Ada", times: "5 times"})`, `greet({name: "Ada", times: null})`)), Options{Tools: greeting(t)})
	want := []string{"2:14 error TC304 0 /times", "3:28 error TC305 1 /times", "4:28 error TC304 2 /times"}
	if d := cmp.Diff(want, brief(r.Findings)); d != "" {
		t.Fatal(d)
	}
	type suggestion struct {
		Hint  string
		Fixes []diag.Fix
	}
	var got []suggestion
	for _, f := range r.Findings {
		got = append(got, suggestion{f.Hint, f.Fixes})
	}
	wantSuggestions := []suggestion{
		{"with parse --coerce it is read as 5", []diag.Fix{{Title: "write 5", Kind: diag.Unsafe, Edits: []diag.Edit{{Start: 21, End: 24, New: "5"}}}}},
		{},
		{"with parse --coerce it is omitted", []diag.Fix{{Title: "omit it", Kind: diag.Display}}},
	}
	if d := cmp.Diff(wantSuggestions, got); d != "" {
		t.Error(d)
	}
	if c := r.Calls[0]; string(c.Arguments) != `{"name":"Ada","times":"5"}` || c.Status != chat.StatusOK || c.ValueChanged || c.Executable {
		t.Errorf("call %+v", c)
	}
}

// A call lists its repairs by position, no matter which stage made them.
func TestCoercedRepairs(t *testing.T) {
	src := fenced(`greet({name: 7, times: +"5"})`, `greet({name: 7, "times": +5})`)
	r := asText("f", []byte(src), Options{Tools: greeting(t), Coerce: true})
	if d := cmp.Diff([]diag.Code{diag.WrongType, diag.NonstandardNumber}, r.Calls[1].Repairs); d != "" {
		t.Error(d)
	}
	if c := r.Calls[0]; c.Executable || len(c.Repairs) > 0 {
		t.Errorf("a call that cannot be read is repaired: %+v", c)
	}
}

// Echoes are suppressed in a text, in a body, and in the text of a body.
func TestEchoes(t *testing.T) {
	told := &echo.SeenText{}
	told.Add([]byte(`{"data":"greet({name: \"Ada\"}) or greet with {\"name\": \"Ada\"}; finalResponse()"}`))
	o := Options{Context: told}
	call := fenced(`greet({name: "Ada"})`, `greet({name: "Eve"})`, `finalResponse()`)
	for _, src := range []string{
		call,
		string(wrapped(t, call)),
		`{"message":{"tool_calls":[{"function":{"name":"greet","arguments":{"name":"Ada"}}},{"function":{"name":"greet","arguments":{"name":"Eve"}}},{"function":{"name":"finalResponse","arguments":{}}}]},"done":true}`,
	} {
		r := response("f", []byte(src), o)
		var runs []bool
		for _, c := range r.Calls {
			runs = append(runs, c.Executable)
		}
		if d := cmp.Diff([]bool{false, true, true}, runs); d != "" {
			t.Errorf("%s\n%s", src, d)
		}
		if i := len(r.Findings) - 1; r.Calls[0].Status != chat.StatusSuppressed || r.Findings[i].Code != diag.EchoedCall {
			t.Errorf("%s\n%+v\n%v", src, r.Calls[0], r.Findings)
		}
		checkFix(t, src, o)
	}
}

// noteTools returns a tool that reads and one that writes.
func noteTools(t *testing.T) *tool.Registry {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("notes.yaml", []byte(`
name: note_read
description: Read a note.
parameters: {path: {type: string, description: Where.}}
examples: [{call: 'note_read("a.md")'}, {call: 'note_read("b.md")'}, {call: 'note_read("c.md")'}]
effect: read
builtin: note_read
---
name: note_write
description: Write a note.
parameters:
  path: {type: string, description: Where.}
  content: {type: string, description: What.}
  mode: {type: string, default: replace, description: How.}
  title: {type: string, required: false, description: Its title.}
examples:
  - {call: 'note_write({path: "a.md", content: "a"})'}
  - {call: 'note_write({path: "a.md", content: "b"})'}
  - {call: 'note_write({path: "a.md", content: "c"})'}
effect: write
builtin: note_write
`))
	if diag.HasErrors(findings) {
		t.Fatal(findings)
	}
	tools, _ := tool.NewRegistry(defs...)
	return tools
}

// With definitions, the same calls are echoes as in a run: a read needs more evidence, optional arguments none.
func TestEchoesOfDefinedTools(t *testing.T) {
	for _, tt := range []struct {
		context, call string
		undefined     chat.Status // without definitions
		defined       chat.Status
	}{
		{"note_read is for files like plans-2026.md", `note_read({path: "plans-2026.md"})`, chat.StatusSuppressed, chat.StatusOK},
		{`note_read("plans-2026.md")`, `note_read({path: "plans-2026.md"})`, chat.StatusSuppressed, chat.StatusSuppressed},
		{"note_write should put that all done into plans.md", `note_write({path: "plans.md", content: "all done", title: "Mine"})`, chat.StatusOK, chat.StatusSuppressed},
		{"note_write should put that all done into plans.md", `note_write({path: "plans.md", content: "all done", mode: "append"})`, chat.StatusOK, chat.StatusSuppressed},
		{"note_write should put that all done into plans.md", `note_write("plans.md", "all done")`, chat.StatusSuppressed, chat.StatusSuppressed},
		{`ask_user({question: "Which garden?", key: "garden"})`, `ask_user({question: "Which garden?", key: "garden"})`, chat.StatusSuppressed, chat.StatusOK},
	} {
		told := &echo.SeenText{}
		told.Add([]byte(tt.context))
		for tools, want := range map[*tool.Registry]chat.Status{nil: tt.undefined, noteTools(t): tt.defined} {
			r := response("f", []byte(fenced(tt.call)), Options{Context: told, Tools: tools})
			if len(r.Calls) != 1 || r.Calls[0].Status != want {
				t.Errorf("%s in %q, definitions %t: %+v, want %s", tt.call, tt.context, tools != nil, r.Calls, want)
			}
		}
	}
}

// The effect of a recorded tool is unknown, so it gets no benefit of a read; nor is it the tool of oneshot with its name.
func TestEchoesOfRecordedTools(t *testing.T) {
	tools, err := tool.ParseFunctions([]byte(`[{"name":"note_read","parameters":{"properties":{"path":{"type":"string"}},"required":["path"]}},
		{"name":"ask_user","parameters":{"properties":{"question":{"type":"string"}},"required":["question"]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	told := &echo.SeenText{}
	told.Add([]byte("note_read is for files like plans-2026.md; ask_user({question: \"Why me?\"})"))
	r := response("f", []byte(fenced(`note_read({path: "plans-2026.md"})`, `ask_user({question: "Why me?"})`)), Options{Context: told, Tools: tools})
	for _, c := range r.Calls {
		if c.Status != chat.StatusSuppressed {
			t.Errorf("%s is %s", c.Name, c.Status)
		}
	}
}

// Checking many long arguments against definitions is linear in their length.
func TestDefinitionsAreLinear(t *testing.T) {
	o := Options{Tools: greeting(t), Coerce: true}
	count := testsize.Pick(5000, 1000)
	begin := time.Now()
	many := asText("f", []byte(fenced(strings.Repeat("greet({name: 7, times: \"5\"}); ", count))), o)
	if len(many.Calls) != count || !many.Calls[count-1].Executable {
		t.Errorf("%d calls", len(many.Calls))
	}
	long := fenced("greet({name: \"" + strings.Repeat("9", tool.MaxArguments-64) + "\", times: \"5\"})")
	if r := asText("f", []byte(long), o); len(r.Calls) != 1 || !r.Calls[0].Executable {
		t.Errorf("calls %+.200v", r.Calls)
	}
	told := &echo.SeenText{}
	told.Add([]byte(strings.Repeat("greet({name: 8}) ", 1<<16)))
	asText("f", []byte(fenced(strings.Repeat("greet({name: 7}); ", 2*count))), Options{Context: told})
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// A suppressed call is not checked against definitions: one finding explains why it is not
// executed.
func TestSuppressedCallsAreNotBound(t *testing.T) {
	defs, findings := tool.Loader{}.Parse("tools.yaml", []byte(malformationTools))
	if diag.HasErrors(findings) {
		t.Fatal(findings)
	}
	tools, _ := tool.NewRegistry(defs...)
	src := "<think>\n" + hermes(`{"name": "nowhere", "arguments": {}}`) + "\n</think>\nDone."
	for r := range ParseCapture("reply.txt", []byte(src), Options{Tools: tools}) {
		if len(r.Calls) != 1 || len(r.Findings) != 1 || r.Findings[0].Code != diag.CallInReasoning {
			t.Errorf("%d calls, findings %v", len(r.Calls), r.Findings)
		}
	}
}
