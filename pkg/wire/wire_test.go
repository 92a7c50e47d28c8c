package wire_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"oneshot/pkg/wire"
)

func TestErrorText(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"error":"model 'x' not found"}`, "model 'x' not found"},
		{`{"error":{"message":"slow down","type":"limit","code":"insufficient_quota"}}`, "slow down [insufficient_quota]"},
		{`{"error":{"message":"slow down","code":null}}`, "slow down"},
		{`{"error":{"message":"code 429","code":429}}`, "code 429"},
		{`{"error":{"detail":"own form"}}`, `{"detail":"own form"}`},
		{`{"message":"gateway says no"}`, "gateway says no"},
		{`{"error":null}`, `{"error":null}`},
		{`{"error":["a"]}`, `["a"]`},
		{`{"error":"cut of`, `{"error":"cut of`},
		{"{\n  \"error\": \"two\\nlines\"\n}\n", "two\nlines"},
		{" 405 method not allowed\n", "405 method not allowed"},
		{"<html>\n<h1>502</h1>\n</html>", "<html>\n<h1>502</h1>\n</html>"},
		{"", ""},
	} {
		if got := wire.ErrorText([]byte(tt.body)); got != tt.want {
			t.Errorf("ErrorText(%q) = %q, want %q", tt.body, got, tt.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain “text”", "plain “text”"},
		{"two\nlines\tand a tab", "two lines and a tab"},
		{"\x1b[31mred\x00\xff", "\ufffd[31mred\ufffd\ufffd"},
	} {
		if got := wire.Excerpt(tt.text); got != tt.want {
			t.Errorf("Excerpt(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	long := wire.Excerpt(strings.Repeat("ü", 1000))
	if !strings.HasSuffix(long, "…") || len(long) > 420 || !utf8.ValidString(long) {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}
