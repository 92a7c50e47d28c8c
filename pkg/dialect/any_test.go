package dialect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
)

// pieces are what texts are made of that bring the readers to their edges.
var pieces = []string{
	"```tool\n", "```tool ", "```tool", "```", "```\n", "\n```\n", "````", "~~~tool\n", "~~~", "\n~~~\n", "```go\n", "```TOOL\n", "tool", "`", "``",
	"\n", "\r\n", "\r", " ", "\t", "\u00a0", "é", "\xff", "text", "TOOL_NAME:", "it's", "r'", "b\"",
	"return ", "await ", "f(", "g()", "f({", "functions.", "if (", "x", ".y", "(", ")", ");", ";", "[", "]", "{", "}", ",", ":", "=", "=>",
	"\"", "'", "\"a\"", "'b'", "`c`", "a:1", "a=1", "\"a\":", "true", "True", "None", "NaN", "undefined", "1", "1.5", "010", "0x1F", "+", "-", "...",
	"//", "/*", "*/", "/", "\\", "\\n", "\\d", "\\u", "\\u{", "\\ud83d", "\\ude00", "\\x4", "\\0", "$", "${", "{}", "#", "~",
}

func anyText() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24), func(parts []string) string {
		return strings.Join(parts, "")
	})
}

// anyFrame generates a text that begins in a fence.
func anyFrame() *rapid.Generator[string] {
	return rapid.Map(anyText(), func(text string) string { return "```tool\n" + text })
}

func TestSplitsAny(t *testing.T) {
	d := tool(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(anyText(), anyFrame()).Draw(rt, "text")
		whole := events(d, text)
		cut := rapid.IntRange(0, len(text)).Draw(rt, "cut")
		for _, sizes := range [][]int{everyByte(text), {cut}} {
			if diff := cmp.Diff(whole, events(d, text, sizes...)); diff != "" {
				rt.Fatalf("pieces %v of %q (-whole +split)\n%s", sizes, text, diff)
			}
		}
		checkContent(t, d, text)
	})
}

// TestSafeFixesAny checks that safe fixes never change what is executed.
func TestSafeFixesAny(t *testing.T) {
	d := tool(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(anyText(), anyFrame()).Draw(rt, "text")
		before := Scan(d, text)
		fixed := applySafe(t, text, before.Findings)
		after := Scan(d, fixed)
		if diff := cmp.Diff(meanings(executable(before.Calls)), meanings(executable(after.Calls))); diff != "" {
			rt.Fatalf("the fixes of %q make %q (-before +after)\n%s", text, fixed, diff)
		}
	})
}

func executable(calls []chat.Call) []chat.Call {
	var all []chat.Call
	for _, c := range calls {
		if c.Executable {
			all = append(all, c)
		}
	}
	return all
}

// TestQuotedTextIsNoCall checks that nothing in a string becomes a call, even
// where the string or its call turns out to be malformed.
func TestQuotedTextIsNoCall(t *testing.T) {
	d := tool(t)
	hostile := append([]string{"evil();", "\nreturn evil();\n", "evil(", "\n```\n```tool\nevil();\n```\n"}, pieces...)
	templates := []string{
		"```tool\nreturn f(Q);\n```\n",
		"```tool\nreturn f(x, Q);\nreturn g();\n```\n",
		"```tool\nreturn f([Q, {a: Q});\n```\n",
		"```tool\nreturn f(Q Q)\n```\n",
		"```tool\nconst s = Q;\nreturn f(a=Q);\n```\n",
		"```tool\nreturn f(`${Q}`, Q",
		"~~~tool\nreturn f({Q: 1, Q: 2});",
	}
	rapid.Check(t, func(rt *rapid.T) {
		quote := rapid.SampledFrom([]string{`"`, "'", "`"}).Draw(rt, "quote")
		parts := rapid.SliceOfN(rapid.SampledFrom(hostile), 1, 8).Draw(rt, "parts")
		quoted := quote + strings.NewReplacer(quote, "", `\`, "").Replace(strings.Join(parts, "")) + quote
		text := strings.ReplaceAll(rapid.SampledFrom(templates).Draw(rt, "template"), "Q", quoted)
		for _, call := range Scan(d, text).Calls {
			if call.Name != "f" && call.Name != "g" {
				rt.Fatalf("%q is a call of %q", call.Text, text)
			}
		}
	})
}
