package echo

import "slices"

// In a long run a call is searched for only in texts that contain all its words, or all anchors of its text. The
// index finds those texts without reading the others.

// candidateTexts returns the indices of the texts that may contain the text of the call.
func (h *SeenText) candidateTexts(e *echo) []int {
	if len(e.text) == 0 {
		return nil
	}
	terms := collectTerms(addAnchors, e.text)
	if len(terms) == 0 { // too short
		return h.allTexts()
	}
	return slices.DeleteFunc(h.index.textsWithRarestTerm(terms, len(h.texts)), func(i int) bool { return !h.index.hasAllInRange(terms, i, i) })
}

func (h *SeenText) allTexts() []int {
	all := make([]int, len(h.texts))
	for i := range all {
		all[i] = i
	}
	return all
}

// requiredWords returns word lists. A text that mentions the call contains all words of one list. See
// [echo.matchedArgs].
func (e *echo) requiredWords() (lists [][]uint32) {
	if len(e.name) <= 1 {
		return nil
	}
	needed := [][]byte{e.name}
	var others [][][]byte
	for _, p := range e.args {
		switch {
		case len(p.values)+len(p.symbols) == 0:
		case p.required:
			needed = append(needed, p.valueWordLists()...)
		default:
			others = append(others, append(p.valueWordLists(), e.name))
		}
	}
	if slices.ContainsFunc(e.args, func(p *echoArg) bool { return p.required && len(p.values)+len(p.symbols) > 0 }) {
		others = [][][]byte{needed}
	}
	for _, words := range others {
		lists = append(lists, collectTerms(addWords, words...))
	}
	return lists
}

// valueWordLists returns the value words that a text must contain to mention the argument. Values with escapes are
// omitted.
func (p *echoArg) valueWordLists() (all [][]byte) {
	for _, v := range p.values {
		if len(v.decoded) <= 1 {
			all = append(all, v.words)
		}
	}
	return all
}

// canMatchUnordered reports whether a text can describe the call in any order and distance: see [echo.isDescribed].
func (e *echo) canMatchUnordered() bool {
	distinctive := 0
	for _, p := range e.args {
		if p.required && p.weight >= minDistinctive {
			distinctive++
		}
	}
	return !e.readOnly || distinctive >= 2
}

// candidateTextsByWords returns the indices of the texts that may mention the call alone, and of those that may mention
// it together with the text before them.
func (h *SeenText) candidateTextsByWords(e *echo, counts func(*indexedText) bool) (alone, across []int) {
	reach := e.canMatchUnordered()
	tried := map[int]bool{}
	for _, words := range e.requiredWords() {
		for _, i := range h.index.textsWithRarestTerm(words, len(h.texts)) {
			if h.index.hasAllInRange(words, i, i) {
				alone = append(alone, i)
			}
			if !reach || !h.index.hasAllInRange(words, h.lastNearbyIndex(i, -1, counts), h.lastNearbyIndex(i, +1, counts)) {
				continue
			}
			for j := max(1, i); j <= h.lastNearbyIndex(i, +1, counts); j++ {
				if !tried[j] && h.index.hasAllInRange(words, h.lastNearbyIndex(j, -1, counts), j) {
					tried[j] = true
					across = append(across, j)
				}
			}
		}
	}
	return alone, across
}

// lastNearbyIndex returns the index of the last text before or after i that is at least partly within [nearby]
// bytes. Texts that do not count are skipped.
func (h *SeenText) lastNearbyIndex(i, step int, counts func(*indexedText) bool) int {
	for left := nearby; ; {
		next := i + step
		if next < 0 || next == len(h.texts) || left <= 0 {
			return i
		}
		i = next
		if t := h.texts[i]; counts(t) {
			left -= len(t.text)
		}
	}
}

// textBefore returns the last [nearby] bytes before text i, from the texts that count.
func (h *SeenText) textBefore(i int, counts func(*indexedText) bool) []byte {
	var texts []*indexedText
	for size := 0; i > 0 && size < nearby; {
		i--
		if t := h.texts[i]; counts(t) {
			texts, size = append(texts, t), size+len(t.text)+1
		}
	}
	var before []byte
	for _, t := range slices.Backward(texts) {
		before = joinedTail(before, t.text)
	}
	return before
}
