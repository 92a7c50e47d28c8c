package dialect

import "bytes"

// Text without an end of its own ends where the reasoning does in which it stands:
// it is a draft, and what follows the mark is the answer. As long as no reasoning
// has ended, all that has been read may be some that the prompt has opened.

// draftEnds looks for a mark that ends reasoning in text, of which what stands
// before an offset has been looked at. It returns the bytes of the mark, 0 if there
// is none, and the offset behind it.
func (s *Scanner) draftEnds(text []byte, from int) (size, behind int) {
	if s.thinking.ended && !s.thinking.inside {
		return 0, 0
	}
	for i := from; i < len(text); i++ {
		if text[i] != '>' && text[i] != ']' { // with which all of them end
			continue
		}
		for _, mark := range s.thoughts() {
			if bytes.HasSuffix(text[:i+1], []byte(mark)) {
				return len(mark), i + 1
			}
		}
	}
	return 0, 0
}
