package dialect

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/literal"
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

// An endsKey is what the marks depend on that end literals, or a frame of them.
type endsKey struct {
	row     *Dialect  // of the frame; nil where there is none, or its marks do not count
	json    bool      // it holds JSON
	fence   string    // the run that closes the fence around it
	marks   *markList // that end it, instead of those of the dialect
	mode    Reasoning
	inside  bool     // reasoning
	wrapper *wrapper // of that
}

// ends are marks that end literals, or a frame of them.
type ends struct {
	texts []string       // in the frame
	first [256]bool      // the bytes that these begin with
	stops *literal.Stops // in its literals
}

// A lastEnds is what was needed last, for frames of the same kind come one after the
// other.
type lastEnds struct {
	of  *markSet
	key endsKey
	*ends
}

// endsOf returns the marks that end literals in frames of a kind.
func (s *Scanner) endsOf(key endsKey) *ends {
	key.mode, key.inside, key.wrapper = s.thinking.mode, s.thinking.inside, s.thinking.wrapper
	if last := &s.lastEnds; last.of != s.marks || last.key != key {
		*last = lastEnds{s.marks, key, s.madeEnds(key)}
	}
	return s.lastEnds.ends
}

// madeEnds returns the marks, which are made once.
func (s *Scanner) madeEnds(key endsKey) *ends {
	return s.marks.ended.get(key, func() *ends {
		e := &ends{texts: s.literalEnds()}
		switch {
		case key.marks != nil:
			e.texts = slices.Concat(key.marks.texts, e.texts)
		case key.row != nil:
			e.texts = unique(key.row.framing.closes, e.texts)
		}
		all := e.texts
		if key.json {
			all = append(key.row.stops(), all...)
		}
		e.stops = literal.NewStops(all...)
		if key.fence != "" {
			e.texts = append(slices.Clip(e.texts), key.fence)
		}
		for _, text := range e.texts {
			e.first[text[0]] = true
		}
		return e
	})
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
