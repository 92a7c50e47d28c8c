package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Error recovery: one unbalanced quote makes a string of everything after it. If the text ends inside such a
// call, the call is cut at the first marker in the string, and reading resumes there. Nothing after the cut is
// executable, because it may be part of the string. The rest is read once more, in segments that end before each
// opening marker, so that another broken call costs no further reading.

// closeBody closes the open frame at the end of the text or of a segment. If it contains a broken call with a
// marker in it, reading resumes at the marker.
func (s *Scanner) closeBody() {
	s.state = inProse
	r := &s.resync
	r.findMarker(0)
	if r.marker == "" {
		s.body.close()
		return
	}
	at, marker, rest := r.textAt, r.marker, string(r.text)
	var events []Event
	var shown []int
	var named []diag.Span
	emit := s.emit
	s.emit = func(e Event) {
		events, shown, named = append(events, e), append(shown, s.contentEnd), append(named, s.nameSpan)
	}
	s.body.close()
	s.emit = emit
	cut := !slices.ContainsFunc(events, isWholeCall)
	for i, e := range events {
		keep := true
		if cut {
			e, keep = cutEvent(e, at)
		} else {
			s.contentEnd = shown[i]
		}
		s.nameSpan = named[i]
		if keep {
			emit(e)
		}
	}
	if cut {
		s.report(diag.New(diag.TruncatedCall, diag.Bytes(at, at+len(marker)), "a string of the call is not closed before this %q: the call is cut here and nothing after it is run", marker))
		s.rescanAfterBrokenCall(at, marker, rest)
	}
}

// isWholeCall reports whether an event is a complete call, or one with a text argument.
func isWholeCall(e Event) bool { return e.Call != nil && e.Call.Arguments != nil }

// cutEvent returns the part of an event before the cut, and whether there is any.
func cutEvent(e Event, at int) (Event, bool) {
	switch {
	case e.Call != nil && e.Call.End > at:
		c := *e.Call
		c.Text = strings.TrimRight(c.Text[:max(0, at-c.Start)], " \t\r\n")
		c.End, c.Arguments, c.Executable, c.Status = c.Start+len(c.Text), nil, false, chat.StatusTruncated
		return Event{Call: &c}, c.Start < at
	case e.Finding != nil:
		f := *e.Finding
		if f.Span.Start >= at || f.Code == diag.MissingCloser || f.Code == diag.TruncatedCall {
			return e, false
		}
		f.Span.End, f.Fixes = min(f.Span.End, at), nil
		return Event{Finding: &f}, true
	}
	return e, e.Content == "" && e.Reasoning == ""
}

// rescanAfterBrokenCall reads the rest of the text, which begins with a marker at an offset.
func (s *Scanner) rescanAfterBrokenCall(at int, marker, rest string) {
	if s.frame.dialect.isCloser(marker) {
		at, rest = at+len(marker), rest[len(marker):]
	}
	s.dropHeld()
	s.pushback, s.unreadPieces, s.contentEnd = s.pushback[:0], nil, at
	s.at, s.body = at, nil
	s.reasoning.hasText = s.reasoning.hasText || s.reasoning.inside
	if s.resync.happened {
		s.emitContent(at, rest)
		s.at += len(rest)
		return
	}
	s.resync.happened = true
	for _, segment := range s.frame.dialect.splitAtOpeners(rest) {
		s.state = s.stateBetweenFrames()
		s.setLineBlank(true)
		s.search = search{Automaton: s.markers.Automaton} // forgets a partial marker
		s.resync.restartAt(s.at)
		s.Write([]byte(segment))
		s.closeStates()
	}
}
