package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A finder finds secrets in texts: whole secrets, and long prefixes and suffixes of them. It makes two
// passes over each reading of a text.
type finder struct {
	forward  *automaton
	backward *automaton // of the reversed texts
}

func newFinder(values []value) *finder {
	texts, reverse := map[string]bool{}, map[string]bool{}
	for _, v := range values {
		for text, halves := range spellings(v) {
			texts[text] = texts[text] || halves
			reverse[reversed(text)] = texts[text]
		}
	}
	return &finder{newAutomaton(texts), newAutomaton(reverse)}
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}

// contains reports whether a text contains a secret or a long part of one.
func (f *finder) contains(text string) bool {
	found := false
	stop := func(span) bool { found = true; return false }
	for _, v := range views(text) {
		if f.forward.scan(v.text, nil, stop, nil); !found {
			f.backward.scan(reversed(v.text), nil, stop, nil)
		}
		if found {
			return true
		}
	}
	return false
}

// find returns the spans of secrets in a text, sorted and disjoint.
func (f *finder) find(text string) []span {
	var all []span
	for i, v := range views(text) {
		var cuts []span
		if i == 0 {
			cuts = findEllipses(text)
		}
		for _, s := range f.findIn(v.text, cuts) {
			all = append(all, v.origin(s))
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
	found, behind := f.forward.spans(text, begins), f.backward.spans(reversed(text), ends)
	for _, s := range behind {
		found = append(found, span{len(text) - s.to, len(text) - s.from})
	}
	return found
}

// spans returns the matches of an automaton in a text, and partial matches before cuts.
func (a *automaton) spans(text string, cuts []int) []span {
	var found, parts []span
	a.scan(text, cuts, collect(&found), func(at, n int) {
		if n >= MinLength {
			parts = append(parts, span{at - n, at})
		}
	})
	return append(found, parts...)
}

// collect returns a function that appends spans, sorted by their ends, and merges overlapping ones.
func collect(to *[]span) func(span) bool {
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
		if strings.HasPrefix(text[i:], truncationNote) {
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
