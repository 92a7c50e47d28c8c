package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/chat"
)

// draftTexts are calls with arguments in text or lines that no renderer writes.
var draftTexts = map[string][]string{
	"functionary_v2":  {"<|recipient|>python\n<|content|>print(1)\nx\n"},
	"functionary_v32": {">>>python\nprint(1)\nx\n"},
	"react":           {"Action: f\nAction Input: a b\nc"},
	"continue":        {"TOOL_NAME: f\nBEGIN_ARG: a\nb c\nEND_ARG\nBEGIN_ARG: d\ne\nEND_ARG\n"},
}

// TestReasoningMarkers checks that all markers that end reasoning and cannot be in a literal end in a bracket:
// cutAtReasoningEnd requires it.
func TestReasoningMarkers(t *testing.T) {
	if len(allMarkers().literalReasoningClosers) == 0 {
		t.Error("there are none")
	}
	for _, marker := range allMarkers().literalReasoningClosers {
		if !strings.HasSuffix(marker, ">") && !strings.HasSuffix(marker, "]") {
			t.Errorf("%q does not end so", marker)
		}
	}
}

// TestMarkersBehindArguments checks that reading ends for any marker in or after unreadable arguments. [/THINK]
// looked like a second value, which ended before its first byte, in an endless loop.
func TestMarkersBehindArguments(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		call := renderedCall(d, "f", `{"keyname":1}`)
		markers := slices.Concat(markerSetOf(d).texts, allMarkers().literalReasoningClosers)
		for _, begun := range []string{call, call[:len(call)/2], call[:len(call)*3/4], call[:len(call)-1], "<|assistant|>f\n{\"keyname\""} {
			for _, junk := range []string{"", "\r\n\"\n ; x.\n", ", "} {
				for _, marker := range markers {
					text := begun + junk + marker + "\n x [1]"
					checkOnlyCall(t, d, text, begun == call)
					if marker[0] == '[' || marker[0] == '{' {
						Scan(text, Options{})
					}
				}
			}
		}
	})
}

// checkOnlyCall checks that a text has no executable call except f, and, if required, at least one call.
func checkOnlyCall(t *testing.T, d *Dialect, text string, required bool) {
	t.Helper()
	calls := Scan(text, Options{Dialect: *d}).Calls
	isOther := func(c chat.Call) bool { return c.Executable && c.Name != "f" }
	if required && len(calls) == 0 || slices.ContainsFunc(calls, isOther) {
		t.Errorf("%s: %q has the calls %v", d.Name, text, calls)
	}
}

// checkDraft checks that a draft ends with the reasoning around it and that the text after it is the answer.
// Only in a string is the marker text.
func checkDraft(t *testing.T, d Dialect, draft string) {
	t.Helper()
	open, end, _ := strings.Cut(d.ReasoningDelimiters()[0], "…")
	for cut := range draft {
		begun := draft[:cut]
		if strings.Count(begun, `"`)%2 == 1 || strings.HasSuffix(begun, "`") || strings.HasPrefix(begun, "```") && !strings.Contains(begun, "\n") {
			continue // the marker is quoted, or is in an info string
		}
		r := Scan(open+"So:\n"+begun+end+"ANSWER", Options{Dialect: d})
		if !strings.Contains(r.Content, "ANSWER") {
			t.Errorf("%s: behind %q there is no answer: %q, %v", d.Name, begun, r.Content, r.Findings)
			return
		}
		for _, c := range r.Calls {
			if c.Executable || strings.Contains(c.Text, "ANSWER") {
				t.Errorf("%s: behind %q there is a call %+v", d.Name, begun, c)
				return
			}
		}
	}
}

func TestDraftsEnd(t *testing.T) {
	for _, name := range []string{
		"mistral_args", "deepseek_v3", "deepseek_v31", "kimi_k2", "functionary_v2", "functionary_v31", "functionary_v32", "qwen_agent", "solar_open", "glm4", "react", "continue",
		"hermes", "internlm2", "apertus", "jamba",
	} {
		d := find(t, name)
		text, _ := d.Render(chat.Call{Name: "f", Arguments: json.RawMessage(`{"a":[1,{"b":null}],"c":true}`)}, nil)
		checkDraft(t, d, strings.TrimSpace(text))
		for _, draft := range draftTexts[name] {
			checkDraft(t, d, draft)
		}
	}
}
