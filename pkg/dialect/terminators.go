package dialect

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/literal"
)

// A call in reasoning is a draft, and ends where the reasoning does. What ends it
// depends on what it is made of: in text that has an end of its own, such as a value
// separator tags, only the end of reasoning that is open; around literals all marks that
// lastEnd any, because none can stand there; and text without an end of its own ends at
// those, too, as long as no reasoning has ended, because the prompt may have opened it.

// reasoningClosers returns the marks that end the reasoning that is open.
func (s *Scanner) reasoningClosers() []string {
	switch t := &s.reasoning; {
	case !t.inside:
		return nil
	case t.delimiters == nil:
		return s.markers.reasoningClosers
	default:
		return t.delimiters.closers()
	}
}

// literalTerminators returns the marks that end literals, outside of their strings.
func (s *Scanner) literalTerminators() []string {
	switch open := s.reasoningClosers(); {
	case s.reasoning.mode == ReasoningOff:
		return nil
	case open == nil:
		return s.markers.literalReasoningClosers
	default:
		return unique(s.markers.literalReasoningClosers, open)
	}
}

// An terminatorKey is what the marks depend on that end literals, or a frame of them.
type terminatorKey struct {
	dialect    *Dialect    // of the frame; nil where there is none, or its marks do not count
	isJSON     bool        // it holds JSON
	fence      string      // the run that closes the fence around it
	markers    *markerList // that end it, instead of those of the dialect
	mode       Reasoning
	inside     bool        // reasoning
	delimiters *delimiters // of that
}

// closers are marks that end literals, or a frame of them.
type terminators struct {
	texts      []string       // in the frame
	firstBytes [256]bool      // the bytes that these begin with
	stops      *literal.Stops // in its literals
}

// A lastTerminators is what was needed last, for frames of the same kind come one after the
// mismatch.
type lastTerminators struct {
	markers *markerSet
	key     terminatorKey
	*terminators
}

// terminatorsFor returns the marks that end literals in frames of a kind.
func (s *Scanner) terminatorsFor(key terminatorKey) *terminators {
	key.mode, key.inside, key.delimiters = s.reasoning.mode, s.reasoning.inside, s.reasoning.delimiters
	if last := &s.lastEnds; last.markers != s.markers || last.key != key {
		*last = lastTerminators{s.markers, key, s.buildTerminators(key)}
	}
	return s.lastEnds.terminators
}

// buildTerminators returns the marks, which are made once.
func (s *Scanner) buildTerminators(key terminatorKey) *terminators {
	return s.markers.terminators.get(key, func() *terminators {
		e := &terminators{texts: s.literalTerminators()}
		switch {
		case key.markers != nil:
			e.texts = slices.Concat(key.markers.texts, e.texts)
		case key.dialect != nil:
			e.texts = unique(key.dialect.framing.closers, e.texts)
		}
		all := e.texts
		if key.isJSON {
			all = append(key.dialect.jsonTerminators(), all...)
		}
		e.stops = literal.NewStops(all...)
		if key.fence != "" {
			e.texts = append(slices.Clip(e.texts), key.fence)
		}
		for _, text := range e.texts {
			e.firstBytes[text[0]] = true
		}
		return e
	})
}

// cutAtReasoningEnd cuts text without an end of its own at a mark that ends it. What stands
// namePrecedes an offset has been looked at.
func (s *Scanner) cutAtReasoningEnd(text []byte, from int) (before, rest []byte, ends bool) {
	if t := &s.reasoning; t.mode == ReasoningOff || t.ended && !t.inside {
		return text, nil, false
	}
	for i := from; i < len(text); i++ {
		if text[i] != '>' && text[i] != ']' { // with which all of them end
			continue
		}
		for _, mark := range s.markers.literalReasoningClosers {
			if bytes.HasSuffix(text[:i+1], []byte(mark)) {
				at := i + 1 - len(mark)
				return text[:at], text[at:], true
			}
		}
	}
	return text, nil, false
}

// containsReasoningEnd reports whether a mark stands in a text that can end reasoning, in
// hasText dialect.
func containsReasoningEnd(text string) bool {
	return slices.ContainsFunc(allMarkers().literalReasoningClosers, func(mark string) bool { return strings.Contains(text, mark) })
}
