package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// postings say which texts hold a term: entries of its hash and the text's number, in sorted runs of which each
// is more than twice as long as the next. A text is added in amortised logarithmic time, and a run never
// changes, so that copies share it. Equal hashes of two terms only make for more candidates.
type postings [][]uint64

// add adds the terms of the text of a number, which is larger than those before.
func (p *postings) add(text int, terms map[uint32]struct{}) {
	entries := make([]uint64, 0, len(terms))
	for term := range terms {
		entries = append(entries, uint64(term)<<32|uint64(text))
	}
	slices.Sort(entries)
	levels := slices.Clone(*p)
	for len(levels) > 0 && len(levels[len(levels)-1]) <= 2*len(entries) {
		entries = merged(levels[len(levels)-1], entries)
		levels = levels[:len(levels)-1]
	}
	*p = append(levels, entries)
}

// merged returns two sorted runs as one.
func merged(a, b []uint64) []uint64 {
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

// entriesOf returns the part of a run that is about a term, in texts numbered from first to last.
func entriesOf(run []uint64, term uint32, first, last int) []uint64 {
	from, _ := slices.BinarySearch(run, uint64(term)<<32|uint64(first))
	to, _ := slices.BinarySearch(run, uint64(term)<<32+uint64(last)+1)
	return run[from:to]
}

// has reports whether one of the texts from first to last holds a term.
func (p postings) has(term uint32, first, last int) bool {
	return slices.ContainsFunc(p, func(run []uint64) bool { return len(entriesOf(run, term, first, last)) > 0 })
}

// hasAll reports whether the texts from first to last together hold all of some terms.
func (p postings) hasAll(terms []uint32, first, last int) bool {
	return !slices.ContainsFunc(terms, func(term uint32) bool { return !p.has(term, first, last) })
}

// rarest returns the numbers of the texts, of which there are n, that hold the term that the fewest do.
func (p postings) rarest(terms []uint32, n int) (texts []int) {
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

// termHash returns the hash of a term, which is FNV-1a.
func termHash(term []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range term {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// addWords adds the words of a text, as [wordsOf] returns them.
func addWords(to map[uint32]struct{}, words []byte) {
	for word := range bytes.FieldsSeq(words) {
		to[termHash(word)] = struct{}{}
	}
}

// anchors are characters of which every way of writing a call has one. A tight text is indexed by them, each
// with the bytes before it.
const (
	anchors      = "(:=>{"
	beforeAnchor = 3
)

// addAnchors adds the terms by which a tight text is indexed.
func addAnchors(to map[uint32]struct{}, tight []byte) {
	for i := beforeAnchor; i < len(tight); i++ {
		if strings.IndexByte(anchors, tight[i]) >= 0 {
			to[^termHash(tight[i-beforeAnchor:i+1])] = struct{}{}
		}
	}
}

// termsOf returns the terms that a function adds.
func termsOf(add func(map[uint32]struct{}, []byte), texts ...[]byte) []uint32 {
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
