package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// checkCloserLine reports a closing fence at an offset that does not begin its line.
func (s *Scanner) checkCloserLine(at int, beginsLine bool) {
	if !beginsLine {
		s.reportFenceLine(diag.Bytes(at, at), diag.Safe, "text before the closing fence on its line")
	}
}

// readCloser reads the run that closes a frame.
func (s *Scanner) readCloser(p []byte) int {
	if p[0] == s.opener.char {
		s.opener.length++
		return 1
	}
	s.state, s.matched = inReopen, 0
	return 0
}

// readAfterCloser reads after a closing run. If the dialect's info string follows, the run was meant to open the
// next fence.
func (s *Scanner) readAfterCloser(p []byte) int {
	c, word := p[0], s.frame.reopeningInfo()
	switch {
	case s.matched < len(word) && lower(c) == word[s.matched]:
		s.matched++
		s.hold(p[:1])
		return 1
	case s.matched > 0 && s.matched == len(word) && isSpace(c) && s.opener.length <= maxFenceRun:
		s.reopen()
	case s.matched > 0:
		s.reportTrailingText(s.at - s.matched)
	default:
		s.state = inTail
	}
	return 0
}

// reopen begins a frame at the run that closed the last one.
func (s *Scanner) reopen() {
	s.reportOpenFence(s.opener.at)
	run := bytes.Repeat([]byte{s.opener.char}, s.opener.length)
	s.held, s.heldAt = append(run, s.held...), s.opener.at
	s.beginInfo()
	s.info.at, s.info.length = s.heldAt+s.opener.length, s.matched
	s.keepComplete(func(f *fenceSpec) bool { return f.info == s.frame.reopeningInfo() })
	s.beginFrame()
}

// reportOpenFence reports the open fence, which should have been closed at an offset.
func (s *Scanner) reportOpenFence(at int) {
	if s.isReportedEmpty() {
		return
	}
	f := diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed")
	closer := strings.Repeat(string(s.frame.char), s.frame.length)
	switch {
	case at < s.at: // another fence begins there
		f.Fixes = newFix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: closer + "\n"})
	case isNewline(s.last):
		f.Fixes = newFix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: closer})
	case s.last != s.frame.char:
		f.Fixes = newFix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: "\n" + closer})
	}
	s.report(f)
}

// reportCutFence reports a fence that is open at the end of the reasoning around it.
func (s *Scanner) reportCutFence() {
	s.report(diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed before the reasoning around it ends"))
}

// reportMissingCloser reports that the frame's marker has no closer.
func (s *Scanner) reportMissingCloser(before string) {
	f := &s.frame
	if s.isReportedEmpty() {
		return
	}
	if f.marker == "" {
		s.report(diag.New(diag.MissingOpener, diag.Bytes(f.at, f.at+1), "missing the markers around the calls of %s", f.dialect.Name))
		return
	}
	s.report(diag.New(diag.MissingCloser, diag.Bytes(f.at, f.at+len(f.marker)), "%s is not closed before %s", strings.TrimSpace(f.marker), before))
}

// readTail reads the rest of a closing line, which should be blank.
func (s *Scanner) readTail(p []byte) int {
	if isBlank(p[0]) {
		s.emitContent(s.at, s.textOf(s.at, p[:1]))
		return 1
	}
	if isNewline(p[0]) {
		s.releaseText()
		s.state = s.stateBetweenFrames()
	} else {
		s.reportTrailingText(s.at)
	}
	return 0
}

// reportTrailingText reports text after a closing fence. On its own line it could open another fence.
func (s *Scanner) reportTrailingText(at int) {
	s.reportFenceLine(diag.Bytes(at, at), diag.Unsafe, "text after the closing fence on its line")
	s.releaseText()
}

// reportFenceLine reports a missing line break, to be inserted in place of a span.
func (s *Scanner) reportFenceLine(place diag.Span, kind diag.FixKind, message string) {
	f := diag.New(diag.MalformedFence, place, "%s", message)
	f.Fixes = newFix(kind, "break the line", diag.Edit{Start: place.Start, End: place.End, New: "\n"})
	s.report(f)
}
