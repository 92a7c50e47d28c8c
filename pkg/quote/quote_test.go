package quote_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"oneshot/pkg/quote"
)

// A text comes back from JSON, with U+FFFD for invalid UTF-8.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		var back string
		if err := json.Unmarshal([]byte(quote.JSON(text)), &back); err != nil || back != strings.ToValidUTF8(text, "\ufffd") {
			t.Errorf("%q became %q: %v", text, back, err)
		}
		if utf8.ValidString(text) {
			if err := json.Unmarshal(quote.Encoded(text), &back); err != nil || back != text {
				t.Errorf("%q became %q: %v", text, back, err)
			}
		}
	})
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text    string
		most    int
		prefix  string
		shorten string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc", "abc…"},
		{"aöö", 4, "aö", "aö…"},
		{"a\xff", 3, "a", "a\ufffd"},
	} {
		if got := quote.ValidPrefix(tt.text, tt.most); got != tt.prefix {
			t.Errorf("ValidPrefix(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.prefix)
		}
		if got := quote.Shorten(tt.text, tt.most); got != tt.shorten {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.shorten)
		}
	}
}

func TestShell(t *testing.T) {
	for text, want := range map[string]string{"a/b-1.txt": "a/b-1.txt", "": "''", "it's": `'it'\''s'`, "$HOME *": "'$HOME *'", "ö": "'ö'"} {
		got := quote.Shell(text)
		if got != want {
			t.Errorf("Shell(%q) = %s, want %s", text, got, want)
		}
		if out, err := exec.Command("sh", "-c", "printf %s "+got).Output(); err != nil || string(out) != text {
			t.Errorf("the shell reads %s as %q: %v", got, out, err)
		}
	}
}

// The first special byte is found at every alignment.
func TestSkipPlain(t *testing.T) {
	for _, plain := range []string{"", "x", "é ~\x7f\x80\xff", "0123456789abcdefghij é x"} {
		for c := range 256 {
			text := plain + string([]byte{byte(c)}) + `"\` + "\x00 behind it"
			want := len(plain)
			if c != '"' && c != '\\' && c >= ' ' {
				want++
			}
			for at := range len(plain) + 1 {
				if got := quote.SkipPlain([]byte(text), at); got != want {
					t.Fatalf("%q from %d: %d, want %d", text, at, got, want)
				}
			}
		}
	}
	if got := quote.SkipPlain([]byte("no such byte"), 3); got != 12 {
		t.Error(got)
	}
}

// A text is encoded as package json does, whichever way.
func TestEncoded(t *testing.T) {
	texts := []string{"", "plain", "a \"b\"", "é", "<a&b>", "\u2028", "a\u2029b", "\xff\xff", "\xe2\x80", "😀"}
	for c := range rune(128) {
		texts = append(texts, string(c))
	}
	for _, text := range texts {
		want, err := quote.Encode(text)
		if got := quote.Encoded(text); err != nil || string(got) != string(want) {
			t.Errorf("%q: %s, want %s, %v", text, got, want, err)
		}
	}
}
