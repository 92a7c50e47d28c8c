package dialect

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// pieces are fragments of text that exercise the edge cases of the readers of the
// prompt-only dialects.
var pieces = map[string][]string{
	"tool": {
		"```tool\n", "```tool ", "```tool", "```", "```\n", "\n```\n", "````", "~~~tool\n", "~~~", "\n~~~\n", "```go\n", "```TOOL\n", "tool", "`", "``",
		"\n", "\r\n", "\r", " ", "\t", "\u00a0", "é", "\xff", "text", "TOOL_NAME:", "it's", "r'", "b\"",
		"return ", "await ", "f(", "g()", "f({", "functions.", "if (", "x", ".y", "(", ")", ");", ";", "[", "]", "{", "}", ",", ":", "=", "=>",
		"\"", "'", "\"a\"", "'b'", "`c`", "a:1", "a=1", "\"a\":", "true", "True", "None", "NaN", "undefined", "1", "1.5", "010", "0x1F", "+", "-", "...",
		"//", "/*", "*/", "/", "\\", "\\n", "\\d", "\\u", "\\u{", "\\ud83d", "\\ude00", "\\x4", "\\0", "$", "${", "{}", "#", "~",
	},
	"toolcalls": {
		"```json\n", "```json", "```", "```\n", "\n```\n", "````", "~~~\n", "\n~~~\n", "```go\n", "```JSON\n", "`", "``", "json",
		"\n", "\r\n", " ", "\t", "\u00a0", "é", "\xff", "text", "it's",
		`{"toolCalls":[`, `{"toolCalls": `, `{ "tool_calls" : [`, `{'toolCalls':[`, "{toolCalls:[", `{"a": 1, "toolCalls":[`, `"toolCalls":`, `{"toolC`,
		`{"type":"f","id":"1","operation":"o","parameters":{`, `{"type":"g","id":"2","operation":"o","parameters":{}}`, `{"name":"f","arguments":{}}`,
		`{"name":"g","args":"{}"}`, `{"type":"end_turn","id":"3","operation":"o","parameters":{}}`, `{"function":{"name":"g","arguments":"{\"a\":1}"}}`,
		`"type":"f"`, `"type":`, `"id":"1"`, `"id":`, `"operation":"o"`, `"parameters":{}`, `"parameters":`, `"arguments":`, `"name":`, `"priority":1`, `"x":`,
		"{", "}", "[", "]", "]}", "}]}", "}}", "{}", "[]", ",", ":", ";", "(", ")", "=",
		"\"", "'", "\"a\"", "'b'", "`c`", "a:1", "\"a\":1", "true", "True", "None", "NaN", "undefined", "1", "1.5", "010", "0x1F", "1e5", "12345678901234567890", "+", "-",
		"//", "/*", "*/", "/", "\\", "\\n", "\\d", "\\'", "\\u", "\\u00e9", "\\ud83d", "\\ude00", "$", "${", "~",
	},
}

// literalPieces are parts of literals of all kinds, and of the text around them.
var literalPieces = []string{
	"\n", "\r\n", "\r", " ", "\t", "\u00a0", "é", "\xff", "\xe2\x96", "text", "it's", "`", "``", "```", "```\n", "\n```\n", "~~~\n", "```json\n", "```tool\n",
	"\"", "'", "\"a\"", "'b'", "\"a\":", "\"a\":1", "a:", "a=", "a=1", "{", "}", "[", "]", "(", ")", ",", ":", ";", "=", "{}", "[]", "[{", "}]", "}}", "({",
	"<", ">", "</", "/>", "<a>", "</a>", "<b c=\"d\">", "&lt;", "<![CDATA[", "]]>", "true", "True", "None", "null", "NaN", "1", "-", "1.5", "1e", "0x",
	"\\", "\\n", "\\\"", "\\u00e9", "\\ud83d", "/", "//", "/*", "*/", "#", "$", "f(", "g()", "f\n", "f:0", "call:f", "print(", "\n\n", "          ",
	`{"name":"f","arguments":{}}`, `{"name":"f","arguments":{"a":"`, `"arguments":`, `"name":"g"`, "<think>", "</think>",
}

// piecesOf returns fragments of text that exercise the edge cases of the reader of a
// dialect: its markers, prefixes of them, the parts of its example and of its cases, and
// examples of other dialects.
func piecesOf(t testing.TB, d *Dialect) []string {
	all := slices.Concat(pieces[d.Name], literalPieces, fragments(d.Example))
	for _, c := range cases(t, *d) {
		text := strings.NewReplacer("<", "\x00<", ">", ">\x00", "\n", "\x00\n").Replace(c.input)
		all = append(all, strings.Split(text, "\x00")...)
	}
	for _, text := range markerSetOf(d).texts {
		all = append(all, text, text[:len(text)/2], text[:len(text)-1])
	}
	all = append(all, d.Example, d.Example[:len(d.Example)/2], d.Example[len(d.Example)/2:], renderedCall(d, "g", `{"a":[1,{"b":"c"}]}`))
	for i, other := range Dialects() {
		if i%5 == len(d.Name)%5 {
			all = append(all, other.Example)
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// anyText generates texts from the pieces of a dialect.
func anyText(t testing.TB, d *Dialect) *rapid.Generator[string] {
	begins, pieces := openings(d), piecesOf(t, d)
	return rapid.Custom(func(t *rapid.T) string {
		begin := rapid.SampledFrom(begins).Draw(t, "begin")
		return begin + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
	})
}

// checkLaws checks a text in one mode: nothing panics, splits do not change the events,
// no text except markers is dropped without a finding, and no call in reasoning is
// executable.
func (m mode) checkLaws(t failer, text string, sizes ...int) {
	t.Helper()
	whole := m.events(text)
	m.checkSplit(t, text, whole, everyByte(text)...)
	m.checkSplit(t, text, whole, sizes...)
	m.checkContent(t, text)
	m.checkReasoning(t, text)
}

func TestSplitsAny(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		texts := anyText(t, d)
		rapid.Check(t, func(rt *rapid.T) {
			text := texts.Draw(rt, "text")
			m := rapid.SampledFrom(modes(d)).Draw(rt, "mode")
			m.checkLaws(rt, text, rapid.IntRange(0, len(text)).Draw(rt, "cut"))
			if rapid.IntRange(0, 15).Draw(rt, "everywhere") == 15 {
				m.checkSplits(rt, text)
			}
		})
	})
}

// TestSafeFixesAny checks that safe fixes do not change the executable calls.
func TestSafeFixesAny(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		texts := anyText(t, d)
		rapid.Check(t, func(rt *rapid.T) {
			text := texts.Draw(rt, "text")
			before := Scan(text, Options{Dialect: *d})
			fixed := applySafe(rt, text, before.Findings)
			after := Scan(fixed, Options{Dialect: *d})
			if diff := cmp.Diff(meanings(executable(before.Calls)), meanings(executable(after.Calls))); diff != "" {
				rt.Fatalf("the fixes of %q make %q (-before +after)\n%s", text, fixed, diff)
			}
		})
	})
}

func executable(calls []chat.Call) []chat.Call {
	return slices.DeleteFunc(slices.Clone(calls), func(c chat.Call) bool { return !c.Executable })
}
