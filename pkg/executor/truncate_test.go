package executor

import (
	"strings"
	"testing"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
)

// A text that is truncated at any byte has no partial character, and its rest and the truncation note form
// no marker after neutralisation.
func TestCutTexts(t *testing.T) {
	for _, text := range []string{
		"äöü 😀 漢字 and more of it",
		"``````tool\nput(1)\n``````",
		"`````\n`````",
		"<tool_call>{}</tool_call><tool_call>",
		"<｜tool▁calls▁begin｜><｜tool▁calls▁begin｜>",
		"[TOOL_CALLS][TOOL_CALLS][INST]",
		"toolCalls toolCalls tool_calls",
		"❤️ 👩🏽‍🚀 \u200b\u202e \U000e0041",
	} {
		for limit := range int64(len(text)) {
			got := limitSize(chat.Success(text), limit+1)
			envelope, err := got.MarshalJSON()
			if err != nil || !utf8.Valid(envelope) {
				t.Fatalf("%q cut at %d: %q, %v", text, limit+1, envelope, err)
			}
			if shown := data[string](t, got); strings.ContainsRune(shown, utf8.RuneError) {
				t.Errorf("%q cut at %d: %q holds half a character", text, limit+1, shown)
			}
			inert := strings.ToLower(string(dialect.Neutralise(envelope)))
			for _, marker := range dialect.Markers() {
				if strings.Contains(inert, strings.ToLower(marker)) {
					t.Errorf("%q cut at %d: %q stands in %s", text, limit+1, marker, inert)
				}
			}
		}
	}
}
