package redact

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
)

// HideResult masks secrets in the data, the message and the question of a result, and leaves the original
// unchanged.
func TestHideResult(t *testing.T) {
	s := new(Set)
	for _, value := range []string{"very-secret-token", "493817265501", "correcthorsebattery"} {
		s.Add(value)
	}
	failure := chat.Failure(chat.Failed, "no very-secret-token")
	needs := chat.Result{Needs: []string{"key"}, Question: "is it very-secret-token?"}
	for _, tt := range []struct{ from, want chat.Result }{
		{chat.Success(map[string]string{"a": "x very-secret-token"}), chat.Success(map[string]string{"a": "x ***"})},
		{failure, chat.Failure(chat.Failed, "no ***")},
		{needs, chat.Result{Needs: []string{"key"}, Question: "is it ***?"}},
		{chat.Success(1.50), chat.Success(1.50)},
		{chat.Success(map[string]int{"account": 493817265501, "correcthorsebattery": 1}), chat.Success(json.RawMessage(`{"account":"***","***":1}`))},
	} {
		if diff := cmp.Diff(tt.want, s.HideResult(tt.from)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(tt.from, (*Set)(nil).HideResult(tt.from)); diff != "" {
			t.Errorf("nothing is secret: %s", diff)
		}
	}
	if failure.Error.Message != "no very-secret-token" {
		t.Error("the tool's own result was changed")
	}
}
