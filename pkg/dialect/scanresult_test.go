package dialect

import (
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

// TestStripReasoning checks that reasoning before an answer is removed, and that markers in the answer remain,
// as do tags that only prompts ask for.
func TestStripReasoning(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"<think>Is it?</think>Yes.", "Yes."},
		{"\n[THINK]Is it?[/THINK]\n<think>Or not?</think> Yes.", "\n\n Yes."},
		{"It may be.</think>Yes.", "Yes."},
		{"The tags `<think>` and </think> may be.</think>Yes.", " may be.</think>Yes."},
		{"Set the <reasoning> element.\nThen restart.", "Set the <reasoning> element.\nThen restart."},
		{"Set the <think> element.\nThen restart.", "Set the <think> element.\nThen restart."},
		{"<think>Is it?</think>Write <think> and </think> around it, or [THINK].", "Write <think> and </think> around it, or [THINK]."},
		{"<reasoning>It fits.</reasoning><score>3</score>", "<reasoning>It fits.</reasoning><score>3</score>"},
		{"It ends in </reasoning>.", "It ends in </reasoning>."},
		{"<think>It never ends", ""},
	} {
		rest, hasReasoning := StripReasoning(test.text)
		if rest != test.want || hasReasoning != (rest != test.text) {
			t.Errorf("%q: rest %q, reasoning %v", test.text, rest, hasReasoning)
		}
		checkSplits(t, ReasoningOnly().Dialect, test.text)
	}
}

// TestStripReasoningBeforeJSON checks that tags that only prompts ask for also count before JSON: JSON does not
// begin with a tag.
func TestStripReasoningBeforeJSON(t *testing.T) {
	const answer = `{"answer":"use <thinking> and <think>x</think>"}`
	for _, test := range []struct{ text, want string }{
		{"<thinking>Is it?</thinking>" + answer, answer},
		{"<reasoning>Is it?</reasoning>\n<think>Or not?</think>\n" + answer, "\n\n" + answer},
		{"<thought>Is it?</thought>```json\n" + answer + "\n```", "```json\n" + answer + "\n```"},
		{"Is it?</thinking>" + answer, answer},
		{"Sure: " + answer, "Sure: " + answer},
	} {
		rest, hasReasoning := StripReasoningBeforeJSON(test.text)
		if rest != test.want || hasReasoning != (rest != test.text) {
			t.Errorf("%q: rest %q, reasoning %v", test.text, rest, hasReasoning)
		}
		checkSplits(t, reasoningBeforeJSON().Dialect, test.text)
	}
}

// TestScanKeepsTheFirst checks that Scan keeps the first MaxKept calls and findings, and reports dropped ones.
func TestScanKeepsTheFirst(t *testing.T) {
	for name, c := range map[string]struct {
		statement       string
		calls, findings int
	}{
		"calls":  {"f();", MaxKept, 1},
		"faults": {"f(x);", MaxKept, MaxKept + 1},
		"junk":   {"x y;\nf();", MaxKept, MaxKept + 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := Scan(inFence(strings.Repeat(c.statement+"\n", 2*MaxKept)), Options{Dialect: tool(t)})
			if len(r.Calls) != c.calls || len(r.Findings) != c.findings {
				t.Errorf("%d calls and %d findings, want %d and %d", len(r.Calls), len(r.Findings), c.calls, c.findings)
			}
			last := r.Findings[len(r.Findings)-1]
			if last.Code != diag.TooMany || last.Span.Line < MaxKept/2 {
				t.Errorf("the last finding is %v, want TC901 with a place", last)
			}
			for _, f := range r.Findings {
				if f.Call != nil && *f.Call >= len(r.Calls) {
					t.Fatalf("%v is about call %d of %d", f, *f.Call, len(r.Calls))
				}
			}
		})
	}
}
