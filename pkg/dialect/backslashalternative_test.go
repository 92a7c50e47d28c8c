package dialect

import (
	"testing"

	"oneshot/pkg/chat"
)

// TestBackslashes checks both readings of calls whose strings contain invalid escapes
// as well as escapes of control characters.
func TestBackslashes(t *testing.T) {
	for _, c := range []struct{ dialect, text, first, second string }{
		{"hermes", `<tool_call>{"name": "f", "arguments": {"a/b": {"p": "C:\Users\new"}, "p": "x\n", "n": 1e400}}</tool_call>`,
			`{"a/b":{"p":"C:\\Users\new"},"p":"x\n","n":1e400}`, `{"a/b":{"p":"C:\\Users\\new"},"p":"x\n","n":1e400}`},
		{"hermes", `<tool_call>{"name": "f", "arguments": {"p": ["\frac\alpha", "\bin\dir"]}}</tool_call>`,
			`{"p":["\frac\\alpha","\bin\\dir"]}`, `{"p":["\\frac\\alpha","\\bin\\dir"]}`},
		{"tool", "```tool\nf({p: 'C:\\dir\\temp \"x\"'})\n```", `[{"p":"C:\\dir\temp \"x\""}]`, `[{"p":"C:\\dir\\temp \"x\""}]`},
		{"gemma4", `<|tool_call>call:f{p:"C:\dir\temp"}<tool_call|>`, `{"p":"C:\\dir\temp"}`, `{"p":"C:\\dir\\temp"}`},
	} {
		calls := in(find(t, c.dialect)).calls(c.text)
		if len(calls) != 1 || calls[0].Executable || calls[0].Status != chat.StatusAmbiguous || len(calls[0].Alternatives) != 2 {
			t.Errorf("%s: %+v", c.text, calls)
			continue
		}
		if got := calls[0].Alternatives; string(got[0].Arguments) != c.first || string(got[1].Arguments) != c.second {
			t.Errorf("%s: %s or %s", c.text, got[0].Arguments, got[1].Arguments)
		}
	}
	native, _ := Native(chat.Call{Name: "f", Text: `{"p": "C:\Users\new"}`})
	if len(native.Alternatives) != 2 || string(native.Alternatives[1].Arguments) != `{"p":"C:\\Users\\new"}` || native.Executable {
		t.Errorf("%+v", native)
	}
}
