package echo

import (
	"bytes"
	"slices"
	"strings"
)

// postings map terms to the texts that contain them: entries of term hash and text number, in sorted runs, each
// more than twice as long as the next. Adding a text takes amortised logarithmic time, and runs are immutable,
// so copies share them. Hash collisions only add candidates.
type postings [][]uint64

// add adds the terms of a text, whose number must exceed all earlier ones.
func (p *postings) add(text int, terms map[uint32]struct{}) {
	entries := make([]uint64, 0, len(terms))
	for term := range terms {
		entries = append(entries, uint64(term)<<32|uint64(text))
	}
	slices.Sort(entries)
	levels := slices.Clone(*p)
	for len(levels) > 0 && len(levels[len(levels)-1]) <= 2*len(entries) {
		entries = mergeRuns(levels[len(levels)-1], entries)
		levels = levels[:len(levels)-1]
	}
	*p = append(levels, entries)
}

// mergeRuns merges two sorted runs.
func mergeRuns(a, b []uint64) []uint64 {
	all := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// entriesOf returns the entries of a run for a term in texts first to last.
func entriesOf(run []uint64, term uint32, first, last int) []uint64 {
	from, _ := slices.BinarySearch(run, uint64(term)<<32|uint64(first))
	to, _ := slices.BinarySearch(run, uint64(term)<<32+uint64(last)+1)
	return run[from:to]
}

// has reports whether one of the texts first to last contains a term.
func (p postings) has(term uint32, first, last int) bool {
	return slices.ContainsFunc(p, func(run []uint64) bool { return len(entriesOf(run, term, first, last)) > 0 })
}

// hasAllInRange reports whether the texts first to last together contain all terms.
func (p postings) hasAllInRange(terms []uint32, first, last int) bool {
	return !slices.ContainsFunc(terms, func(term uint32) bool { return !p.has(term, first, last) })
}

// textsWithRarestTerm returns the texts, out of n, that contain the rarest of some terms.
func (p postings) textsWithRarestTerm(terms []uint32, n int) (texts []int) {
	count := func(term uint32) (sum int) {
		for _, run := range p {
			sum += len(entriesOf(run, term, 0, n-1))
		}
		return sum
	}
	slices.SortFunc(terms, func(a, b uint32) int { return count(a) - count(b) })
	for _, run := range p {
		for _, entry := range entriesOf(run, terms[0], 0, n-1) {
			texts = append(texts, int(uint32(entry)))
		}
	}
	slices.Sort(texts)
	return texts
}

// termHash is FNV-1a.
func termHash(term []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range term {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// addWords adds the words of a text in the form of [wordsOf].
func addWords(to map[uint32]struct{}, words []byte) {
	for word := range bytes.FieldsSeq(words) {
		to[termHash(word)] = struct{}{}
	}
}

// anchors are characters, at least one of which occurs in every notation of a call. Text without spaces is
// indexed by each anchor and the bytes before it.
const (
	anchors       = "(:=>{"
	anchorContext = 3
)

// addAnchors adds the anchor terms of a text without spaces.
func addAnchors(to map[uint32]struct{}, tight []byte) {
	for i := anchorContext; i < len(tight); i++ {
		if strings.IndexByte(anchors, tight[i]) >= 0 {
			to[^termHash(tight[i-anchorContext:i+1])] = struct{}{}
		}
	}
}

// collectTerms returns the terms that add produces.
func collectTerms(add func(map[uint32]struct{}, []byte), texts ...[]byte) []uint32 {
	all := map[uint32]struct{}{}
	for _, text := range texts {
		add(all, text)
	}
	terms := make([]uint32, 0, len(all))
	for term := range all {
		terms = append(terms, term)
	}
	return terms
}
