package dialect

import (
	"bytes"

	"oneshot/pkg/diag"
)

// Limits for the opening line of a fence of calls. They bound the held-back text.
const (
	maxFenceRun    = 64 // fence characters
	maxFenceBlanks = 8  // between them and the info string
)

// readFenceRun reads a run of fence characters.
func (s *Scanner) readFenceRun(p []byte) int {
	n := 0
	for n < len(p) && p[n] == s.opener.char && s.opener.length <= maxFenceRun {
		s.opener.length++
		n++
	}
	s.hold(p[:n])
	switch {
	case s.opener.length > maxFenceRun:
		s.emitHeldAsText()
	case n < len(p):
		s.beginInfoString()
	}
	return n
}

func (s *Scanner) beginInfoString() {
	s.info = infoString{fences: s.markers.fences, at: s.heldAt + len(s.held)}
	for i, f := range s.markers.fences {
		if f.certain || !s.reasoning.inside {
			s.info.candidates |= 1 << i
		}
	}
	s.state = inInfo
}

// readInfoString reads an info string until it is known whether the fence can hold calls.
func (s *Scanner) readInfoString(p []byte) int {
	c, i := p[0], &s.info
	switch {
	case i.length == 0 && isBlank(c):
		if len(s.held) == s.opener.length+maxFenceBlanks {
			s.emitHeld()
			s.state = inBlanks
			return 0
		}
		i.at++
	case i.acceptByte(c):
		i.length++
	case i.canEndAt(c, s.foreign.isOpenInMarkdown() || s.closesForeignFence()):
		s.openCallFence()
		return 0
	case i.length == 0 && isNewline(c):
		s.toggleForeignFence()
		return 0
	default:
		s.openForeignFence()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// readBlanksAfterRun reads after a run followed by many blanks.
func (s *Scanner) readBlanksAfterRun(p []byte) int {
	switch c := p[0]; {
	case isBlank(c):
		s.emitContent(s.at, s.textAt(s.at, p[:1]))
		return 1
	case isNewline(c):
		s.toggleForeignFence()
	default:
		s.openForeignFence()
	}
	return 0
}

// openCallFence handles the info string of a fence of calls, or a missing one where it is optional.
func (s *Scanner) openCallFence() {
	if !s.foreign.isOpenInMarkdown() {
		s.foreign = fence{} // a late one was only mentioned, or is not closed
		s.beginFenceCandidate()
		return
	}
	s.emitHeldAsText()
	for f := range s.info.candidateFences() {
		if f.certain {
			s.report(diag.New(diag.QuotedCall, s.opener.span(), "a %q fence inside another fence is not read", f.info))
			return
		}
	}
}

// beginMidLineFence handles a run after text on its line, with the info string of a fence of calls. The text up to its closing
// run is content, so that this run opens no other fence. Any other run that begins a fence in Markdown ends it.
func (s *Scanner) beginMidLineFence(following []byte) {
	char := s.pending.text[0]
	s.state = inProse
	s.foreign = fence{char: char, length: s.pending.size + runLength(following, char), at: s.heldAt, isLate: true}
	s.report(diag.New(diag.QuotedCall, s.foreign.span(), "the fence is not read: text precedes it on its line"))
	s.updateLinePrefix(s.held)
	s.emitHeld()
}

// toggleForeignFence handles a run alone on its line, which opens or closes a fence.
func (s *Scanner) toggleForeignFence() {
	closes := s.closesForeignFence()
	s.emitHeldAsText()
	switch {
	case closes:
		s.foreign = fence{}
	case !s.foreign.isOpenInMarkdown():
		s.foreign = s.opener
	}
}

// closesForeignFence reports whether the latest run, if it is alone on its line, closes the open fence. After the marker of a
// list it opens one.
func (s *Scanner) closesForeignFence() bool {
	return s.linePrefix != afterListMarkers && s.opener.closes(s.foreign)
}

// openForeignFence handles a run with a foreign info string.
func (s *Scanner) openForeignFence() {
	for f := range s.info.candidateFences() {
		if f.certain && len(f.info) == s.info.length {
			s.info.nearMatch = f.info
		}
	}
	s.info.firstWord = append(s.info.firstWord, s.held[min(len(s.held), s.info.at-s.heldAt):]...)
	s.emitHeldAsText()
	if !s.foreign.isOpenInMarkdown() {
		s.state = inForeignInfo
	}
}

// readForeignInfoString reads the rest of the opening line of a foreign fence. After backticks it must not contain a
// backtick. From '<' on it is read like the text in the fence, because reasoning can end there.
func (s *Scanner) readForeignInfoString(p []byte) int {
	ends := "<\r\n"
	if s.opener.char == '`' {
		ends = "`<\r\n"
	}
	end := bytes.IndexAny(p, ends)
	word := p
	if end >= 0 {
		word = p[:end]
	}
	s.info.firstWord = append(s.info.firstWord, word[:min(len(word), max(0, maxInfoWord-len(s.info.firstWord)))]...)
	if end < 0 {
		s.emitContent(s.at, s.textAt(s.at, p))
		return len(p)
	}
	s.emitContent(s.at, s.textAt(s.at, p[:end]))
	s.state = inProse
	if p[end] == '`' {
		return end
	}
	s.foreign = s.opener
	s.foreign.isCode = s.info.isLanguage()
	if s.info.nearMatch != "" {
		s.report(diag.New(diag.QuotedCall, s.opener.span(), "the fence is not read: its info string must be exactly %q", s.info.nearMatch))
	}
	return end
}
