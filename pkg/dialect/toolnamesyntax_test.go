package dialect

import (
	"encoding/json"
	"slices"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// TestNameProblem checks that describeNameSpoofing describes names that look like
// another one, and no others.
func TestNameProblem(t *testing.T) {
	for _, test := range []struct {
		name string
		odd  bool
	}{
		{"read_file", false},
		{"vault.search-2", false},
		{"поиск", false},
		{"検索_v2", false},
		{"suche_für", false},
		{"re\u0430d", true},          // a Cyrillic a
		{"\u03bfpen", true},          // a Greek o
		{"read\u200b", true},         // a zero-width space
		{"read\u2060file", true},     // a word joiner
		{"\u202edaer", true},         // a right-to-left override
		{"read\u3164", true},         // a Hangul filler
		{"read\ufe0f", true},         // a variation selector
		{"read\u00a0file", true},     // a no-break space
		{"\uff52ead", true},          // a full-width r
		{"\U0001d42bead", true},      // a bold r
		{"fu\u0308r", true},          // a decomposed ü
		{"read\x07", true},           // a control character
		{"read\xff", true},           // invalid UTF-8
		{"read\u034ffile", true},     // a combining grapheme joiner
		{"read\U000e0041file", true}, // a tag character
	} {
		if got := describeNameSpoofing(test.name) != ""; !isPrintableASCII(test.name) && got != test.odd || isPrintableASCII(test.name) && test.odd {
			t.Errorf("%+q is odd: %t, for %q", test.name, got, describeNameSpoofing(test.name))
		}
	}
}

// TestProblemNamesNeverExecute checks that a deceptive name is executable only if it is
// exactly that of a tool. A grammar without such names reads no call.
func TestProblemNamesNeverExecute(t *testing.T) {
	const name = "re\u0430d"
	for _, d := range Dialects() {
		text, _ := d.Render(chat.Call{Name: name, Arguments: json.RawMessage(`{"a":"b"}`)}, nil)
		for _, tools := range []Toolset{nil, {"read": nil}, {name: nil}} {
			_, exact := tools[name]
			r := Scan(text, Options{Dialect: d, Tools: tools})
			found := slices.ContainsFunc(r.Findings, func(f diag.Finding) bool { return f.Code == diag.HomoglyphName })
			for _, c := range r.Calls {
				if c.Executable && !exact || c.Name == name && found == exact {
					t.Errorf("%s: %q has the call %+v, and the finding: %t", d.Name, text, c, found)
				}
			}
			if len(r.Calls) == 0 && len(r.Findings) == 0 && r.Content != text {
				t.Errorf("%s: nothing is said of %q", d.Name, text)
			}
		}
	}
}

// TestDuplicateIDs checks that the second of two calls with the same ID is rejected.
func TestDuplicateIDs(t *testing.T) {
	for _, test := range []struct{ dialect, text string }{
		{"toolcalls", `{"toolCalls":[{"type":"f","id":"1","operation":"o","parameters":{}},{"type":"g","id":"1","operation":"o","parameters":{}}]}`},
		{"hermes", `<tool_call>{"name":"f","arguments":{},"id":"1"}</tool_call><tool_call>{"name":"g","arguments":{},"id":"1"}</tool_call>`},
		{"kimi_k2", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"},
		{"mistral_args", "[TOOL_CALLS]f[CALL_ID]abc[ARGS]{}[TOOL_CALLS]g[CALL_ID]abc[ARGS]{}"},
		{"mistral", `[TOOL_CALLS][{"name":"f","arguments":{},"id":"1"},{"name":"g","arguments":{},"id":"1"}]`},
	} {
		r := Scan(test.text, Options{Dialect: find(t, test.dialect)})
		if len(r.Calls) != 2 || !r.Calls[0].Executable || r.Calls[1].Executable || len(r.Findings) != 1 || r.Findings[0].Code != diag.DuplicateID {
			t.Errorf("%s: %q is read as %+v with %v", test.dialect, test.text, r.Calls, r.Findings)
		}
	}
}

// A call whose JSON name holds a control token runs only if the name before the token is
// that of a defined tool.
func TestTokenInJSONName(t *testing.T) {
	const text = "<tool_call>\n{\"name\":\"read<|channel|>_file\",\"arguments\":{}}\n</tool_call>"
	for _, test := range []struct {
		tools  Toolset
		status chat.Status
	}{
		{nil, chat.StatusInvalid},
		{Toolset{"read_file": nil}, chat.StatusInvalid},
		{Toolset{"read": nil}, chat.StatusRepaired},
	} {
		r := Scan(text, Options{Dialect: find(t, "hermes"), Tools: test.tools})
		if len(r.Calls) != 1 || r.Calls[0].Name != "read" || r.Calls[0].Status != test.status {
			t.Errorf("with %v: %v, want read, %s", test.tools, r.Calls, test.status)
		}
	}
}
