package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// A call in reasoning is a draft, and ends where the reasoning does. What ends it
// depends on what it is made of: in text that has an end of its own, such as a value
// between tags, only the end of reasoning that is open; around literals all marks that
// end any, because none can stand there; and text without an end of its own ends at
// those, too, as long as no reasoning has ended, because the prompt may have opened it.

// openEnds returns the marks that end the reasoning that is open.
func (s *Scanner) openEnds() []string {
	switch t := &s.thinking; {
	case !t.inside:
		return nil
	case t.wrapper == nil:
		return s.marks.ends
	default:
		return t.wrapper.ends()
	}
}

// literalEnds returns the marks that end literals, outside of their strings.
func (s *Scanner) literalEnds() []string {
	switch open := s.openEnds(); {
	case s.thinking.mode == ReasoningOff:
		return nil
	case open == nil:
		return s.marks.thoughts
	default:
		return unique(s.marks.thoughts, open)
	}
}

// frameEnds returns the marks that end a frame of literals in a dialect: those, and
// what closes the frame.
func (s *Scanner) frameEnds(row *Dialect) []string {
	return unique(row.framing.closes, s.literalEnds())
}

// cutDraft cuts text without an end of its own at a mark that ends it. What stands
// before an offset has been looked at.
func (s *Scanner) cutDraft(text []byte, from int) (before, rest []byte, ends bool) {
	if t := &s.thinking; t.mode == ReasoningOff || t.ended && !t.inside {
		return text, nil, false
	}
	for i := from; i < len(text); i++ {
		if text[i] != '>' && text[i] != ']' { // with which all of them end
			continue
		}
		for _, mark := range s.marks.thoughts {
			if bytes.HasSuffix(text[:i+1], []byte(mark)) {
				at := i + 1 - len(mark)
				return text[:at], text[at:], true
			}
		}
	}
	return text, nil, false
}

// endsReasoning reports whether a mark stands in a text that can end reasoning, in
// any dialect.
func endsReasoning(text string) bool {
	return slices.ContainsFunc(everyMark().thoughts, func(mark string) bool { return strings.Contains(text, mark) })
}
