package report

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "漢字": 4, "e\u0301x": 2, "a…b": 3} {
		if got := Columns(text); got != want {
			t.Errorf("%q: %d columns, want %d", text, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"", ""}, {"abcdef", "abcd|ef"}, {"a bcdef", "a bc|def"}, {"abc def", "abc |def"}, {"ab cd ef", "ab |cd |ef"}, {"漢字漢", "漢字|漢"}, {"    x", "    |x"}, {"漢", "漢"},
	} {
		if got := strings.Join(Wrap(c.text, 4), "|"); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abcd": "abcd", "abcde": "abc…", "漢字": "漢字", "漢字漢": "漢…", "abc漢": "abc…",
		"e\u0301e\u0301e\u0301e\u0301": "e\u0301e\u0301e\u0301e\u0301", "e\u0301e\u0301e\u0301e\u0301e": "e\u0301e\u0301e\u0301…",
	} {
		if got := Cut(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	marks := strings.Repeat("\u0301", maxMarks)
	for text, want := range map[string]string{
		"a" + marks: "a" + marks, "a" + marks + "\u0301b": "a" + marks + "…", marks + "\u0301": marks + "…", "abcd" + marks + "\u0301": "abc…",
	} {
		if got := Cut(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
