package dialect

import (
	"bytes"
	"slices"

	"oneshot/pkg/diag"
)

// An opening is the opening line of a candidate fence of calls.
type opening struct {
	info      string // the info string, in lower case
	infoAt    int
	end       int  // offset after it
	heldLen   int  // bytes of the line in the held bytes
	textAt    int  // offset of text after the info string; 0 for none
	wrongCase bool // the info string is not in lower case
}

// reopeningInfo returns the info string that certainly opens another fence like this one, or "".
func (f *frame) reopeningInfo() string {
	if forms := f.dialect.framing.fences; len(forms) > 0 {
		return forms[0].info
	}
	return ""
}

// beginFrame opens a candidate fence of calls, after its info string.
func (s *Scanner) beginFrame() {
	i := &s.info
	s.frame = frame{fence: s.opener, at: s.opener.at, opening: opening{infoAt: i.at, end: i.at + i.length, heldLen: len(s.held)}}
	s.state = inFenceStart
}

// readFenceStart reads until it is known whether the fence holds calls.
func (s *Scanner) readFenceStart(p []byte) int {
	lead := s.held[s.frame.opening.heldLen:]
	f, v := s.matchFence(lead)
	if v == undecided && len(lead) == maxLookahead {
		f, v = s.certainFence()
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

// matchFence returns the kind of fence that starts with a text.
func (s *Scanner) matchFence(text []byte) (fenceCandidate, verdict) {
	s.steps += len(text)
	for f := range s.candidateFences(s.info.candidates) {
		v := yes
		if f.lookahead != nil {
			v = f.lookahead(text)
		}
		if v != no {
			return f, v
		}
	}
	return fenceCandidate{}, no
}

// certainFence returns the kind of fence that the info string alone determines.
func (s *Scanner) certainFence() (fenceCandidate, verdict) {
	for f := range s.candidateFences(s.info.candidates) {
		if f.certain {
			return f, yes
		}
	}
	return fenceCandidate{}, no
}

// closeFenceStart handles a fence that ends before its first word.
func (s *Scanner) closeFenceStart() {
	if f, v := s.certainFence(); v == yes {
		s.enterFence(f, s.held[s.frame.opening.heldLen:])
	}
}

// rejectFence makes the fence a foreign one, after its opening line.
func (s *Scanner) rejectFence(lead []byte) {
	forms := slices.Collect(s.candidateFences(s.info.candidates))
	s.unread(lead)
	s.held = s.held[:s.frame.opening.heldLen]
	s.releaseText()
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
		s.confirmFrame("before the calls")
	}
	s.beginBody(f.dialect.bareGrammar())
}

// checkOpening reports faults in the opening line of the frame, once.
func (s *Scanner) checkOpening() {
	o := &s.frame.opening
	if o.wrongCase {
		f := diag.New(diag.MalformedFence, diag.Bytes(o.infoAt, o.end), "the info string should be %q in lower case", o.info)
		f.Severity = diag.Info
		f.Fixes = newFix(diag.Safe, "write "+o.info, diag.Edit{Start: o.infoAt, End: o.end, New: o.info})
		s.report(f)
	}
	if o.textAt > 0 {
		s.reportFenceLine(diag.Bytes(o.end, o.textAt), diag.Safe, "text after the info string of the opening fence")
	}
	o.wrongCase, o.textAt = false, 0
}
