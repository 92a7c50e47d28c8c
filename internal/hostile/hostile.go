// Package hostile holds texts on which readers of calls are known to fail: they
// take forever because a search is repeated, goes back, or starts anew with every
// piece that arrives, or they recurse. Tests count the steps that they take,
// benchmarks the time.
package hostile

import (
	"fmt"
	"strings"
)

// A Text begins with something and goes on with a piece, any number of times.
type Text struct {
	Before, Piece string
	Of            string // which reader fails
}

// Long returns the text with about n bytes behind its beginning.
func (t Text) Long(n int) string { return t.Before + strings.Repeat(t.Piece, n/len(t.Piece)) }

func (t Text) String() string {
	s := fmt.Sprintf("many %s", shown(t.Piece))
	if t.Before != "" {
		s = shown(t.Before) + " and " + s
	}
	return s
}

// shown returns a text in quotes, and one that is long shortened.
func shown(text string) string {
	const most = 48
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// play is text that means nothing.
const play = "All work and no play makes Jack a dull boy. "

// blanks are nearly as many as are looked at behind a mark until it counts.
const blanks = 319

// Killers are what the readers of other projects fail at.
var Killers = []Text{
	{"[f(", "a=b, ", "vLLM, calls of Python: exponential"},
	{"", "[f(a=b, ", "vLLM, calls of Python: exponential"},
	{"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function", "<｜tool▁sep｜>", "vLLM, DeepSeek V3: quadratic"},
	{"", "<tool_call>", "vLLM, ERNIE 4.5: quadratic"},
	{"", "<tool_call>\n {", "vLLM, ERNIE 4.5: quadratic"},
	{"", "<tool_call>" + strings.Repeat(" ", blanks), "vLLM, ERNIE 4.5: quadratic"},
	{"<tool_call>", " ", "vLLM, Poolside: fourth power"},
	{"<tool_call>f", "\n", "Transformers, Qwen3: third power"},
	{"", "<function", "vLLM, MiniCPM 5: quadratic"},
	{"<function=", "x", "vLLM, MiniCPM 5: quadratic"},
	{`<invoke name="`, "x", "vLLM, MiniCPM 5: quadratic"},
	{"", `{"a":`, "mem0: quadratic"},
	{"", "{", "readers that try every brace: quadratic"},
	{"", "[", "json_repair: recursion"},
	{"", `{"`, "json_repair: no end"},
	{"", "/", "json_repair: no end"},
	{`<tool_call>{"name":"f","arguments":{"a":"`, `\"`, "Ollama and SGLang, pieces: quadratic"},
	{`<tool_call>{"name":"f","arguments":{"a":"`, play, "Ollama and SGLang, pieces: quadratic"},
	{`{"name":"f","arguments":{"a":"`, play, "Ollama, the common reader, pieces: quadratic"},
	{`[TOOL_CALLS]f[ARGS]{"a":"`, play, "Ollama, Ministral, pieces: quadratic"},
	{"<tool_call>\n<function=f>\n<parameter=a>\n", play, "SGLang, Qwen3 Coder, pieces: quadratic"},
	{"<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>", play, "SGLang, GLM 4.7, pieces: quadratic"},
	{`<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"`, play, "SGLang, Kimi K2, pieces: quadratic"},
	{`<|tool_call>call:f{a:<|"|>`, play, "Ollama, Gemma 4, pieces: quadratic"},
	{"<tool_call>", play, "llama.cpp: recursion of regular expressions"},
	{"", "[TOOL_CALL", ""},
	{"", "functions.", ""},
	{"", "<think>", ""},
	{"<think>", "<tool_call>{", ""},
	{`<function name="f"><param name="a">`, "<![CDATA[", ""},
	{"<|tool_call>call:f{a:", `<|"|>`, ""},
	{`{"name":"f","arguments":{"a":x`, "{]", ""},
	{`<|tool_call>call:f{a:<|"|>`, `x,b:<|"|>`, ""},
	{"<function=f><parameter=a>", "</parameter>\n", ""},
}
