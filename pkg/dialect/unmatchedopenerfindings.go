package dialect

import (
	"bytes"
	"fmt"

	"oneshot/pkg/diag"
)

// trackUnmatched records an opening marker between two offsets.
func (s *selector) trackUnmatched(start, end int, inLine bool) {
	s.unmatched = unmatchedOpen{isOpen: !s.reasoning.inside, midLine: inLine, markerAt: start, textAt: end, callsBefore: s.calls, text: s.unmatched.text[:0]}
}

// hasTextAfterUnmatchedOpener reports whether text, but neither a call nor a finding, followed the marker.
func (s *selector) hasTextAfterUnmatchedOpener() bool {
	c := &s.unmatched
	return c.isOpen && !c.reported && c.callsBefore == s.calls && len(c.text) > 0 && !s.reasoning.inside
}

// reportUnmatched reports that there is no call between the open marker and its closer at an offset, unless a
// sentence only mentions both. It returns whether it reported that.
func (s *selector) reportUnmatched(at int, inLine bool) bool {
	if !s.hasTextAfterUnmatchedOpener() {
		return false
	}
	f := s.unmatchedFinding(diag.Bytes(s.unmatched.textAt, at), "no call between these markers: the text is content", inLine)
	if f.Severity == diag.Info {
		return false
	}
	s.emitUnmatchedFinding(f)
	return true
}

// unmatchedFinding returns the finding for text in the place of a call: only a note if a sentence mentions the
// marker.
func (s *selector) unmatchedFinding(place diag.Span, message string, inLine bool) diag.Finding {
	name, next := s.unmatched.firstName()
	f := diag.New(diag.NotACall, place, "%s", message)
	switch {
	case name != "" && s.isKnownTool(name):
		f.Message = fmt.Sprintf("this may be a call of %s, but it is not written as one: it is treated as text", excerpt(name))
	case (s.unmatched.midLine || !s.list.isOpen()) && s.unmatched.isMentioned(name, next, inLine):
		f.Severity = diag.Info
		return f
	default:
		f.Severity = diag.Warning
	}
	if form := s.markers.dialects[0].grammar.memberNames; len(s.markers.dialects) == 1 && form != nil {
		f.Hint = "a call is " + form.callForm()
	}
	return f
}

// emitUnmatchedFinding emits a finding about text in the place of a call, unless the end of the message will report it.
func (s *selector) emitUnmatchedFinding(f diag.Finding) {
	if s.unmatched.isOpen = false; !s.message.isMissingCall(s.calls) {
		s.report(f)
	}
}

// reportUnmatchedOpenerAtEnd reports at the end of the text that no call follows an open marker. A mention is not reported,
// unless the marker was omitted from the content or the response begins with it.
func (s *selector) reportUnmatchedOpenerAtEnd() {
	c := &s.unmatched
	if !s.hasTextAfterUnmatchedOpener() {
		return
	}
	line, _, _ := bytes.Cut(c.text, []byte{'\n'})
	f := s.unmatchedFinding(diag.Bytes(c.markerAt, c.textAt+c.blankCount+len(line)), "no call follows this marker: the text is content", true)
	if f.Severity != diag.Info || s.list.isOpen() || c.callsBefore == 0 && s.surrounding.from == c.markerAt {
		s.emitUnmatchedFinding(f)
	}
}

// clearUnmatched handles a marker that does not close the open one but can take the place of its closer.
func (s *selector) clearUnmatched(r role, at int, inLine bool) {
	if r == ignore || r == ignoreKeepSpace {
		s.reportUnmatched(at, inLine)
	}
	s.unmatched.isOpen, s.unmatched.reported = false, false
}
