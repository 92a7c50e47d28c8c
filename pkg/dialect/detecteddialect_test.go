package dialect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// C2: the dialect is that of the first call.
func TestDetected(t *testing.T) {
	const nothing = "the text contains no call of any dialect"
	for _, test := range []struct{ text, want, why string }{
		{"", "tool", nothing},
		{"Use `tool` or toolCalls: {} or \"toolCalls\" here.", "tool", nothing},
		{"So:\n  ~~~~ TOOL \nf()", "tool", `line 2 has a fence marked "tool"`},
		{"```tool", "tool", `line 1 has a fence marked "tool"`},
		{"```toolx\nf()", "tool", nothing},
		{"see ```tool\nf()", "tool", nothing},
		{"\n{\"a\": 1,\n\"toolCalls\" : []}", "toolcalls", `line 3 has the key "toolCalls"`},
		{"x {'tool_calls':[]}", "toolcalls", `line 1 has the key "tool_calls"`},
		{`{"toolCalls"}`, "tool", nothing},
		{`"toolCalls": []`, "tool", nothing},
		{`{\"toolCalls\": []}`, "tool", nothing},
		{"{\"toolCalls\": []}\n```tool\n", "toolcalls", `line 1 has the key "toolCalls"`},
		{"```\n{\"name\":\"f\",\"parameters\":{}}```\nx", "llama3_json", `line 2 has JSON with the keys "name" and "parameters"`},
		{"<tool_call>\nNo tides today.\n<tool_call>", "tool", nothing},
		{"```tool\n```\n{\"toolCalls\": []}", "tool", `line 1 has a fence marked "tool"`},
	} {
		if r := Scan(test.text, Options{}); r.Dialect.Name != test.want || r.Why != test.why {
			t.Errorf("%q is read as %s: %s; want %s: %s", test.text, r.Dialect.Name, r.Why, test.want, test.why)
		}
	}
}

// TestDetectedAny checks that the example of every dialect gives the same calls with
// detection, and no findings above info.
func TestDetectedAny(t *testing.T) {
	for _, d := range Dialects() {
		named, told := Scan(d.Example, Options{Dialect: d}), Scan(d.Example, Options{})
		if diff := cmp.Diff(meanings(executable(named.Calls)), meanings(executable(told.Calls))); diff != "" {
			t.Errorf("%s, read as %s: (-named +told)\n%s", d.Name, told.Dialect.Name, diff)
		}
		for _, f := range told.Findings {
			if f.Severity != diag.Info && d.Name != "granite_20b_fc" { // hermes has the same marker, with a closer
				t.Errorf("%s, read as %s: %s", d.Name, told.Dialect.Name, f)
			}
		}
	}
}
