package diag

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSafeFixes(t *testing.T) {
	findings := []Finding{
		{},
		{Fixes: []Fix{{Title: "a", Kind: Unsafe}, {Title: "b", Kind: Safe}, {Title: "c", Kind: Safe}}},
		{Fixes: []Fix{{Title: "d", Kind: Display}}},
		{Fixes: []Fix{{Title: "e", Kind: Safe}}},
	}
	if d := cmp.Diff([]Fix{{Title: "b", Kind: Safe}, {Title: "e", Kind: Safe}}, SafeFixes(findings)); d != "" {
		t.Error(d)
	}
}

func TestApply(t *testing.T) {
	one := func(start, end int, text string) Fix { return Fix{Edits: []Edit{{start, end, text}}} }
	for _, tt := range []struct {
		name, text string
		fixes      []Fix
		want       string
		made       int
	}{
		{"none", "abc", nil, "abc", 0},
		{"one without edits", "abc", []Fix{{Title: "x"}}, "abc", 0},
		{"not in order", "abc", []Fix{one(2, 3, "C"), one(0, 1, "A")}, "AbC", 2},
		{"edits not in order", "abc", []Fix{{Edits: []Edit{{2, 3, "C"}, {0, 1, "A"}}}}, "AbC", 1},
		{"overlap: the first by place", "abcd", []Fix{one(1, 3, "2"), one(0, 2, "1")}, "1cd", 1},
		{"the same place twice", "abc", []Fix{one(1, 2, "x"), one(1, 2, "y")}, "axc", 1},
		{"whole or not at all", "abcd", []Fix{one(0, 2, "1"), {Edits: []Edit{{1, 2, "x"}, {3, 4, "D"}}}}, "1cd", 1},
		{"around another", "'a\"b'", []Fix{{Edits: []Edit{{0, 1, "\""}, {4, 5, "\""}}}, one(2, 2, "\\")}, "\"a\\\"b\"", 2},
		{"next to each other", "abcd", []Fix{one(2, 4, "2"), one(0, 2, "1")}, "12", 2},
		{"insertions at one place", "ab", []Fix{one(1, 1, "x"), one(1, 1, "y")}, "axyb", 2},
		{"insertion before what is replaced", "ab", []Fix{one(1, 2, "B"), one(1, 1, "x")}, "axB", 2},
		{"insertion into what is replaced", "abc", []Fix{one(0, 3, "x"), one(1, 1, "y")}, "x", 1},
		{"insertion into what is removed", "abc", []Fix{one(1, 1, "y"), one(0, 3, "")}, "", 1},
		{"at the ends", "abc", []Fix{one(3, 3, ">"), one(0, 0, "<")}, "<abc>", 2},
		{"in an empty text", "", []Fix{one(0, 0, "x")}, "x", 1},
		{"invalid UTF-8 stays", "\xff\xe2a\x96", []Fix{one(2, 3, "b")}, "\xff\xe2b\x96", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, made, err := Apply(tt.text, tt.fixes)
			if got != tt.want || made != tt.made || err != nil {
				t.Errorf("Apply = %q, %d, %v; want %q, %d", got, made, err, tt.want, tt.made)
			}
		})
	}
}

func TestApplyErrors(t *testing.T) {
	for _, edits := range [][]Edit{
		{{-1, 1, "x"}}, {{0, 4, "x"}}, {{4, 4, "x"}}, {{2, 1, "x"}}, {{0, 2, "x"}, {1, 3, "y"}}, {{0, 2, "x"}, {1, 1, "y"}},
	} {
		got, made, err := Apply("abc", []Fix{{Edits: []Edit{{0, 1, "A"}}}, {Title: "t", Edits: edits}})
		if got != "abc" || made != 0 || err == nil {
			t.Errorf("Apply %v = %q, %d, %v; want the text and an error", edits, got, made, err)
		}
	}
}

// Bytes outside the fixes are kept, and a single fix is always applied in full.
func TestApplyAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abcé\"")), 0, 30, -1).Draw(t, "text")
		fixes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Fix {
			start := rapid.IntRange(0, len(text)).Draw(t, "start")
			return Fix{Edits: []Edit{{start, rapid.IntRange(start, len(text)).Draw(t, "end"), "XY"}}}
		}), 1, 8).Draw(t, "fixes")
		touched := make([]bool, len(text))
		for _, f := range fixes {
			for at := f.Edits[0].Start; at < f.Edits[0].End; at++ {
				touched[at] = true
			}
		}
		want := ""
		for at, gone := range touched {
			if !gone {
				want += text[at : at+1]
			}
		}
		got, made, err := Apply(text, fixes)
		if err != nil || made < 1 || made > len(fixes) {
			t.Fatalf("Apply = %q, %d, %v", got, made, err)
		}
		for at := 0; len(want) > 0 && at < len(got); at++ {
			if got[at] == want[0] {
				want = want[1:]
			}
		}
		if want != "" {
			t.Errorf("%q is lost in %q", want, got)
		}
	})
}
