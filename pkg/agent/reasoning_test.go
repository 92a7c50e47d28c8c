package agent_test

import (
	"strings"
	"testing"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
)

// Calls inside reasoning are drafts: none enters the conversation as a call, and no change runs. A draft is
// reported, and a read may start, only if it was parsed before the response showed that the prompt had
// opened the reasoning. Calls after the reasoning run.
func TestDrafts(t *testing.T) {
	draft, real := calls(`look("a")`, `put("b")`), calls(`look("c")`)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"opened here", "<think>\n" + draft + "\n</think>\n" + real, []string{"look ok"}},
		{"opened by the prompt", "Perhaps:\n" + draft + "\n</think>\n" + real, []string{"look discarded", "put skipped", "look ok"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, then(says(c.text))...)
			out := r.mustRun()
			wantStatuses(t, out, c.want...)
			for _, line := range r.seen() {
				if strings.HasPrefix(line, "start put") {
					t.Errorf("a draft was carried out: %s", line)
				}
			}
			if last := r.last(1); strings.Contains(last, `{"q":"a"}`) {
				t.Errorf("the result of a draft is in the conversation:\n%s", last)
			}
		})
	}
}

// Drafts cost no budget: later calls can still run.
func TestDraftsAreNotCounted(t *testing.T) {
	draft, real := calls(`look("a")`, `look("a")`, `look("a")`), calls(`look("a")`)
	for name, text := range map[string]string{
		"opened here":          "<think>\n" + draft + "\n</think>\n" + real,
		"opened by the prompt": "Perhaps:\n" + draft + "\n</think>\n" + real,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, then(says(text))...)
			r.cfg.Limits.Calls, r.cfg.Limits.Repeats = 3, 3
			out := r.mustRun()
			if last := out.Calls[len(out.Calls)-1]; last.Status != agent.CallOK {
				t.Errorf("the call after the drafts is %s", last.Status)
			}
		})
	}
}

// A second end of reasoning revokes the calls before it, even an executed read.
func TestSecondReasoningEnd(t *testing.T) {
	r := newRig(t, then(says("<think>Hm.</think>\n"+calls(`look("a")`, `put("b")`)+"\n</think>\n"+calls(`look("c")`)))...)
	wantStatuses(t, r.mustRun(), "look discarded", "put skipped", "look ok")
}

// Reasoning is no answer: only the text after it is.
func TestReasoningIsNoAnswer(t *testing.T) {
	for _, reasoning := range []string{"<think>Or 43?</think>", "<thinking>Or 43?</thinking>", "<reasoning>Or 43?</reasoning>"} {
		r := newRig(t, says("<think>The answer could be 41.</think>\n"+calls("finalResponse()")), says(reasoning+answer42))
		out := r.mustRun()
		if string(out.Answer) != answer42 {
			t.Errorf("%s: answer %s", reasoning, out.Answer)
		}
		if len(out.Findings) != 1 || out.Findings[0].Code != diag.ReasoningBeforeAnswer {
			t.Errorf("%s: findings %v", reasoning, out.Findings)
		}
	}
}
