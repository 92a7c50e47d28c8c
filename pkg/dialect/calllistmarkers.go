package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// openList is the open marker around calls.
type openList struct {
	dialect     *Dialect
	depth       int // number of open markers
	at          int // offset of the first
	text        string
	callsBefore int // number of calls before it
}

func (w openList) isOpen() bool { return w.dialect != nil }

// hasListMarkers reports whether calls of the dialect are enclosed in further markers.
func (d *Dialect) hasListMarkers() bool {
	return slices.ContainsFunc(d.framing.markers, func(m marker) bool { return m.role == listOpen || m.opensList })
}

// applyListOpener handles a marker before calls. The last of several determines the dialect best.
func (s *Scanner) applyListOpener(row *Dialect, at int, text string, inLine bool) {
	if !s.list.isOpen() {
		s.list = openList{at: at, text: text, callsBefore: s.calls}
		s.trackUnmatched(at, at+len(text), inLine)
	}
	s.list.dialect = row
	s.list.depth++
	s.state = afterListMarker
}

// applyListCloser handles a marker after calls.
func (s *Scanner) applyListCloser(row *Dialect, at int, text string, inLine bool) {
	place := diag.Bytes(at, at+len(text))
	switch {
	case s.list.isOpen():
		s.list.depth--
		if s.list.depth <= 0 && !s.reportUnmatched(at, inLine) && s.hasTextAfterUnmatchedOpener() {
			s.endMention(at)
		}
	case s.reportUnmatched(at, inLine):
		return
	case s.unmatched.isOpen && s.unmatched.callsBefore == s.calls:
		s.endMention(at)
		return
	case s.frame.dialect == row && s.hasReportedNoCall(): // it closes text that is not a call
		s.frame.reportedNotACall = false
	case s.frame.dialect == row && row.hasListMarkers() && !s.hasTextAfterFrame():
		f := diag.New(diag.MissingOpener, place, "missing opening marker before the calls for this closing one")
		s.report(f)
	case s.hasTextAfterFrame():
		s.reportStrayMarker(at, text)
		return
	default:
		s.reportStrayMarker(at, text)
	}
	if s.list.depth <= 0 {
		s.list = openList{}
	}
	s.state = s.stateBetweenFrames()
}

// endMention handles a closing marker that, like the open one, is only mentioned in a sentence.
func (s *selector) endMention(at int) {
	if !s.unmatched.reported {
		f := diag.New(diag.NotACall, diag.Bytes(s.unmatched.textAt, at), "no call between these markers: the text is content")
		f.Severity = diag.Info
		s.emitUnmatchedFinding(f)
	}
	s.unmatched.isOpen = false
}

// hasTextAfterFrame reports whether text follows the last frame.
func (s *selector) hasTextAfterFrame() bool {
	return s.surrounding.hasText && s.surrounding.to > s.frame.endAt
}

// reportUnclosedList reports a missing closer at the end of the text, or the missing calls.
func (s *selector) reportUnclosedList() {
	w, empty := s.list, s.hasTextAfterUnmatchedOpener()
	s.reportUnmatchedOpenerAtEnd()
	if w.isOpen() && !w.dialect.framing.stopsAtCloser && !empty && (w.callsBefore < s.calls || !s.unmatched.reported) {
		s.report(diag.New(diag.MissingCloser, diag.Bytes(w.at, w.at+len(w.text)), "%s is not closed before the end of the text", w.text))
	}
}

// skipBlanksAfterCallListMarker skips blanks after a marker around calls.
func (s *Scanner) skipBlanksAfterCallListMarker(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		n++
	}
	s.unmatched.appendText(string(p[:n]))
	s.updateLinePrefix(p[:n])
	if n < len(p) {
		s.state = s.stateBetweenFrames()
		s.beginLineAfterMarker()
	}
	return n
}
