package ahocorasick_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oneshot/pkg/ahocorasick"
)

var few = []rune("ab-1.ö \x00")

// drawTexts draws different texts, and a text to search.
func drawTexts(t *rapid.T) (texts []string, in string) {
	texts = rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom(few), 1, 5, -1), 1, 6).Draw(t, "texts")
	return slices.Compact(slices.Sorted(slices.Values(texts))), rapid.StringOfN(rapid.RuneFrom(few), 0, 40, -1).Draw(t, "in")
}

// TestFindAll checks that the automaton finds the same occurrences as a search
// for each text in turn.
func TestFindAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, in := drawTexts(t)
		got, want := map[[3]int]bool{}, map[[3]int]bool{}
		ahocorasick.New(append(texts, ""), nil).FindAll(in, func(text, from, to int) { got[[3]int{text, from, to}] = true })
		for i, text := range texts {
			for from := range len(in) {
				if strings.HasPrefix(in[from:], text) {
					want[[3]int{i, from, from + len(text)}] = true
				}
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("found %v, want %v", got, want)
		}
	})
}

// TestPrefixes checks that the longest match at each end is the longest suffix that is a
// text, or a prefix of one with at least the minimum length.
func TestPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, in := drawTexts(t)
		least := rapid.SliceOfN(rapid.IntRange(1, 6), len(texts), len(texts)).Draw(t, "least")
		a := ahocorasick.New(texts, func(i int) int { return least[i] })
		at := ahocorasick.State(0)
		for end := 1; end <= len(in); end++ {
			longest, begun := 0, 0
			for i, text := range texts {
				for n := 1; n <= len(text); n++ {
					if strings.HasSuffix(in[:end], text[:n]) {
						begun = max(begun, n)
						if n >= least[i] || n == len(text) {
							longest = max(longest, n)
						}
					}
				}
			}
			at = a.Next(at, in[end-1])
			if got := a.Len(a.Match(at)); got != longest || a.Len(at) != begun {
				t.Errorf("%q in %q: a match of %d bytes and a beginning of %d, want %d and %d", texts, in[:end], got, a.Len(at), longest, begun)
			}
		}
	})
}

// TestSkip checks that no text begins in the skipped bytes.
func TestSkip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, in := drawTexts(t)
		a := ahocorasick.New(texts, nil)
		n := ahocorasick.Skip(a, in)
		if m := ahocorasick.Skip(a, []byte(in)); m != n || n > max(0, len(in)-1) {
			t.Fatalf("skips %d and %d bytes of %q", n, m, in)
		}
		for from := range n {
			for _, text := range texts {
				if rest := in[from:]; strings.HasPrefix(rest, text) || strings.HasPrefix(text, rest) {
					t.Fatalf("skips %q at %d of %q", text, from, in)
				}
			}
		}
	})
}

func ExampleAutomaton_FindAll() {
	texts := []string{"he", "she", "hers"}
	ahocorasick.New(texts, nil).FindAll("ushers", func(index, from, to int) { fmt.Println(texts[index], from, to) })
	// Output:
	// she 1 4
	// he 2 4
	// hers 2 6
}
