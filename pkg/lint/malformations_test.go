package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
	"oneshot/pkg/tool"
)

// A malformation is a defect of real responses, by its number in the list of observed ones.
type malformation struct {
	number int
	what   string
	cases  []malformed
}

// A malformed is a malformed response and its result: a line for each call, with "!" for
// non-executable ones, and the codes.
type malformed struct {
	why  string
	src  string
	want string
}

// malformationTools are the tools that the responses below call.
const malformationTools = `name: note
description: Write a note.
signature: "note(text?: string, tags?: string[], count?: integer, done?: boolean, meta?: object): string"
examples: [{call: 'note()'}, {call: 'note("x")'}, {call: 'note({text: "x"})'}]
effect: read
builtin: x
---
name: look
description: Look at something.
signature: "look(what?: string): string"
examples: [{call: 'look()'}, {call: 'look("x")'}, {call: 'look({what: "x"})'}]
effect: read
builtin: x
`

// hermes puts JSON between Hermes markers.
func hermes(json string) string { return "<tool_call>\n" + json + "\n</tool_call>" }

// noteCall returns a call of note with JSON arguments.
func noteCall(args string) string { return hermes(`{"name": "note", "arguments": ` + args + `}`) }

// chatCalls returns a response with native calls.
func chatCalls(calls, reason string) string {
	return `{"choices":[{"message":{"tool_calls":[` + calls + `]},"finish_reason":"` + reason + `"}]}`
}

// chatCall returns a native call of note with JSON arguments.
func chatCall(id, args string) string {
	return `{"id":"` + id + `","function":{"name":"note","arguments":` + args + `}}`
}

var malformations = []malformation{
	{1, "trailing commas", []malformed{
		{"in JSON", noteCall(`{"tags": ["a", "b",], "count": 1,}`), `note {"count":1,"tags":["a","b"]}; [TC201 TC201]`},
		{"in JavaScript, which has them", fenced(`note({tags: ["a",], count: 1,},)`), `note {"count":1,"tags":["a"]}; []`},
	}},
	{2, "single quotes and Python", []malformed{
		{"quotes and words", noteCall(`{'text': 'it\'s', 'done': True, 'meta': None}`), `note {"done":true,"text":"it's"}; [TC202 TC202 TC202 TC203 TC202 TC203 TC304]`},
		{"an apostrophe is no quote", noteCall(`{"text": "it's Ada's"}`), `note {"text":"it's Ada's"}; []`},
		{"the other way round", "[note(text='x', done=true, meta=null)]", `note {"done":true,"text":"x"}; [TC304]`},
		{"a set", "[note(tags={'a', 'b'})]", "!note tags={'a', 'b'}; [TC217]"},
	}},
	{3, "raw line ends and control characters", []malformed{
		{"line end and tab", noteCall("{\"text\": \"one\n\ttwo\"}"), `note {"text":"one\n\ttwo"}; [TC204]`},
		{"a backslash before a line end", noteCall("{\"text\": \"one\\\ntwo\"}"), `note {"text":"one\\\ntwo"}; [TC205]`},
	}},
	{4, "bad escapes", []malformed{
		{"a path of which some are escapes", noteCall(`{"text": "C:\Users\foo\new"}`), `!note {"text":"C:\\Users\foo\new"}; [TC205]`},
		{"a path without JSON escapes", noteCall(`{"text": "C:\Users\dir"}`), `note {"text":"C:\\Users\\dir"}; [TC205]`},
		{"a formula", noteCall(`{"text": "\frac{\alpha}{2}"}`), `!note {"text":"\frac{\\alpha}{2}"}; [TC205]`},
		{"in native arguments", chatCalls(chatCall("a", `"{\"text\": \"C:\\Users\\foo\"}"`), "tool_calls"), `!note {"text":"C:\\Users\foo"}; [TC205]`},
		{"a regular expression", fenced(`note("\d+")`), `note {"text":"\\d+"}; [TC205]`},
		{"one in Python, which keeps the backslash", `[note(text="\d+")]`, `note {"text":"\\d+"}; [TC205]`},
	}},
	{5, "quotes that are not escaped", []malformed{
		{"in JSON", noteCall(`{"text": "she said "no" and left"}`), `!note {"name": "note", "arguments": {"text": "she said "no" and left"}}; [TC206]`},
	}},
	{6, "typographic quotes", []malformed{
		{"around a string", noteCall(`{“text”: “x”}`), `!note {"name": "note", "arguments": {“text”: “x”}}; [TC220]`},
		{"inside one", noteCall(`{"text": "“x” and ’s"}`), `note {"text":"“x” and ’s"}; []`},
	}},
	{7, "fences", []malformed{
		{"prose around", "I write it:\n" + fenced(`note("x")`) + "Done.", `note {"text":"x"}; []`},
		{"not closed", "```tool\nnote(\"x\")", `note {"text":"x"}; [TC111]`},
		{"one inside a string", fenced("note(\"```go\\nx\\n```\")"), "note {\"text\":\"```go\\nx\\n```\"}; []"},
		{"one inside a template", fenced("note(`\n```go\nx\n```\n`)"), "note {\"text\":\"\\n```go\\nx\\n```\\n\"}; [TC206]"},
		{"another language", "```json\n{\"text\": \"x\"}\n```", "[]"},
	}},
	{8, "truncation", []malformed{
		{"in a string", "<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"half a", `!note {"name": "note", "arguments": {"text": "half a; [TC404]`},
		{"behind a list that looks whole", "<tool_call>\n{\"name\": \"note\", \"arguments\": {\"tags\": [\"ls\",\"pwd\"", `!note {"name": "note", "arguments": {"tags": ["ls","pwd"; [TC404]`},
		{"behind words, without marks", `Sure: {"name": "note", "arguments": {"text": "ha`, "[TC404]"},
		{"in a list behind words", `Sure: [{"name": "note", "arguments": {"text":`, "[TC404]"},
		{"by a limit, though the call is whole", chatCalls(chatCall("a", `"{\"tags\":[\"ls\",\"pwd\"]}"`), "length"), `!note {"tags":["ls","pwd"]}; [TC013]`},
		{"and the server hides it", chatCalls(chatCall("a", `"{\"tags\":[\"ls\",\"pw"`), "tool_calls"), `!note {"tags":["ls","pw; [TC404]`},
	}},
	{9, "several values in one place", []malformed{
		{"objects in the arguments", chatCalls(chatCall("a", `"{\"text\":\"x\"}{\"text\":\"y\"}"`), "tool_calls"), `!note {"text":"x"}{"text":"y"}; [TC212]`},
		{"objects between marks", hermes(`{"name": "note", "arguments": {"text": "x"}}{"name": "note", "arguments": {"text": "y"}}`), `note {"text":"x"}; note {"text":"y"}; [TC212]`},
		{"objects on lines between marks", hermes(`{"name": "note", "arguments": {"text": "x"}}` + "\n" + `{"name": "look", "arguments": {}}`), `note {"text":"x"}; look {}; [TC212]`},
		{"objects in a list, which is one value", hermes(`[{"name": "note", "arguments": {"text": "x"}}, {"name": "look", "arguments": {}}]`), `note {"text":"x"}; look {}; []`},
		{"objects behind a message", `<|channel|>commentary to=functions.note <|constrain|>json<|message|>{"text": "x"}{"text": "y"}<|call|>`, `note {"text":"x"}; [TC212]`},
		{"names", hermes(`{"name": "noteslook", "arguments": {}}`), "!noteslook {}; [TC301]"},
	}},
	{10, "JSON in strings", []malformed{
		{"all arguments", noteCall(`"{\"text\": \"x\"}"`), `note {"text":"x"}; [TC219]`},
		{"one argument", noteCall(`{"meta": "{\"a\": 1}", "tags": "[\"a\"]"}`), `note {"meta":{"a":1},"tags":["a"]}; [TC304 TC304]`},
		{"that is meant as text", noteCall(`{"text": "{\"a\": 1}"}`), `note {"text":"{\"a\": 1}"}; []`},
	}},
	{11, "large numbers", []malformed{
		{"an integer", noteCall(`{"count": 9007199254740993}`), `note {"count":9007199254740993}; [TC215]`},
		{"one in a string", noteCall(`{"count": "9007199254740993"}`), `note {"count":9007199254740993}; [TC304]`},
		{"one in exponents", noteCall(`{"count": 1e16}`), `note {"count":10000000000000000}; [TC304]`},
	}},
	{12, "NaN and Infinity", []malformed{
		{"in JSON", noteCall(`{"count": NaN}`), `!note {"name": "note", "arguments": {"count": NaN}}; [TC213]`},
		{"in Python", "[note(count=float('inf'))]", "!note count=float('inf'); [TC217]"},
		{"negative", fenced(`note({count: -Infinity})`), "!note {count: -Infinity}; [TC213]"},
	}},
	{13, "duplicate keys", []malformed{
		{"as they are", noteCall(`{"text": "x", "text": "y"}`), `!note {"name": "note", "arguments": {"text": "x", "text": "y"}}; [TC214]`},
		{"one with an escape", noteCall(`{"text": "x", "te\u0078t": "y"}`), `!note {"name": "note", "arguments": {"text": "x", "te\u0078t": "y"}}; [TC214]`},
		{"of tags", "<tool_call>\n<function=note>\n<parameter=text>\nx\n</parameter>\n<parameter=text>\ny\n</parameter>\n</function>\n</tool_call>", "!note ; [TC214]"},
	}},
	{14, "what JavaScript has, and what nobody has", []malformed{
		{"comments", noteCall("{\"text\": /* what */ \"x\" // it\n}"), `note {"text":"x"}; [TC208 TC208]`},
		{"an ellipsis", noteCall(`{"tags": ["a", ...]}`), `!note {"name": "note", "arguments": {"tags": ["a", ...]}}; [TC217]`},
		{"strings in a sum", fenced(`note("a" + "b")`), `!note "a" + "b"; [TC217]`},
		{"undefined", fenced(`note({text: undefined})`), "!note {text: undefined}; [TC217]"},
		{"a constructor", noteCall(`{"text": ObjectId("5f")}`), `!note {"name": "note", "arguments": {"text": ObjectId("5f")}}; [TC217]`},
		{"a callback around", "callback({\"toolCalls\": []});", "[TC110 TC110]"},
		{"backticks", noteCall("{`text`: `x`}"), "!note {\"name\": \"note\", \"arguments\": {`text`: `x`}}; [TC220]"},
		{"other blanks", noteCall("{\"text\":\u00a0\"x\"}"), `note {"text":"x"}; [TC220]`},
		{"a byte order mark", "\ufeff" + fenced(`note("x")`), `note {"text":"x"}; [TC002]`},
		{"all of it escaped, which is text and no call", `{\"toolCalls\": [{\"type\": \"note\", \"id\": \"1\", \"operation\": \"o\", \"parameters\": {}}]}`, "[TC219]"},
		{"all of it as a string", `"{\"name\": \"note\", \"arguments\": {\"text\": \"x\"}}"`, "[TC219]"},
		{"a string that holds no call", `"{\"text\": \"x\"}"`, "[]"},
		{"escapes on lines", "{\r\n  \\\"name\\\": \\\"note\\\", \\\"arguments\\\": {}\r\n}\n", "[TC219]"},
	}},
	{15, "brackets", []malformed{
		{"one is missing", noteCall(`{"tags": ["a", "b"}`), `!note {"name": "note", "arguments": {"tags": ["a", "b"}}; [TC211]`},
		{"one too many", hermes(`{"name": "note", "arguments": {"text": "x"}}}`), `note {"text":"x"}; [TC211]`},
		{"a list around arguments", "<|channel|>commentary to=functions.note <|constrain|>json<|message|>[{\"text\": \"x\"}]<|call|>", `note {"text":"x"}; [TC211]`},
	}},
	{16, "marks in names and arguments", []malformed{
		{"in a name", "<|channel|>commentary to=functions.note<|channel|>commentary <|constrain|>json<|message|>{\"text\": \"x\"}<|call|>", `note {"text":"x"}; [TC107]`},
		{"in an argument", noteCall(`{"text": "x<|im_end|>"}`), `note {"text":"x<|im_end|>"}; [TC501]`},
		{"before the arguments", "note[TOOL_CALLS]{\"text\": \"x\"}", `!note {"text":"x"}; [TC115]`},
	}},
	{17, "marks that are missing", []malformed{
		{"the opening one", "<function=note>\n<parameter=text>\nx\n</parameter>\n</function>\n</tool_call>", `note {"text":"x"}; [TC101]`},
		{"the closing one", "<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"x\"}}", `note {"text":"x"}; [TC102]`},
		{"all but the tag", "<function=note>\n<parameter=text>\nx\n</parameter>\n</function>", `note {"text":"x"}; []`},
	}},
	{18, "a wrong closing mark", []malformed{
		{"absorbs the next parameter", "<tool_call>\n<function=note>\n<parameter=text>\nx\n</function>\n<parameter=count>\n1\n</parameter>\n</function>\n</tool_call>", `!note {"count":1,"text":"x\n</function>"}; [TC104 TC103]`},
		{"is named as the parameter", "<tool_call>\n<function=note>\n<parameter=text>\nx\n</text>\n<parameter=count>\n1\n</parameter>\n</function>\n</tool_call>", `!note {"count":1,"text":"x"}; [TC103]`},
	}},
	{19, "other forms of a call", []malformed{
		{"the tool as a tag in a call", "<tool_call>\n<note>\n<parameter=text>\nx\n</parameter>\n</function>\n</tool_call>", "[TC113 TC117]"},
		{"a tool and its parameters as tags", "<tool_call><note><text>x</text></note></tool_call>", "[TC113]"},
		{"a call of a program", "<tool_call>\nnote(text)\n</tool_call>", "[TC113]"},
		{"marks that are only mentioned", "Use <tool_call> tags, closed by </tool_call>.", "[TC113]"},
		{"the tool as a tag without a call", "<note>\n<text>x</text>\n</note>", "[TC113]"},
		{"any other markup", "<notes>\n<text>x</text>\n</notes>", "[]"},
		{"other names of members", `{"tool_calls": [{"function": {"name": "note", "arguments": {"text": "x"}}}]}`, `note {"text":"x"}; [TC105 TC105]`},
		{"a tag of another family", "<function_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"x\"}}\n</function_call>", `note {"text":"x"}; []`},
	}},
	{20, "a mark inside a value", []malformed{
		{"that closes the value", "<tool_call>\n<function=note>\n<parameter=text>\nwrite </parameter> here\n</parameter>\n</function>\n</tool_call>", `note {"text":"write </parameter> here"}; [TC104]`},
		{"that closes the call, in JSON", noteCall(`{"text": "write </tool_call> here"}`), `note {"text":"write </tool_call> here"}; []`},
		{"that could be both", "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>a</arg_value>\n<arg_key>count</arg_key>\n<arg_value>1</arg_value></arg_value>\n</tool_call>", `!note {"count":"1</arg_value>","text":"a"}; [TC305 TC104]`},
	}},
	{21, "reasoning", []malformed{
		{"a draft in it", "<think>I could " + noteCall(`{"text": "x"}`) + "</think>Or not.", `!note {"text":"x"}; [TC108]`},
		{"never closed", "<think>I could " + noteCall(`{"text": "x"}`), `!note {"text":"x"}; [TC118 TC108]`},
		{"opened in the prompt", "I could " + noteCall(`{"text": "x"}`) + "\n</think>\n" + hermes(`{"name": "look", "arguments": {}}`), `!note {"text":"x"}; look {}; [TC108]`},
	}},
	{22, "values of a wrong type", []malformed{
		{"numbers and booleans in strings", noteCall(`{"count": "3", "done": "true"}`), `note {"count":3,"done":true}; [TC304 TC304]`},
		{"null for absent", noteCall(`{"text": "x", "tags": null}`), `note {"text":"x"}; [TC304]`},
		{"one for several", noteCall(`{"tags": "a"}`), `note {"tags":["a"]}; [TC304]`},
		{"what can only be guessed", noteCall(`{"count": "3 or 4", "done": "yes"}`), `!note {"count":"3 or 4","done":"yes"}; [TC305 TC305]`},
	}},
	{23, "noise around names", []malformed{
		{"a namespace", fenced(`functions.note("x")`), `note {"text":"x"}; [TC309]`},
		{"quotes and blanks", hermes(`{"name": " note ", "arguments": {}}`), "note {}; [TC309]"},
		{"case", hermes(`{"name": "Note", "arguments": {}}`), "!Note {}; [TC301]"},
		{"an index", "<|tool_calls_section_begin|><|tool_call_begin|>functions.note:0<|tool_call_argument_begin|>{\"text\": \"x\"}<|tool_call_end|><|tool_calls_section_end|>", `note {"text":"x"}; []`},
		{"no such tool", hermes(`{"name": "notes", "arguments": {}}`), "!notes {}; [TC301]"},
	}},
	{24, "arguments that are no object", []malformed{
		{"missing", chatCalls(`{"id":"a","function":{"name":"note"}}`, "tool_calls"), "note {}; [TC308]"},
		{"empty", chatCalls(chatCall("a", `""`), "tool_calls"), "note {}; [TC308]"},
		{"null", chatCalls(chatCall("a", `null`), "tool_calls"), "note {}; [TC308]"},
		{"a list", chatCalls(chatCall("a", `"[1]"`), "tool_calls"), "!note ; [TC115]"},
	}},
	{25, "characters cut in two", []malformed{
		{"by a server", fenced("note(\"caf\ufffd\")"), `note {"text":"caf�"}; [TC003]`},
		{"by an escape", noteCall(`{"text": "\ud83d"}`), `!note {"name": "note", "arguments": {"text": "\ud83d"}}; [TC001]`},
		{"by an escape in two deltas", `data: {"choices":[{"delta":{"content":"` + `<tool_call>{\"name\": \"note\", \"arguments\": {\"text\": \"\\ud83d` + `"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"\\ude00\"}}</tool_call>"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n", `note {"text":"😀"}; [TC119]`},
		{"in bytes", fenced("note(\"caf\xc3\")"), `!note "caf�"; [TC001]`},
	}},
	{26, "servers that fail at it", []malformed{ // a capture has no response without a body, such as a bare status
		{"an error instead of the response", `{"error":{"message":"error parsing tool call: raw='{\"text\": '","type":"server_error","code":500}}`, "[TC012]"},
		{"an error in the stream", `{"message":{"content":"I"},"done":false}` + "\n" + `{"error":"error parsing tool call"}`, "[TC012]"},
		{"the wrong member", chatCalls(`{"id":"a","function":{"name":"note","parameters":{"text":"x"}}}`, "tool_calls"), "!note {}; [TC308 TC115]"},
		{"the call is left in the text", `{"choices":[{"message":{"content":"<tool_call>{\"name\": \"note\", \"arguments\": {\"text\": \"x\"}}</tool_call>"},"finish_reason":"stop"}]}`, `note {"text":"x"}; [TC119]`},
	}},
	{27, "whole and streamed", []malformed{ // other pieces of the same bytes: FuzzSplits, TestTextInPieces
		{"whole", chatCalls(chatCall("a", `"{\"text\": 'x',}"`), "tool_calls"), `note {"text":"x"}; [TC202 TC201]`},
		{"streamed", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"note","arguments":"{\"text\""}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":": 'x',}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n", `note {"text":"x"}; [TC202 TC201]`},
	}},
}

// TestMalformations documents the result of each malformation observed in real responses, with
// definitions and --coerce.
func TestMalformations(t *testing.T) {
	tools := malformationRegistry(t)
	for i, m := range malformations {
		if m.number != i+1 || len(m.cases) == 0 {
			t.Errorf("%d %s has %d cases", m.number, m.what, len(m.cases))
		}
		for _, c := range m.cases {
			t.Run(fmt.Sprintf("M%d %s, %s", m.number, m.what, c.why), func(t *testing.T) {
				r := response("f", []byte(c.src), Options{Tools: tools, Coerce: true})
				if d := cmp.Diff(c.want, outcome(r)); d != "" {
					t.Errorf("%s\n(-want +got)\n%s", c.src, d)
				}
			})
		}
	}
	if len(malformations) != 27 {
		t.Errorf("%d malformations", len(malformations))
	}
}

// outcome returns the calls and codes of a result.
func outcome(r ParseResult) string {
	var b strings.Builder
	for _, c := range r.Calls {
		if !c.Executable {
			b.WriteByte('!')
		}
		fmt.Fprintf(&b, "%s %s; ", c.Name, c.normalizedArguments())
	}
	var codes []diag.Code
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	fmt.Fprint(&b, codes)
	return b.String()
}

// malformationRegistry returns the tools that the responses above call.
func malformationRegistry(t *testing.T) *tool.Registry {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("tools.yaml", []byte(malformationTools))
	tools, more := tool.NewRegistry(defs...)
	if len(findings)+len(more) > 0 {
		t.Fatal(findings, more)
	}
	return tools
}
