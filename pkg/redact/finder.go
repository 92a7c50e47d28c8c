package redact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/ahocorasick"
)

// A finder finds secrets in texts: whole secrets, and long prefixes and suffixes of them. It makes two
// passes over each reading of a text.
type finder struct {
	forward, backward *ahocorasick.Automaton
	grams             func() map[gram]bool // of all texts
}

func newFinder(values []value) *finder {
	halved := map[string]bool{} // whether halves of a text match
	for _, v := range values {
		for text, halves := range spellings(v) {
			halved[text] = halved[text] || halves
		}
	}
	texts := slices.Collect(maps.Keys(halved))
	backward := make([]string, len(texts))
	for i, text := range texts {
		backward[i] = string(reversed(text))
	}
	minPrefix := func(i int) int {
		if !halved[texts[i]] {
			return len(texts[i])
		}
		return max(minPartLen, (len(texts[i])+1)/2)
	}
	return &finder{
		ahocorasick.New(texts, minPrefix), ahocorasick.New(backward, minPrefix),
		sync.OnceValue(func() map[gram]bool { return gramsOf(texts) }),
	}
}

// minPartLen is the minimum length in bytes of a matching prefix. It must also be half of the text.
const minPartLen = 12

func reversed(text string) []byte {
	b := []byte(text)
	slices.Reverse(b)
	return b
}

// contains reports whether a text contains a secret or a long part of one.
func (f *finder) contains(text string) bool {
	found := false
	stop := func(span) bool { found = true; return false }
	for _, v := range views(text) {
		if scan(f.forward, v.text, nil, stop, nil); !found {
			scan(f.backward, reversed(v.text), nil, stop, nil)
		}
		if found {
			return true
		}
	}
	return false
}

// scan calls hit with the longest match at each end in a text, in order, until hit returns false. For each of the
// given places, in order, it calls cut with the longest span before the place that equals the beginning of a text of
// the automaton, if it has at least [MinLength] bytes.
func scan[T string | []byte](a *ahocorasick.Automaton, text T, places []int, hit func(span) bool, cut func(span)) {
	at := ahocorasick.State(0)
	for i := 0; i < len(text); i++ {
		if at == 0 {
			i += ahocorasick.Skip(a, text[i:])
		}
		for ; len(places) > 0 && places[0] <= i; places = places[1:] {
			if n := a.Len(at); n >= MinLength {
				cut(span{i - n, i})
			}
		}
		at = a.Next(at, text[i])
		if m := a.Match(at); m != 0 && !hit(span{i + 1 - a.Len(m), i + 1}) {
			return
		}
	}
}

// find returns the spans of secrets in a text, sorted and disjoint.
func (f *finder) find(text string) []span { return f.findInContinuation("", text) }

// findInContinuation is find for a text that follows another one. No secret is in both.
func (f *finder) findInContinuation(before, text string) []span {
	var all []span
	for i, v := range views(text) {
		if i > 0 {
			for _, s := range f.findIn(v.text, nil) {
				all = append(all, v.originalSpan(s))
			}
			continue
		}
		whole := before + text
		for _, s := range f.findIn(whole, findEllipses(whole)) {
			if s.from >= len(before) {
				all = append(all, span{s.from - len(before), s.to - len(before)})
			}
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return mergeSpans(all)
}

// findIn returns the spans of secrets in one reading of a text, including parts next to cuts, unsorted.
func (f *finder) findIn(text string, cuts []span) []span {
	var begins, ends []int
	for i := range cuts {
		begins, ends = append(begins, cuts[i].from), append(ends, len(text)-cuts[len(cuts)-1-i].to)
	}
	found, behind := spansIn(f.forward, text, begins), spansIn(f.backward, reversed(text), ends)
	for _, s := range behind {
		found = append(found, span{len(text) - s.to, len(text) - s.from})
	}
	return found
}

// spansIn returns the matches of an automaton in a text, and partial matches before cuts.
func spansIn[T string | []byte](a *ahocorasick.Automaton, text T, cuts []int) []span {
	var found, parts []span
	scan(a, text, cuts, mergingCollector(&found), func(s span) { parts = append(parts, s) })
	return append(found, parts...)
}

// mergingCollector returns a function that appends spans, sorted by their ends, and merges overlapping ones.
func mergingCollector(to *[]span) func(span) bool {
	return func(s span) bool {
		for len(*to) > 0 && (*to)[len(*to)-1].to > s.from {
			s.from = min(s.from, (*to)[len(*to)-1].from)
			*to = (*to)[:len(*to)-1]
		}
		*to = append(*to, s)
		return true
	}
}

// mergeSpans merges overlapping spans, which are sorted by their beginnings.
func mergeSpans(all []span) []span {
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// truncationNote begins the note that tools append to truncated text.
const truncationNote = "\n[cut here"

// findEllipses returns the marks of omitted text: dots, an ellipsis, stars, or a truncation note.
func findEllipses(text string) []span {
	var out []span
	for i := 0; i < len(text); {
		n := ellipsisLen(text[i:])
		if text[i] == truncationNote[0] && strings.HasPrefix(text[i:], truncationNote) {
			n = len(truncationNote)
		}
		if n >= len(Mask) {
			out = append(out, span{i, i + n})
		}
		i += max(n, 1)
	}
	return out
}

// ellipsisLen returns the number of bytes of dots or stars at the beginning of a text.
func ellipsisLen(text string) int {
	n := 0
	for n < len(text) {
		switch {
		case text[n] == '.' || text[n] == '*':
			n++
		case strings.HasPrefix(text[n:], "…"):
			n += len("…")
		default:
			return n
		}
	}
	return n
}
