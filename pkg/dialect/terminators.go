package dialect

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/literal"
)

// A call in reasoning is a draft and ends where the reasoning ends. The markers that end it depend on its
// content. Text with its own terminator, such as a value between tags, ends only with the open reasoning.
// Around literals, every reasoning closer counts, because literals cannot contain one. Text without a
// terminator ends at any closer until some reasoning has ended, because the prompt may have opened it.

// reasoningClosers returns the markers that close the open reasoning.
func (s *sink) reasoningClosers() []string {
	switch t := &s.reasoning; {
	case !t.inside:
		return nil
	case t.delimiters == nil:
		return s.markers.reasoningClosers
	default:
		return t.delimiters.closers()
	}
}

// literalTerminators returns the markers that end literals, outside their strings.
func (s *sink) literalTerminators() []string {
	switch open := s.reasoningClosers(); {
	case s.reasoning.mode == ReasoningOff:
		return nil
	case open == nil:
		return s.markers.literalReasoningClosers
	default:
		return sortedUnion(s.markers.literalReasoningClosers, open)
	}
}

func (s *sink) terminatorsFor(key terminatorKey) *terminators {
	key.mode, key.inside, key.delimiters = s.reasoning.mode, s.reasoning.inside, s.reasoning.delimiters
	if last := &s.lastEnds; last.markers != s.markers || last.key != key {
		*last = lastTerminators{s.markers, key, s.buildTerminators(key)}
	}
	return s.lastEnds.terminators
}

// buildTerminators returns the terminators for a key, built once.
func (s *sink) buildTerminators(key terminatorKey) *terminators {
	return s.markers.terminators.getOrBuild(key, func() *terminators {
		e := &terminators{texts: sortedUnion(s.literalTerminators())} // matchMarkerPrefix needs the order
		switch {
		case key.markers != nil:
			e.texts = sortedUnion(key.markers.texts, e.texts)
		case key.dialect != nil:
			e.texts = sortedUnion(key.dialect.framing.closers, e.texts)
		}
		all := e.texts
		if key.isJSON {
			all = append(key.dialect.jsonTerminators(), all...)
		}
		e.stops = literal.NewStops(all...)
		if key.fence != "" {
			e.texts = sortedUnion(e.texts, []string{key.fence})
		}
		for _, text := range e.texts {
			e.firstBytes[text[0]] = true
		}
		return e
	})
}

// cutAtReasoningEnd cuts text without a terminator at a marker that ends reasoning. Bytes before from have been
// checked.
func (s *sink) cutAtReasoningEnd(text []byte, from int) (before, rest []byte, ends bool) {
	if t := &s.reasoning; t.mode == ReasoningOff || t.ended && !t.inside {
		return text, nil, false
	}
	for i := from; i < len(text); i++ {
		if text[i] != '>' && text[i] != ']' { // the last byte of every such marker
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

// jsonTerminators returns the markers that end JSON outside strings: those that close a frame and those that
// begin the next.
func (d *Dialect) jsonTerminators() []string {
	all := slices.Clone(d.framing.closers)
	for _, m := range d.framing.markers {
		if m.role <= openKeep && m.text[0] == '<' || strings.HasPrefix(m.text, "[TOOL_") {
			all = append(all, m.text)
		}
	}
	return sortedUnion(all)
}
