package agent

import (
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// Only the wording of oneshot's own texts is restored from a record: a message with any other difference stays as it is.
func TestRecordedWording(t *testing.T) {
	message := func(text string) chat.Message { return chat.Message{Role: chat.User, Content: text} }
	refused := func(code chat.ErrorCode, text string) chat.Result { return chat.Failure(code, "%s", text) }
	w := newRecordedWording(&runfile.Log{Records: []runfile.Record{
		{Body: runfile.Request{System: "s", Messages: []chat.Message{message("- \"my words\"")}}},
		{Body: runfile.Call{ID: "c1", Digest: "d1", Verdict: "deny", Rule: "check"}},
		{Body: runfile.Result{Call: "c1", Result: refused(chat.InvalidArguments, "must be a string")}},
		{Body: runfile.Request{Messages: []chat.Message{{Role: chat.Assistant, Content: "- \"a\""}, message("Not run:\n- \"must be a string\"\nAgain.")}}},
		{Body: runfile.Request{Messages: []chat.Message{message("- \"line 3: unknown tool: a\""), message("- \"/items/0: must be a string\"")}}},
	}})
	for _, test := range []struct {
		index      int
		text, want string
	}{
		{2, "Not run:\n- \"expected a string\"\nAgain.", "Not run:\n- \"must be a string\"\nAgain."},
		{2, "Not run:\n- \"expected a string\"\nOnce more.", "Not run:\n- \"expected a string\"\nOnce more."},
		{2, "Not run:\n- \"a\"\n- \"b\"\nAgain.", "Not run:\n- \"a\"\n- \"b\"\nAgain."},
		{0, "- \"other words\"", "- \"other words\""},
		{1, "- \"b\"", "- \"b\""},
		{3, "- \"line 3: there is no tool a\"", "- \"line 3: unknown tool: a\""},
		{3, "- \"line 4: there is no tool a\"", "- \"line 4: there is no tool a\""},
		{4, "- \"/items/0: expected a string\"", "- \"/items/0: must be a string\""},
		{4, "- \"/items/1: must be a string\"", "- \"/items/1: must be a string\""},
		{5, "- \"b\"", "- \"b\""},
	} {
		if got := w.ofMessage(test.index, test.text); got != test.want {
			t.Errorf("message %d, %q: %q, want %q", test.index, test.text, got, test.want)
		}
	}
	if got := w.ofRefusal("c1", refused(chat.InvalidArguments, "expected a string")); got.Error.Message != "must be a string" {
		t.Errorf("the refusal says %q", got.Error.Message)
	}
	for call, r := range map[string]chat.Result{"c1": refused(chat.Denied, "no"), "c2": refused(chat.InvalidArguments, "no")} {
		if got := w.ofRefusal(call, r); got.Error.Message != "no" {
			t.Errorf("the refusal of %s says %q", call, got.Error.Message)
		}
	}
	for _, test := range []struct {
		call runfile.Call
		want bool
	}{
		{runfile.Call{ID: "c1", Digest: "d1", Verdict: "deny", Rule: "check"}, true},
		{runfile.Call{ID: "c1", Digest: "d2", Verdict: "deny", Rule: "check"}, false},
		{runfile.Call{ID: "c1", Digest: "d1", Verdict: "deny", Rule: "flag:deny"}, false},
		{runfile.Call{ID: "c1", Digest: "d1", Verdict: "allow", Rule: "check"}, false},
		{runfile.Call{ID: "c2", Digest: "d1", Verdict: "deny", Rule: "check"}, false},
	} {
		if got := w.isSameDecision(test.call); got != test.want {
			t.Errorf("the same decision as %+v: %t", test.call, got)
		}
	}
}
