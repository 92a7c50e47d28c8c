package dialect

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/literal"
)

// A call in reasoning is a draft, and ends where the reasoning does. What ends it
// depends on what it is made of: in text that has an end of its own, such as a value
// between tags, only the end of reasoning that is open; around literals all markers that
// end any, because none can be there; and text without an end of its own ends at
// those as well, as long as no reasoning has ended, because the prompt may have opened it.

// reasoningClosers returns the markers that end the reasoning that is open.
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

// literalTerminators returns the markers that end literals, outside of their strings.
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

// A terminatorKey is what the markers depend on that end literals, or a frame of them.
type terminatorKey struct {
	dialect    *Dialect    // of the frame; nil where there is none, or its markers do not count
	isJSON     bool        // it holds JSON
	fence      string      // the run that closes the fence around it
	markers    *markerList // that end it, instead of those of the dialect
	mode       Reasoning
	inside     bool        // reasoning
	delimiters *delimiters // of that
}

// terminators are markers that end literals, or a frame of them.
type terminators struct {
	texts      []string       // in the frame
	firstBytes [256]bool      // the bytes that these begin with
	stops      *literal.Stops // in its literals
}

// A lastTerminators is what was needed last, for frames of the same kind come one after the
// other.
type lastTerminators struct {
	markers *markerSet
	key     terminatorKey
	*terminators
}

// terminatorsFor returns the markers that end literals in frames of a kind.
func (s *Scanner) terminatorsFor(key terminatorKey) *terminators {
	key.mode, key.inside, key.delimiters = s.reasoning.mode, s.reasoning.inside, s.reasoning.delimiters
	if last := &s.lastEnds; last.markers != s.markers || last.key != key {
		*last = lastTerminators{s.markers, key, s.buildTerminators(key)}
	}
	return s.lastEnds.terminators
}

// buildTerminators returns the markers, which are made once.
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

// cutAtReasoningEnd cuts text without an end of its own at a marker that ends it. What is
// before an offset has been looked at.
func (s *Scanner) cutAtReasoningEnd(text []byte, from int) (before, rest []byte, ends bool) {
	if t := &s.reasoning; t.mode == ReasoningOff || t.ended && !t.inside {
		return text, nil, false
	}
	for i := from; i < len(text); i++ {
		if text[i] != '>' && text[i] != ']' { // with which all of them end
			continue
		}
		for _, marker := range s.markers.literalReasoningClosers {
			if bytes.HasSuffix(text[:i+1], []byte(marker)) {
				at := i + 1 - len(marker)
				return text[:at], text[at:], true
			}
		}
	}
	return text, nil, false
}

// containsReasoningEnd reports whether a marker is in a text that can end reasoning, in
// any dialect.
func containsReasoningEnd(text string) bool {
	return slices.ContainsFunc(allMarkers().literalReasoningClosers, func(marker string) bool { return strings.Contains(text, marker) })
}
