package dialect

import (
	"bytes"

	"oneshot/pkg/diag"
)

// readClosingRun reads the run that closes a frame.
func (s *Scanner) readClosingRun(p []byte) int {
	if p[0] == s.opener.char {
		s.opener.length++
		return 1
	}
	s.state, s.matched = inReopen, 0
	return 0
}

// readAfterClosingRun reads after a closing run. If the dialect's info string follows, the run was meant to open the
// next fence.
func (s *Scanner) readAfterClosingRun(p []byte) int {
	c, word := p[0], s.frame.reopeningInfo()
	switch {
	case s.matched < len(word) && lower(c) == word[s.matched]:
		s.matched++
		s.hold(p[:1])
		return 1
	case s.matched > 0 && s.matched == len(word) && isSpace(c) && s.opener.length <= maxFenceRun:
		s.treatCloserAsOpener()
	case s.matched > 0:
		s.reportTextAfterFence(s.at - s.matched)
	default:
		s.state = inTail
	}
	return 0
}

// treatCloserAsOpener begins a frame at the run that closed the last one.
func (s *Scanner) treatCloserAsOpener() {
	s.reportUnclosedFence(s.opener.at)
	run := bytes.Repeat([]byte{s.opener.char}, s.opener.length)
	s.held, s.heldAt = append(run, s.held...), s.opener.at
	s.beginInfoString()
	s.info.at, s.info.length = s.heldAt+s.opener.length, s.matched
	s.info.keepCompleteCandidates(func(f *fenceSpec) bool { return f.info == s.frame.reopeningInfo() })
	s.beginFenceCandidate()
}

// readClosingLineRest reads the rest of a closing line, which should be blank.
func (s *Scanner) readClosingLineRest(p []byte) int {
	if isBlank(p[0]) {
		s.emitContent(s.at, s.textAt(s.at, p[:1]))
		return 1
	}
	if isNewline(p[0]) {
		s.emitHeldAsText()
		s.state = s.stateBetweenFrames()
	} else {
		s.reportTextAfterFence(s.at)
	}
	return 0
}

// reportTextAfterFence reports text after a closing fence. On its own line it could open another fence.
func (s *Scanner) reportTextAfterFence(at int) {
	s.reportMissingLineBreak(diag.Bytes(at, at), diag.Unsafe, "text after the closing fence on its line")
	s.emitHeldAsText()
}
