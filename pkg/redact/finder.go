package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A finder finds secrets in texts: whole ones, and good parts of them, which are their
// beginnings and their ends. It takes two passes for each way in which a text can be read.
type finder struct {
	forth *automaton
	back  *automaton // of the same texts from their ends
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

// holds reports whether a text holds a secret or a good part of one.
func (f *finder) holds(text string) bool {
	found := false
	stop := func(span) bool { found = true; return false }
	for _, v := range views(text) {
		if f.forth.scan(v.text, nil, stop, nil); !found {
			f.back.scan(reversed(v.text), nil, stop, nil)
		}
		if found {
			return true
		}
	}
	return false
}

// find returns where secrets stand in a text, in order and apart.
func (f *finder) find(text string) []span {
	var all []span
	for i, v := range views(text) {
		var cuts []span
		if i == 0 {
			cuts = cutsOf(text)
		}
		for _, s := range f.within(v.text, cuts) {
			all = append(all, v.origin(s))
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return joined(all)
}

// within returns where secrets stand in a text, and what is left of them where it was cut.
// They are in no order.
func (f *finder) within(text string, cuts []span) []span {
	var begins, ends []int
	for i := range cuts {
		begins, ends = append(begins, cuts[i].from), append(ends, len(text)-cuts[len(cuts)-1-i].to)
	}
	found, behind := f.forth.spans(text, begins), f.back.spans(reversed(text), ends)
	for _, s := range behind {
		found = append(found, span{len(text) - s.to, len(text) - s.from})
	}
	return found
}

// spans returns what an automaton finds in a text, and before the places of cuts.
func (a *automaton) spans(text string, cuts []int) []span {
	var found, parts []span
	a.scan(text, cuts, collect(&found), func(at, n int) {
		if n >= Shortest {
			parts = append(parts, span{at - n, at})
		}
	})
	return append(found, parts...)
}

// collect returns a function that appends spans, which come in the order of their ends, and
// makes one of those that overlap.
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

// joined makes one of spans that overlap. They are in the order of their beginnings.
func joined(all []span) []span {
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

// cutHere is how tools say that a text was cut.
const cutHere = "\n[cut here"

// cutsOf returns where a text says that something was left out: dots, an ellipsis, stars,
// or words.
func cutsOf(text string) []span {
	var out []span
	for i := 0; i < len(text); {
		n := dots(text[i:])
		if strings.HasPrefix(text[i:], cutHere) {
			n = len(cutHere)
		}
		if n >= len(Mask) {
			out = append(out, span{i, i + n})
		}
		i += max(n, 1)
	}
	return out
}

// dots returns how many bytes of dots or stars a text begins with.
func dots(text string) int {
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
