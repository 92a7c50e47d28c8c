package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// closedAt follows the closing fence at an offset, which should begin its line.
func (s *Scanner) closedAt(at int, beginsLine bool) {
	if !beginsLine {
		s.lineFinding(diag.Bytes(at, at), diag.Safe, "text before the closing fence on its line")
	}
}

// closer reads on in the run that closes a frame.
func (s *Scanner) closer(p []byte) int {
	if p[0] == s.opener.char {
		s.opener.length++
		return 1
	}
	s.place, s.matched = inReopen, 0
	return 0
}

// afterCloser reads behind a closing run. If the info string of the dialect
// stands there, the run was meant to open the next fence.
func (s *Scanner) afterCloser(p []byte) int {
	c, word := p[0], s.frame.reopens()
	switch {
	case s.matched < len(word) && lower(c) == word[s.matched]:
		s.matched++
		s.hold(p[:1])
		return 1
	case s.matched > 0 && s.matched == len(word) && isSpace(c) && s.opener.length <= longestRun:
		s.reopen()
	case s.matched > 0:
		s.trailing(s.at - s.matched)
	default:
		s.place = inTail
	}
	return 0
}

// reopen begins a frame at the run that closed the last.
func (s *Scanner) reopen() {
	s.fenceOpen(s.opener.at)
	run := bytes.Repeat([]byte{s.opener.char}, s.opener.length)
	s.held, s.heldAt = append(run, s.held...), s.opener.at
	s.beginInfo()
	s.info.at, s.info.length = s.heldAt+s.opener.length, s.matched
	s.complete(func(f *fenceForm) bool { return f.info == s.frame.reopens() })
	s.beginFrame()
}

// fenceOpen reports the open fence, which should have been closed at offset at.
func (s *Scanner) fenceOpen(at int) {
	if s.lacksCalls() {
		return
	}
	f := diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed")
	closer := strings.Repeat(string(s.frame.char), s.frame.length)
	switch {
	case at < s.at: // another fence begins there
		f.Fixes = fix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: closer + "\n"})
	case isNewline(s.last):
		f.Fixes = fix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: closer})
	case s.last != s.frame.char:
		f.Fixes = fix(diag.Safe, "close the fence", diag.Edit{Start: at, End: at, New: "\n" + closer})
	}
	s.find(f)
}

// fenceCut reports the open fence, where the reasoning ends in which it stands.
func (s *Scanner) fenceCut() {
	s.find(diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed before the reasoning in which it stands ends"))
}

// markOpen reports that what the mark of the frame opens is not closed.
func (s *Scanner) markOpen(before string) {
	f := &s.frame
	if s.lacksCalls() {
		return
	}
	if f.mark == "" {
		s.find(diag.New(diag.MissingOpener, diag.Bytes(f.at, f.at+1), "the marks around the calls of %s are missing", f.row.Name))
		return
	}
	s.find(diag.New(diag.MissingCloser, diag.Bytes(f.at, f.at+len(f.mark)), "%s is not closed before %s", strings.TrimSpace(f.mark), before))
}

// tail reads the rest of a closing line, which should be blank.
func (s *Scanner) tail(p []byte) int {
	if isBlank(p[0]) {
		s.content(s.at, s.said(s.at, p[:1]))
		return 1
	}
	if isNewline(p[0]) {
		s.text()
		s.place = s.betweenFrames()
	} else {
		s.trailing(s.at)
	}
	return 0
}

// trailing reports text behind a closing fence. On a line of its own it could
// be the opening line of another.
func (s *Scanner) trailing(at int) {
	s.lineFinding(diag.Bytes(at, at), diag.Unsafe, "text after the closing fence on its line")
	s.text()
}

// lineFinding reports that a line should end at the start of a place, and be
// continued at its end.
func (s *Scanner) lineFinding(place diag.Span, kind diag.FixKind, message string) {
	f := diag.New(diag.FenceLine, place, "%s", message)
	f.Fixes = fix(kind, "break the line", diag.Edit{Start: place.Start, End: place.End, New: "\n"})
	s.find(f)
}
