package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// TestNativeLimits checks that a truncated native call is not repaired, and that one
// nested too deeply is invalid, as in text.
func TestNativeLimits(t *testing.T) {
	nested := func(depth int) json.RawMessage {
		return json.RawMessage(`{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}")
	}
	for _, c := range []struct {
		call   chat.Call
		status chat.Status
		code   diag.Code
	}{
		{chat.Call{Name: "f", Status: chat.StatusTruncated}, chat.StatusTruncated, diag.TruncatedCall},
		{chat.Call{Name: "f", Text: `{"a": 1`, Status: chat.StatusTruncated}, chat.StatusTruncated, diag.TruncatedCall},
		{chat.Call{Name: "f", Arguments: nested(literal.MaxDepth), Status: chat.StatusOK, Executable: true}, chat.StatusOK, ""},
		{chat.Call{Name: "f", Arguments: nested(literal.MaxDepth + 1), Status: chat.StatusOK, Executable: true}, chat.StatusInvalid, diag.TooDeep},
	} {
		got, findings := Native(c.call)
		if got.Status != c.status || got.Executable != (c.status == chat.StatusOK) {
			t.Errorf("%v: status %s, executable %v", c.call, got.Status, got.Executable)
		}
		if c.code == "" && len(findings) > 0 || c.code != "" && (len(findings) != 1 || findings[0].Code != c.code) {
			t.Errorf("%v: findings %v, want %s", c.call, findings, c.code)
		}
	}
}
