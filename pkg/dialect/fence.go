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

// readRun reads a run of fence characters.
func (s *Scanner) readRun(p []byte) int {
	n := 0
	for n < len(p) && p[n] == s.opener.char && s.opener.length <= maxFenceRun {
		s.opener.length++
		n++
	}
	s.hold(p[:n])
	switch {
	case s.opener.length > maxFenceRun:
		s.releaseText()
	case n < len(p):
		s.beginInfo()
	}
	return n
}

func (s *Scanner) beginInfo() {
	s.info = info{fences: s.markers.fences, at: s.heldAt + len(s.held)}
	for i, f := range s.markers.fences {
		if f.certain || !s.reasoning.inside {
			s.info.candidates |= 1 << i
		}
	}
	s.state = inInfo
}

// readInfo reads an info string until it is known whether the fence can hold calls.
func (s *Scanner) readInfo(p []byte) int {
	c, i := p[0], &s.info
	switch {
	case i.length == 0 && isBlank(c):
		if len(s.held) == s.opener.length+maxFenceBlanks {
			s.release()
			s.state = inBlanks
			return 0
		}
		i.at++
	case i.narrow(c):
		i.length++
	case i.endsAt(c, s.foreign.open()):
		s.openOwnFence()
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

// readBlanks reads after a run followed by many blanks.
func (s *Scanner) readBlanks(p []byte) int {
	switch c := p[0]; {
	case isBlank(c):
		s.emitContent(s.at, s.textOf(s.at, p[:1]))
		return 1
	case isNewline(c):
		s.toggleForeignFence()
	default:
		s.openForeignFence()
	}
	return 0
}

// openOwnFence handles the info string of a fence of calls, or a missing one where it is optional.
func (s *Scanner) openOwnFence() {
	if !s.foreign.open() {
		s.beginFrame()
		return
	}
	s.releaseText()
	for f := range s.info.candidateFences() {
		if f.certain {
			s.report(diag.New(diag.QuotedCall, s.opener.span(), "a %q fence inside another fence is not read", f.info))
			return
		}
	}
}

// toggleForeignFence handles a run alone on its line, which opens or closes a fence.
func (s *Scanner) toggleForeignFence() {
	s.releaseText()
	switch {
	case !s.foreign.open():
		s.foreign = s.opener
	case s.opener.closes(s.foreign):
		s.foreign = fence{}
	}
}

// openForeignFence handles a run with a foreign info string.
func (s *Scanner) openForeignFence() {
	for f := range s.info.candidateFences() {
		if f.certain && len(f.info) == s.info.length {
			s.info.nearMatch = f.info
		}
	}
	s.info.firstWord = append(s.info.firstWord, s.held[min(len(s.held), s.info.at-s.heldAt):]...)
	s.releaseText()
	if !s.foreign.open() {
		s.state = inForeignInfo
	}
}

// readForeignInfo reads the rest of the opening line of a foreign fence. After backticks it must not contain a
// backtick. From '<' on it is read like the text in the fence, because reasoning can end there.
func (s *Scanner) readForeignInfo(p []byte) int {
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
		s.emitContent(s.at, s.textOf(s.at, p))
		return len(p)
	}
	s.emitContent(s.at, s.textOf(s.at, p[:end]))
	s.state = inProse
	if p[end] == '`' {
		return end
	}
	s.foreign = s.opener
	s.foreign.isCode = s.info.isCode()
	if s.info.nearMatch != "" {
		s.report(diag.New(diag.QuotedCall, s.opener.span(), "the fence is not read: its info string must be exactly %q", s.info.nearMatch))
	}
	return end
}
