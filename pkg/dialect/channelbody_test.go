package dialect

import (
	"strings"
	"testing"
)

// TestHeader checks which headers make a message a call, and which make it reasoning.
func TestHeader(t *testing.T) {
	for _, test := range []struct {
		marker, text       string
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
		h := parseHeader(test.marker, test.text)
		if h.role != test.role || h.channel != test.channel || h.recipient != test.rcp || h.isCall() != test.call || h.isReasoning() != test.reasoning {
			t.Errorf("%s%s is read as %+v", test.marker, test.text, h)
		}
	}
}

// TestChannelReasoning checks the content and the reasoning of messages in each
// reasoning mode.
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

// channelHostile holds generators of texts of about n bytes for each dialect with
// messages.
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
		"recipients":            repeated("", " to=f"),
		"messages":              repeated("", "<|message|>"),
		"starts":                repeated("", "<|start|>assistant to=f<|message|>x"),
		"blanks":                repeated(" to=f<|message|>", " "),
		"shown":                 repeated(" to=user<|message|>", "<atem:function_calls>"),
		"messages for the user": repeated("", "<|start|>assistant to=user<|message|><atem:invoke <|eom|>"),
		"calls":                 repeated("", "<|message|><atem:invoke name=\"f\">\n</atem:invoke><|eom|>"),
		"opened":                repeated("", "<|message|><atem:invoke name=\"f\">"),
	},
	"kimi_k3": {
		"opened": repeated("", "<|open|>"),
		"calls":  repeated("", `<|open|>call tool="f"<|sep|><|close|>call<|sep|>`),
		"begun":  repeated("", `<|open|>call tool="f"<|sep|>`),
	},
}

// withoutBlanks removes the whitespace of a text.
func withoutBlanks(text string) string { return strings.Join(strings.Fields(text), "") }

// TestCallForTheUser checks that a call in a message for the user is content and not
// executable.
func TestCallForTheUser(t *testing.T) {
	d := find(t, "muse_glimmer")
	const opened = "<atem:function_calls>\n<atem:invoke name=\"clock\">\n</atem:invoke>\n</atem:function_calls>"
	for _, body := range []string{
		opened, "So:\n" + opened, opened[len("<atem:function_calls>\n"):], "<atem:function_calls>", "<atem:invoke>" + opened,
		opened + "\n<|start|>assistant to=clock<|message|>" + opened,
	} {
		for _, tools := range []Toolset{nil, {"clock": nil}, {"lookup": nil}} {
			r := Scan(" to=user<|message|>"+body+"<|eot|>", Options{Dialect: d, Tools: tools})
			content := strings.Replace(body, "<|start|>assistant to=clock<|message|>", "", 1)
			if withoutBlanks(r.Content) != withoutBlanks(content) || len(r.Findings) == 0 {
				t.Errorf("%q with %v: content %q, findings %v", body, tools, r.Content, r.Findings)
			}
			for _, c := range r.Calls {
				if c.Executable {
					t.Errorf("%q with %v: %s is executable", body, tools, c.Text)
				}
			}
		}
	}
}

// TestCallShownToTheUser checks that no call quoted in a message for the user is
// executable, in any dialect with messages: neither a call in a quoted message nor one
// in the text.
func TestCallShownToTheUser(t *testing.T) {
	const (
		harmonyCall  = "<|start|>assistant<|channel|>commentary to=functions.clock <|constrain|>json<|message|>{}<|call|>"
		inklingCall  = `<|message_model|>clock<|content_invoke_tool_json|>{"name":"clock","args":{}}<|end_message|>`
		kimiCall     = `<|open|>tools<|sep|><|open|>call tool="clock" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`
		harmonyFinal = "<|channel|>final<|message|>See: "
		inklingText  = "<|message_model|><|content_text|>See: "
		hermesCall   = `<tool_call>{"name":"clock","arguments":{}}</tool_call>`
	)
	for _, test := range []struct {
		dialect, text string
		calls         int
	}{
		{"harmony", harmonyFinal + harmonyCall, 1},
		{"harmony", harmonyFinal + harmonyCall + harmonyCall, 2},
		{"harmony", harmonyFinal + "\ncommentary to=functions.clock json{}", 1},
		{"harmony", "<|channel|>commentary<|message|>See: " + harmonyCall, 1},
		{"harmony", "<|start|>user<|message|>See: " + harmonyCall, 1},
		{"harmony", harmonyFinal + "<|start|>assistant<|channel|>analysis<|message|>So.<|end|>" + harmonyCall, 1},
		{"inkling", inklingText + inklingCall, 1},
		{"inkling", inklingText + inklingCall[len("<|message_model|>clock"):], 0},
		{"kimi_k3", "<|open|>response<|sep|>See: " + kimiCall, 1},
		{"", harmonyFinal + hermesCall, 1},
		{"", inklingText + hermesCall, 1},
	} {
		for _, tools := range []Toolset{nil, {"clock": nil}} {
			var d Dialect
			if test.dialect != "" {
				d = find(t, test.dialect)
			}
			r := Scan(test.text, Options{Dialect: d, Tools: tools})
			if len(r.Calls) != test.calls || len(r.Findings) == 0 {
				t.Errorf("%s, %q: %d calls, findings %v", test.dialect, test.text, len(r.Calls), r.Findings)
			}
			for _, c := range r.Calls {
				if c.Executable {
					t.Errorf("%s, %q: %s is executable", test.dialect, test.text, c.Text)
				}
			}
		}
	}
}

// TestCallAfterAnAnswer checks that a call after the end of an answer is executable.
func TestCallAfterAnAnswer(t *testing.T) {
	for dialect, text := range map[string]string{
		"harmony":  "<|channel|>final<|message|>So.<|end|><|start|>assistant<|channel|>commentary to=functions.clock<|message|>{}<|call|>",
		"inkling":  `<|message_model|><|content_text|>So.<|end_message|><|message_model|>clock<|content_invoke_tool_json|>{"name":"clock","args":{}}<|end_message|>`,
		"harmony ": "<|channel|>final<|message|>See <|start|>assistant<|channel|>commentary to=functions.clock<|message|>{}<|call|> So.<|end|><|start|>assistant<|channel|>commentary to=functions.clock<|message|>{}<|call|>",
		"kimi_k3":  `<|open|>response<|sep|>So.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="clock" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
	} {
		for _, d := range []Dialect{{}, find(t, strings.TrimSpace(dialect))} {
			r := Scan(text, Options{Dialect: d})
			if n := len(r.Calls); n == 0 || !r.Calls[n-1].Executable || len(r.Findings) != n-1 {
				t.Errorf("%q: calls %v, findings %v", text, r.Calls, r.Findings)
			}
		}
	}
}
