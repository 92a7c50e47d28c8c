package dialect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// TestContinuation checks that a marker that closes a value after calls puts these
// calls in doubt: one may have ended too early.
func TestContinuation(t *testing.T) {
	const call = "<tool_call>note<arg_key>text</arg_key><arg_value>a</arg_value></tool_call>"
	const draft = "<tool_call>note</tool_call>"
	for _, test := range []struct {
		name, dialect, text string
		want                []int // the calls that are in doubt
	}{
		{"behind it", "glm47_moe", call + " b</arg_value></tool_call>", []int{0}},
		{"behind the second", "glm47_moe", draft + call + "</arg_value>", []int{0, 1}},
		{"behind one of JSON", "", call + "[TOOL_CALLS]f[ARGS]{} b</arg_value>", []int{0, 1}},
		{"twice", "glm47_moe", call + "</arg_value></arg_value>", []int{0}},
		{"without a call", "glm47_moe", "a</arg_value>", nil},
		{"quoted", "glm47_moe", call + "It ends with `</arg_value>`.", nil},
		{"in reasoning", "glm47_moe", "<think>" + call + " b</arg_value></think>", nil},
		{"behind what is not executed", "glm47_moe", "<tool_call>note<arg_key>a</arg_key></tool_call></arg_value>", nil},
		{"of another dialect", "glm47_moe", call + "</parameter>", nil},
		{"dialect not named", "", call + " b</arg_value></tool_call>", []int{0}},
		{"dialect not named, another", "", "<invoke name=\"note\"><parameter name=\"text\">a</parameter></invoke> b</parameter>", []int{0}},
		{"dialect not named, none", "", call + "</parameter>", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, _ := Lookup(test.dialect)
			var got []int
			r := Scan(test.text, Options{Dialect: d})
			for _, f := range r.Findings {
				if f.Code == diag.MarkerInValue {
					got = append(got, *f.Call)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("calls in doubt: (-want +got)\n%s", diff)
			}
			for _, call := range got {
				if r.Calls[call].Executable {
					t.Errorf("call %d is executable", call)
				}
			}
		})
	}
}

// TestTaggedDetected checks that detection finds the dialects of tags and the same
// calls.
func TestTaggedDetected(t *testing.T) {
	for _, d := range complete(markupDialects()) {
		if d.Name == "openhands_xml" || d.Name == "glm47_moe" || d.Name == "laguna" {
			continue // they look like others
		}
		named, told := Scan(d.Example, Options{Dialect: d}), Scan(d.Example, Options{})
		if told.Dialect.Name != d.Name {
			t.Errorf("%s is told to be %s: %s", d.Name, told.Dialect.Name, told.Why)
		}
		if diff := cmp.Diff(named.Calls, told.Calls); diff != "" || len(told.Calls) != 1 {
			t.Errorf("%s: %s", d.Name, diff)
		}
	}
	for text, name := range map[string]string{
		"<minimax:tool_call><invoke name=\"f\"><a>1</a></invoke></minimax:tool_call>":                                  "minimax_m3",
		"<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">1</parameter></invoke>\n</minimax:tool_call>": "minimax_m2",
		"<minimax:tool_call><invoke name=\"f\">":                                                                       "minimax_m2",
		"<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>":                                              "hermes",
		"<user>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</user>":                                             "laguna",
		"<tool_call>f\n{\"a\": 1}</tool_call>":                                                                         "laguna",
		"<tool_call>f{\"a\": 1}\n</tool_call>":                                                                         "laguna",
		"<tool_call>f\n</tool_call>":                                                                                   "glm4_moe",
		"<tool_call>f</tool_call>":                                                                                     "glm47_moe",
	} {
		if r := Scan(text, Options{}); r.Dialect.Name != name || len(r.Calls) != 1 {
			t.Errorf("%q is told to be %s, with %v", text, r.Dialect.Name, r.Calls)
		}
	}
}

func TestTaggedID(t *testing.T) {
	r := Scan(`<cofl:tool_call id="a&amp;b" name="f"></cofl:tool_call>`, Options{})
	if len(r.Calls) != 1 || r.Calls[0].ID != "a&b" {
		t.Errorf("%+v", r.Calls)
	}
}

// taggedHostile holds generators of texts of about n bytes for dialects of tags.
var taggedHostile = map[string]map[string]func(n int) string{
	"glm47_moe": {
		"calls":              repeated("", "<tool_call>f</tool_call>"),
		"open calls":         repeated("", "<tool_call>f\n"),
		"open values":        repeated("", aPair),
		"empty tags":         repeated("", "<tool_call></tool_call>"),
		"objects":            repeated("", `<tool_call>{"name":"f","arguments":{}}`),
		"closers":            repeated("", "</tool_call></arg_value>"),
		"closers in a value": repeated(aPair, "</arg_value> </tool_call> "),
		"remains":            repeated("", aPair+"</arg_value></tool_call></arg_value>"),
		"blanks":             repeated("<tool_call>", " "),
	},
	"qwen3_coder_xml": {
		"wrappers":  repeated("", "<tool_call>\n<function="),
		"backticks": repeated("", "``` `"),
	},
	"minimax_m3": {
		"invokes":            repeated("", `<invoke name="f">`),
		"invokes and blanks": repeated("", `<invoke name="f">`+strings.Repeat(" ", 40)),
		"words":              repeated("<invoke", " a"),
	},
	"deepseek_dsml_v32": {
		"typed values": repeated(`<invoke name="f"><parameter name="a" string="false">[`, "[1],"),
	},
	"cohere_command5": {
		"values in values": repeated(`<cofl:tool_call name="f"><cofl:value name="a" type="list">`, `<cofl:value type="dict">`),
	},
}

// aPair begins a call of pairs, up to its first value.
const aPair = "<tool_call>f<arg_key>a</arg_key><arg_value>"
