package dialect

import "testing"

// Who a message is for decides what it is.
func TestHeader(t *testing.T) {
	for _, test := range []struct {
		mark, text         string
		role, channel, rcp string
		call, reasoning    bool
	}{
		{"<|start|>", "assistant", "assistant", "", "", false, false},
		{"<|start|>", "assistant<|channel|>final", "assistant", "final", "", false, false},
		{"<|channel|>", "analysis", "", "analysis", "", false, true},
		{"<|channel|>", "analysis to=functions.f code", "", "analysis", "functions.f", true, false},
		{"<|start|>", "assistant to=functions.f<|channel|>commentary", "assistant", "commentary", "functions.f", true, false},
		{"<|start|>", "assistant<|channel|>commentary to= functions.f<|constrain|>json", "assistant", "commentary", "functions.f", true, false},
		{"<|start|>", "functions.f<|channel|>commentary", "", "commentary", "functions.f", true, false},
		{"<|start|>", "functions.f to=assistant<|channel|>commentary", "functions.f", "commentary", "assistant", false, false},
		{"<|start|>", "assistant to=self", "assistant", "", "self", false, true},
		{"<|start|>", "assistant to=user", "assistant", "", "user", false, false},
		{"<|start|>", "", "", "", "", false, false},
	} {
		h := readHeader(test.mark, test.text)
		if h.role != test.role || h.channel != test.channel || h.recipient != test.rcp || h.isCall() != test.call || h.isReasoning() != test.reasoning {
			t.Errorf("%s%s is read as %+v", test.mark, test.text, h)
		}
	}
}

// Where the prompt opens reasoning, or it is text, messages still say what they are.
func TestChannelReasoning(t *testing.T) {
	const text = "<|channel|>analysis<|message|>So.<|end|><|start|>assistant<|channel|>final<|message|>Yes."
	for _, test := range []struct {
		mode               Reasoning
		content, reasoning string
	}{
		{ReasoningAuto, "Yes.", "So."},
		{ReasoningOpen, "Yes.", "So."},
		{ReasoningOff, "So.Yes.", ""},
	} {
		r := Scan(text, Options{Dialect: find(t, "harmony"), Reasoning: test.mode})
		if r.Content != test.content || r.Reasoning != test.reasoning {
			t.Errorf("mode %d: content %q, reasoning %q", test.mode, r.Content, r.Reasoning)
		}
	}
}

// channelHostile are texts that grow with n, for each dialect of messages.
var channelHostile = map[string]map[string]func(n int) string{
	"harmony": {
		"starts":    repeated("", "<|start|>"),
		"channels":  repeated("<|start|>assistant", "<|channel|>"),
		"headers":   repeated("", "<|start|>assistant<|channel|>commentary to=functions.f"),
		"header":    repeated("<|start|>", "to="),
		"letters":   repeated("<|start|>", "x"),
		"messages":  repeated("", "<|channel|>final<|message|>x<|end|>"),
		"calls":     repeated("", "<|channel|>commentary to=functions.f<|message|>{}<|call|>"),
		"cut":       repeated("", `<|channel|>commentary to=functions.f<|message|>{"a":`),
		"reasoning": repeated("<|channel|>analysis<|message|>", "x"),
		"quoted":    repeated("<|channel|>analysis<|message|>", "`<|end|>"),
		"near":      repeated("<|channel|>analysis<|message|>", "<|en"),
		"ends":      repeated("", "<|end|>"),
		"code":      repeated("<|channel|>analysis to=python<|message|>", "x\n"),
		"stripped":  repeated("", "assistantcommentary to=f {"),
		"analysis":  repeated("", "assistantanalysisX"),
		"tags":      repeated("", "<|start|>assistant to=f<|message|><atem"),
	},
	"inkling": {
		"messages": repeated("", "<|message_model|>"),
		"calls":    repeated("", `<|message_model|>f<|content_invoke_tool_json|>{"name":"f","args":{}}<|end_message|>`),
		"cut":      repeated("", `<|message_model|>f<|content_invoke_tool_json|>{"name":`),
		"thoughts": repeated("", "<|message_model|><|content_thinking|>x"),
	},
	"muse_glimmer": {
		"recipients": repeated("", " to=f"),
		"messages":   repeated("", "<|message|>"),
		"starts":     repeated("", "<|start|>assistant to=f<|message|>x"),
		"blanks":     repeated(" to=f<|message|>", " "),
		"calls":      repeated("", "<|message|><atem:invoke name=\"f\">\n</atem:invoke><|eom|>"),
		"opened":     repeated("", "<|message|><atem:invoke name=\"f\">"),
	},
	"kimi_k3": {
		"opened": repeated("", "<|open|>"),
		"calls":  repeated("", `<|open|>call tool="f"<|sep|><|close|>call<|sep|>`),
		"begun":  repeated("", `<|open|>call tool="f"<|sep|>`),
	},
}
