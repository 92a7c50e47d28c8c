package dialect

import (
	"strings"
	"testing"
)

// The first control token of a text is told, and nothing that is only like one.
func TestControlToken(t *testing.T) {
	for _, tt := range []struct {
		text, token string
		at          int
	}{
		{"", "", 0},
		{"a <s> [x] <|im_end| [INST <tool_call>", "", 37},
		{"<|im_end|>", "<|im_end|>", 0},
		{"[[<[INST] <|im_start|>", "[INST]", 3},
		{"<<<SYS>> [INST]", "<<SYS>>", 1},
		{"é<｜User｜>", "<｜User｜>", 2},
	} {
		if token, at := ControlToken([]byte(tt.text)); token != tt.token || at != tt.at {
			t.Errorf("%q: %q at %d, want %q at %d", tt.text, token, at, tt.token, tt.at)
		}
	}
}

// Every control token is a marker, so that none is in a result.
func TestControlTokensAreMarkers(t *testing.T) {
	for _, token := range controlTokens {
		if got := string(Neutralise([]byte(`"` + token + `"`))); strings.Contains(got, token) {
			t.Errorf("%s stands in a result as it is", token)
		}
	}
}
