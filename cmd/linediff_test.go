package cmd

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A diff contains all lines of both texts, in order.
func TestLineDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}))
		old, text := lines.Draw(t, "old"), lines.Draw(t, "new")
		var was, is []string
		for _, l := range lineDiff(old, text) {
			if l.op != '+' {
				was = append(was, l.text)
			}
			if l.op != '-' {
				is = append(is, l.text)
			}
		}
		if !slices.Equal(was, old) || !slices.Equal(is, text) {
			t.Fatalf("%q and %q become %q and %q", old, text, was, is)
		}
	})
	for _, c := range []struct{ old, text, want string }{
		{"", "", ""},
		{"", "a\n", "+ a\n"},
		{"a\n", "", "- a\n"},
		{"a\n", "a", "- a\n+ a (no newline at the end)\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\nx\n8\n9\n", "@ 3 unchanged lines\n  4\n  5\n  6\n- 7\n+ x\n  8\n  9\n"},
		{"a\nb\nc\n", "c\na\nb\n", "+ c\n  a\n  b\n- c\n"},
	} {
		if got := diffText(collapseUnchanged(lineDiff(textLines(c.old), textLines(c.text)))); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.text, got, c.want)
		}
	}
}

// The time for a diff does not grow quadratically, even if all lines are equal or in reverse order.
func TestLineDiffIsLinear(t *testing.T) {
	const n = 200_000
	same := slices.Repeat([]string{"x"}, n)
	counted := make([]string, n)
	for i := range counted {
		counted[i] = strings.Repeat("i", i%7) + string(rune('a'+i%26)) + strings.Repeat("j", i%11) + time.Duration(i).String()
	}
	reversed := slices.Clone(counted)
	slices.Reverse(reversed)
	begin := time.Now()
	for _, pair := range [][2][]string{{same, counted}, {counted, same}, {counted, reversed}, {same, same[1:]}} {
		lineDiff(pair[0], pair[1])
	}
	if took := time.Since(begin); took > time.Minute { // a quadratic diff takes several
		t.Errorf("it took %v", took)
	}
}
