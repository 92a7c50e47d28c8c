package dialect

import (
	"bytes"
	"slices"

	"oneshot/pkg/diag"
)

// beginFenceCandidate opens a candidate fence of calls, after its info string.
func (s *Scanner) beginFenceCandidate() {
	i := &s.info
	s.frame = frame{fence: s.opener, at: s.opener.at, opening: opening{infoAt: i.at, end: i.at + i.length, heldLen: len(s.held)}}
	s.state = inFenceContentStart
}

// readFenceContentStart reads until it is known whether the fence holds calls.
func (s *Scanner) readFenceContentStart(p []byte) int {
	lead := s.held[s.frame.opening.heldLen:]
	s.steps += len(lead)
	f, v := s.info.matchContentStart(lead)
	if v == undecided && len(lead) == maxLookahead {
		f, v = s.info.certainFence()
	}
	switch v {
	case yes:
		s.enterFence(f, lead)
	case no:
		s.rejectFence(lead)
	default:
		s.hold(p[:1])
		return 1
	}
	return 0
}

// endUndecidedFence handles a fence that ends before it is known whether it holds calls.
func (s *Scanner) endUndecidedFence() {
	if f, v := s.info.certainFence(); v == yes {
		s.enterFence(f, s.held[s.frame.opening.heldLen:])
	}
}

// rejectFence makes the fence a foreign one, after its opening line.
func (s *Scanner) rejectFence(lead []byte) {
	forms := slices.Collect(s.info.candidateFences())
	s.unread(lead)
	s.held = s.held[:s.frame.opening.heldLen]
	s.emitHeldAsText()
	s.foreign = s.frame.fence
	if len(forms) == 1 && forms[0].certain {
		s.report(diag.New(diag.OtherDialect, s.frame.span(), "%s", forms[0].mismatch))
	}
}

// enterFence begins a fence that starts with a text. A fence that is not certain is held until it is known to
// contain calls.
func (s *Scanner) enterFence(f fenceCandidate, lead []byte) {
	fr := &s.frame
	o := &fr.opening
	fr.dialect, fr.certain, o.info = f.dialect, f.certain, f.info
	o.wrongCase = string(s.held[o.infoAt-s.heldAt:o.heldLen]) != f.info
	word := trimLeft(lead)
	blank := len(lead) - len(word)
	if len(word) > 0 && !bytes.ContainsAny(lead[:blank], "\r\n") {
		o.textAt = o.end + blank
	}
	fr.bodyAt = o.end
	if !f.certain {
		lead, fr.bodyAt, o.heldLen = word, o.end+blank, o.heldLen+blank
	}
	s.unread(lead)
	s.held = s.held[:o.heldLen]
	if f.certain {
		s.confirmCallFrame("before the calls")
	}
	s.beginBody(f.dialect.bareGrammar())
}
