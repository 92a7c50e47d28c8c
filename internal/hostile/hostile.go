// Package hostile holds inputs that make tool-call parsers superlinear, by repeated
// searches, backtracking or rescanning on every chunk, or make them recurse. Tests
// count the steps that oneshot takes on them, benchmarks measure the time.
package hostile

import (
	"fmt"
	"strings"
)

// A Text is a prefix followed by any number of copies of a piece.
type Text struct {
	Prefix, Piece string
	Parser        string // the parser that fails, and how
}

// Long returns the text with about n bytes of copies.
func (t Text) Long(n int) string { return t.Prefix + strings.Repeat(t.Piece, n/len(t.Piece)) }

func (t Text) String() string {
	s := fmt.Sprintf("many %s", quote(t.Piece))
	if t.Prefix != "" {
		s = quote(t.Prefix) + " and " + s
	}
	return s
}

// quote returns a text in quotes, shortened if it is long.
func quote(text string) string {
	const maxRunes = 48
	if runes := []rune(text); len(runes) > maxRunes {
		text = string(runes[:maxRunes]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

const filler = "All work and no play makes Jack a dull boy. "

// blanks is just below the number of spaces that the scanner skips after a marker.
const blanks = 319

// Killers are inputs on which parsers of other projects fail.
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
	{`<tool_call>{"name":"f","arguments":{"a":"`, filler, "Ollama and SGLang, pieces: quadratic"},
	{`{"name":"f","arguments":{"a":"`, filler, "Ollama, the common reader, pieces: quadratic"},
	{`[TOOL_CALLS]f[ARGS]{"a":"`, filler, "Ollama, Ministral, pieces: quadratic"},
	{"<tool_call>\n<function=f>\n<parameter=a>\n", filler, "SGLang, Qwen3 Coder, pieces: quadratic"},
	{"<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>", filler, "SGLang, GLM 4.7, pieces: quadratic"},
	{`<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"`, filler, "SGLang, Kimi K2, pieces: quadratic"},
	{`<|tool_call>call:f{a:<|"|>`, filler, "Ollama, Gemma 4, pieces: quadratic"},
	{"<tool_call>", filler, "llama.cpp: recursion of regular expressions"},
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
