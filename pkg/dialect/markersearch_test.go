package dialect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oneshot/pkg/ahocorasick"
)

// A hit is a match: the index of the text in the set, and the offset after it.
type hit struct{ text, end int }

// searched returns the matches of a search that reads pieces of a size.
func searched(texts []string, text string, size int) (hits []hit) {
	s := search{Automaton: ahocorasick.New(texts, nil)}
	for at := 0; at < len(text); {
		n, found, _ := s.findNext([]byte(text[at:min(len(text), at+size)]))
		if at += n; found >= 0 {
			at -= s.beyond
			hits = append(hits, hit{found, at})
		}
	}
	return hits
}

// expected returns the expected matches: from each offset on, the text that ends first.
func expected(texts []string, text string) (hits []hit) {
	from := 0
	for end := 1; end <= len(text); end++ {
		for i, t := range texts {
			if strings.HasSuffix(text[from:end], t) {
				hits = append(hits, hit{i, end})
				from = end
				break
			}
		}
	}
	return hits
}

// TestSearch checks that a search misses no text, for any piece size.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var texts []string
		for _, text := range rapid.SliceOfN(rapid.StringMatching(`[ab<]{1,4}`), 1, 5).Draw(rt, "texts") {
			apart := func(other string) bool { return !strings.Contains(other, text) && !strings.Contains(text, other) }
			if !slices.ContainsFunc(texts, func(other string) bool { return !apart(other) }) {
				texts = append(texts, text)
			}
		}
		text := rapid.StringMatching(`[ab<xyz]{0,40}`).Draw(rt, "text")
		want := expected(texts, text)
		for _, size := range []int{1, 2, 3, 8, 40} {
			if got := searched(texts, text, size); !slices.Equal(got, want) {
				t.Fatalf("%q in %q, pieces of %d: %v, want %v", texts, text, size, got, want)
			}
		}
	})
}

// TestSearchInside checks that a text inside a longer one is found if the longer one is not completed.
func TestSearchInside(t *testing.T) {
	texts := []string{"call:", "<tool_call:begin>"}
	for text, want := range map[string][]hit{
		"<tool_call:begin>call:":     {{1, 17}, {0, 22}},
		"<tool_call:begun>":          {{0, 11}},
		"<tool_call:f call:":         {{0, 11}, {0, 18}},
		"<tool_call:b<tool_call:beg": {{0, 11}},
	} {
		for size := 1; size <= len(text); size++ {
			if got := searched(texts, text, size); !slices.Equal(got, want) {
				t.Errorf("%q, pieces of %d: %v, want %v", text, size, got, want)
			}
		}
	}
}
