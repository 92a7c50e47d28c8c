package diag

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestEscapeInvisible(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "one\n\ttwo: naïve, 漢字", "one\n\ttwo: naïve, 漢字"},
		{"terminal", "\x1b[2J\x1b[1;1Hok\r", `\u001b[2J\u001b[1;1Hok\u000d`},
		{"controls", "a\x00b\x7fc\u009b2Jd", `a\u0000b\u007fc\u009b2Jd`},
		{"no width", "pass\u200bword\u2060s\ufeff", `pass\u200bword\u2060s\ufeff`},
		{"direction", "\u202egpj.exe\u2066x\u2069", `\u202egpj.exe\u2066x\u2069`},
		{"tags", "hi\U000e0068\U000e0069", `hi\U000e0068\U000e0069`},
		{"selectors", "a\ufe0f\U000e0100", `a\ufe0f\U000e0100`},
		{"fillers", "\u3164x\u115f\uffa0", `\u3164x\u115f\uffa0`},
		{"soft hyphen", "co\u00adoperate", `co\u00adoperate`},
		{"lines", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"emoji", "❤️ 👩🏽‍🚀 1️⃣ ☎︎", "❤️ 👩🏽‍🚀 1️⃣ ☎︎"},
		{"bits behind an emoji", "☎\ufe0f\ufe0e\ufe0f", "☎\ufe0f" + `\ufe0e\ufe0f`},
		{"joiners in a row", "👩\u200d\u200d", "👩\u200d" + `\u200d`},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Hindi", "क्\u200dष", "क्\u200dष"},
		{"joiner in English", "pass\u200cword", `pass\u200cword`},
		{"not UTF-8", "a\xff\x1b\xfe", "a\ufffd" + `\u001b` + "\ufffd"},
		{"the replacement itself", "\ufffd\x01", "\ufffd" + `\u0001`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := EscapeInvisible(test.text); got != test.want {
				t.Errorf("EscapeInvisible(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

// No control character is left, and escaping is idempotent.
func TestEscapeInvisibleAny(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")) + rapid.String().Draw(rt, "text")
		got := EscapeInvisible(text)
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			rt.Errorf("EscapeInvisible(%q) = %q", text, got)
		}
		if again := EscapeInvisible(got); again != got {
			rt.Errorf("EscapeInvisible(%q) = %q, and of that %q", text, got, again)
		}
	})
}

func TestEscapeInvisibleJSON(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"a": "b"}`, `{"a": "b"}`},
		{"{\"a\u200b\":\r\n\"\u202e\U000e0041\x7f\"}", "{\"a\\u200b\":\r\n\"\\u202e\\udb40\\udc41\\u007f\"}"},
		{`"\u200b❤️"`, `"\u200b❤️"`},
	} {
		if got := string(EscapeInvisibleJSON([]byte(test.text))); got != test.want {
			t.Errorf("EscapeInvisibleJSON(%s) = %s, want %s", test.text, got, test.want)
		}
	}
}

// The value stays the same, and escaping is idempotent.
func TestEscapeInvisibleJSONAny(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.MapOf(rapid.String(), rapid.String()).Draw(rt, "value")
		text, err := json.Marshal(value)
		if err != nil {
			rt.Fatal(err)
		}
		got := EscapeInvisibleJSON(text)
		var after map[string]string
		if err := json.Unmarshal(got, &after); err != nil || !maps.Equal(value, after) {
			rt.Errorf("%s became %s (%v)", text, got, err)
		}
		if again := EscapeInvisibleJSON(got); string(again) != string(got) {
			rt.Errorf("%s became %s, and that %s", text, got, again)
		}
	})
}
