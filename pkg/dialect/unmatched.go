package dialect

import (
	"bytes"
	"fmt"
	"strings"

	"oneshot/pkg/diag"
)

// An unmatchedOpen is an opening marker of calls without a call or a finding after it so far. It may enclose
// calls, or begin a call that turned out to be none.
type unmatchedOpen struct {
	isOpen       bool
	reported     bool
	midLine      bool   // text precedes it on its line
	markerAt     int    // offset of the marker
	textAt       int    // offset after the marker
	callsBefore  int    // number of calls before it
	blankCount   int    // number of blanks after it
	hasLineBreak bool   // a newline follows it
	text         []byte // after the marker, at most maxUnmatchedText bytes
}

// maxUnmatchedText bounds the text kept after a marker: the longest name and what encloses it.
const maxUnmatchedText = maxToolName + 8

// trackUnmatched records an opening marker between two offsets.
func (s *Scanner) trackUnmatched(start, end int, inLine bool) {
	s.unmatched = unmatchedOpen{isOpen: !s.reasoning.inside, midLine: inLine, markerAt: start, textAt: end, callsBefore: s.calls, text: s.unmatched.text[:0]}
}

// opensOnlyCalls reports whether only calls can follow a marker, and the marker is not a word.
func (u markerUse) opensOnlyCalls() bool {
	return u.role <= listOpen && !u.sharedWithText && strings.ContainsAny(u.text, "<[")
}

// add appends text after the marker, and returns the number of bytes inspected.
func (c *unmatchedOpen) add(text string) int {
	if !c.isOpen || len(c.text) == maxUnmatchedText {
		return 0
	}
	rest := text
	if len(c.text) == 0 {
		rest = strings.TrimLeft(text, " \t\r\n")
		blanks := text[:len(text)-len(rest)]
		c.blankCount += len(blanks)
		c.hasLineBreak = c.hasLineBreak || strings.ContainsAny(blanks, "\r\n")
	}
	n := min(len(rest), maxUnmatchedText-len(c.text))
	c.text = append(c.text, rest[:n]...)
	return len(text) - len(rest) + n
}

// hasUnmatchedText reports whether text, but neither a call nor a finding, followed the marker.
func (s *Scanner) hasUnmatchedText() bool {
	c := &s.unmatched
	return c.isOpen && !c.reported && c.callsBefore == s.calls && len(c.text) > 0 && !s.reasoning.inside
}

// reportUnmatched reports that there is no call between the open marker and its closer at an offset, unless a
// sentence only mentions both. It returns whether it reported that.
func (s *Scanner) reportUnmatched(at int, inLine bool) bool {
	if !s.hasUnmatchedText() {
		return false
	}
	f := s.unmatchedFinding(diag.Bytes(s.unmatched.textAt, at), "no call between these markers: the text is content", inLine)
	if f.Severity == diag.Info {
		return false
	}
	s.endUnmatched(f)
	return true
}

// unmatchedFinding returns the finding for text in the place of a call: only a note if a sentence mentions the
// marker.
func (s *Scanner) unmatchedFinding(place diag.Span, message string, inLine bool) diag.Finding {
	name, next := s.unmatched.firstName()
	f := diag.New(diag.NotACall, place, "%s", message)
	switch {
	case name != "" && s.isKnownTool(name):
		f.Message = fmt.Sprintf("this may be a call of %s, but it is not written as one: it is treated as text", excerpt(name))
	case (s.unmatched.midLine || !s.list.open()) && s.unmatched.isMentioned(name, next, inLine):
		f.Severity = diag.Info
		return f
	default:
		f.Severity = diag.Warning
	}
	if form := s.markers.dialects[0].grammar.memberNames; len(s.markers.dialects) == 1 && form != nil {
		f.Hint = "a call is " + form.hint()
	}
	return f
}

// endUnmatched emits a finding about text in the place of a call, unless the end of the message will report it.
func (s *Scanner) endUnmatched(f diag.Finding) {
	if s.unmatched.isOpen = false; !s.message.isMissingCall(s.calls) {
		s.report(f)
	}
}

// closeUnmatched reports at the end of the text that no call follows an open marker. A mention is not reported,
// unless the marker was omitted from the content or the response begins with it.
func (s *Scanner) closeUnmatched() {
	c := &s.unmatched
	if !s.hasUnmatchedText() {
		return
	}
	line, _, _ := bytes.Cut(c.text, []byte{'\n'})
	f := s.unmatchedFinding(diag.Bytes(c.markerAt, c.textAt+c.blankCount+len(line)), "no call follows this marker: the text is content", true)
	if f.Severity != diag.Info || s.list.open() || c.callsBefore == 0 && s.surrounding.from == c.markerAt {
		s.endUnmatched(f)
	}
}

// firstName returns the name after the marker, bare or as a tag name, and the byte after it, or 0.
func (c *unmatchedOpen) firstName() (name string, next byte) {
	text := bytes.TrimPrefix(c.text, []byte{'<'})
	n := 0
	for n < len(text) && isNameByte(text[n]) && (n > 0 || text[0] != '.' && text[0] != '-') {
		n++
	}
	if n < len(text) {
		next = text[n]
	}
	return string(text[:n]), next
}

// isMentioned reports whether a sentence continues after the marker: not if the text is on lines of its own,
// follows directly, or looks like a call.
func (c *unmatchedOpen) isMentioned(name string, next byte, inLine bool) bool {
	switch {
	case c.hasLineBreak && !(c.midLine && inLine):
		return false
	case strings.IndexByte("<{[", c.text[0]) >= 0:
		return false
	case name == "": // punctuation
		return true
	}
	return c.blankCount > 0 && strings.IndexByte("({[<=", next) < 0
}

// clearUnmatched handles a marker that does not close the open one but can take the place of its closer.
func (s *Scanner) clearUnmatched(r role, at int, inLine bool) {
	if r == ignore || r == ignoreKeepSpace {
		s.reportUnmatched(at, inLine)
	}
	s.unmatched.isOpen, s.unmatched.reported = false, false
}
