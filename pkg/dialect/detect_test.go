package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// C2: the dialect is that of the first sign.
func TestDetect(t *testing.T) {
	for _, test := range []struct{ text, want, why string }{
		{"", "tool", "nothing in the text is a call of any dialect"},
		{"Use `tool` or toolCalls: {} or \"toolCalls\" here.", "tool", "nothing in the text is a call of any dialect"},
		{"So:\n  ~~~~ TOOL \nf()", "tool", `line 2 has a fence marked "tool"`},
		{"```tool", "tool", `line 1 has a fence marked "tool"`},
		{"```toolx\nf()", "tool", "nothing in the text is a call of any dialect"},
		{"see ```tool\nf()", "tool", "nothing in the text is a call of any dialect"},
		{"\n{\"a\": 1,\n\"toolCalls\" : []}", "toolcalls", `line 3 has the key "toolCalls"`},
		{"x {'tool_calls':[]}", "toolcalls", "line 1 has the key 'tool_calls'"},
		{`{"toolCalls"}`, "tool", "nothing in the text is a call of any dialect"},
		{`"toolCalls": []`, "tool", "nothing in the text is a call of any dialect"},
		{`{\"toolCalls\": []}`, "tool", "nothing in the text is a call of any dialect"},
		{"{\"toolCalls\": []}\n```tool\n", "toolcalls", `line 1 has the key "toolCalls"`},
		{"```tool\n```\n{\"toolCalls\": []}", "tool", `line 1 has a fence marked "tool"`},
		{`[{"name" : "f", "arguments": {}}]`, "toolcalls", `the text begins with JSON that has the keys "name" and "arguments"`},
		{"```json\n{\"type\": \"f\", \"parameters\": {}}\n```", "toolcalls", `the text begins with JSON that has the keys "type" and "parameters"`},
		{`{"answer": "name", "text": "arguments"}`, "tool", "nothing in the text is a call of any dialect"},
		{`Words. {"name": "f", "arguments": {}}`, "tool", "nothing in the text is a call of any dialect"},
	} {
		if d, why := Detect(test.text); d.Name != test.want || why != test.why {
			t.Errorf("Detect(%q) = %s, %s; want %s, %s", test.text, d.Name, why, test.want, test.why)
		}
	}
}

// Every faultless case is told to be of its dialect, and of no other besides.
func TestDetectCases(t *testing.T) {
	for _, d := range Dialects {
		for _, c := range cases(t, d) {
			r := Scan(d, c.input)
			if !strings.HasPrefix(c.name(), "valid-") || len(r.Calls) == 0 {
				continue
			}
			if got, why := Detect(c.input); got.Name != d.Name {
				t.Errorf("%s/%s is read in the dialect %s: %s", d.Name, c.name(), got.Name, why)
			}
			if mixed := Mixed(c.input, d, r.Calls); len(mixed) > 0 && c.name() != "valid-other-fences" {
				t.Errorf("%s/%s: %v", d.Name, c.name(), mixed)
			}
		}
	}
}

// The first sign of each other dialect is reported, once, and nothing inside of
// calls is one.
func TestMixed(t *testing.T) {
	const list = `{"toolCalls": []}`
	for text, want := range map[string][]int{
		"```tool\nf()\n```\n" + list + list:                               {17},
		"```tool\nf(`\n" + list + "\n`)\n```\n":                           nil,
		"```tool\nf()\n```":                                               nil,
		"```tool\nf(`\n" + list + "`); g(`\n" + list + "`)\n```\n" + list: {62},
	} {
		var got []int
		for _, f := range Mixed(text, tool(t), Scan(tool(t), text).Calls) {
			got = append(got, f.Span.Start)
			if !strings.Contains(f.Message, "toolcalls") {
				t.Errorf("%v does not name the other dialect", f)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

// Telling takes time in proportion: a sign is looked for at each quote once.
func BenchmarkDetect(b *testing.B) {
	for _, text := range []string{play, "`", `{"`, "{  \"toolCalls\"    ", "\n   ```"} {
		b.Run(fmt.Sprintf("%.12q", text), func(b *testing.B) {
			whole := strings.Repeat(text, 1<<20/len(text))
			b.SetBytes(int64(len(whole)))
			for b.Loop() {
				Detect(whole)
			}
		})
	}
}
