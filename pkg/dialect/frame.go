package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// A frame is a part of the response that may contain calls: after a marker, in a fence, or JSON outside fences,
// which has neither marker nor fence.
type frame struct {
	dialect *Dialect
	grammar *grammar
	fence
	opening          opening // the opening line of the fence
	marker           string  // the marker that opens it, "" for none
	evidence         string  // other evidence that it contains calls
	missingOpener    string  // the marker missing before it
	rivals           rivals  // other dialects that it may be in
	at               int     // start offset
	bodyAt           int     // where its body starts
	endAt            int     // after its last byte; 0 if it has no end of its own
	certain          bool    // it contains calls, whatever the body says
	callsBefore      int     // number of calls before it
	reportedNotACall bool    // a NotACall finding about it was reported
}

// isReportedEmpty reports whether the frame contains no call and a finding says so: then a missing closer says
// nothing more.
func (s *Scanner) isReportedEmpty() bool {
	return s.frame.reportedNotACall && s.frame.callsBefore == s.calls
}

// A body parses the content of a frame.
type body interface {
	// write reads p up to the end of the frame and returns how the frame ended.
	write(p []byte) (n int, end frameEnd)
	// close handles the end of the text.
	close()
}

// A frameEnd says how a frame ended.
type frameEnd int

const (
	notYet    frameEnd = iota
	closed             // at the run that closes its fence
	ended              // at its last byte
	left               // no more calls: the next byte is text
	leftRun            // the same, and a run of fence characters follows, see resumeAtRun
	leftOther          // the same, and the rest of a skipped object follows
)

// enterFrame begins a frame at the marker at an offset.
func (s *Scanner) enterFrame(u markerUse, at int, marker string) {
	s.frame = frame{dialect: u.dialect, marker: marker, at: at, bodyAt: at, missingOpener: u.missingOpener, certain: u.role != implicitOpen}
	if u.role == open {
		s.frame.bodyAt += len(marker)
	}
	s.hasBegun = s.hasBegun || s.frame.certain
	s.beginBody(u.bodyGrammar())
	if s.frame.certain {
		s.noteFrame()
	}
}

// bodyGrammar returns the grammar of the text after a marker.
func (u markerUse) bodyGrammar() *grammar {
	switch {
	case u.grammar != nil:
		return u.grammar
	case u.role == implicitOpen:
		return u.dialect.bareGrammar()
	}
	return &u.dialect.grammar
}

// enterBareObject begins JSON outside fences at an offset.
func (s *Scanner) enterBareObject(at int) {
	s.frame = frame{dialect: s.markers.objectDialect, at: at, bodyAt: at}
	s.beginBody(s.frame.dialect.bareGrammar())
}

func (s *Scanner) beginBody(g *grammar) {
	s.frame.grammar, s.frame.callsBefore = g, s.calls
	s.resync.reset(s.frame.bodyAt)
	s.state, s.body, s.callCut, s.unbalanced = inBody, g.newBody(s, &s.frame), false, false
}

// bareGrammar returns the grammar of frames without a marker.
func (d *Dialect) bareGrammar() *grammar {
	if d.framing.bareGrammar != nil {
		return d.framing.bareGrammar
	}
	return &d.grammar
}

// confirmFrame records that the frame contains calls and that the held bytes belong to it.
func (s *Scanner) confirmFrame(outside string) {
	s.callsOnly = s.frame.dialect.framing.callsOnly
	s.reportSurrounding(outside)
	s.drop()
	s.hasBegun = true
	s.callHolders++
	s.noteFrame()
	s.checkOpening()
}

func (s *Scanner) readBody(p []byte) int {
	at := s.at
	n, end := s.body.write(p)
	s.record(at, p[:n])
	f := s.frame.fence
	if end != notYet {
		s.ensureProgress(n)
	}
	switch end {
	case notYet:
		return n
	case closed:
		s.opener = fence{char: f.char, length: f.length, at: s.at + n - f.length}
		s.state = inCloser
	case ended:
		s.frame.endAt = s.at + n - len(s.pushback)
		if len(s.frame.dialect.framing.closers) > 0 {
			s.list = openList{}
		}
		s.state = s.stateBetweenFrames()
		if s.list.open() && !s.isQuoting(s.frame.dialect) {
			s.state = inListGap
		}
	case left:
		s.state = inProse
	case leftOther:
		s.state = inSkippedObject
	}
	s.body = nil
	return n
}

// ensureProgress emits the marker of a frame that has pushed back all its bytes, n bytes into a piece: it would
// begin the same frame again.
func (s *Scanner) ensureProgress(n int) {
	at, size := s.at+n-len(s.pushback), len(s.frame.marker)
	if size == 0 || at > s.frame.at || len(s.pushback) < size {
		return
	}
	s.emitContent(at, string(s.pushback[:size]))
	if !s.unmatched.reported {
		s.trackUnmatched(at, at+size, true)
	}
	s.pushback = s.pushback[size:]
}

// stateBetweenFrames returns the state for places without text: at the start of the response and after a frame.
func (s *Scanner) stateBetweenFrames() scanState {
	if len(s.markers.implicit) > 0 && !s.reasoning.inside {
		return inStart
	}
	return inProse
}

// readStart reads up to the first non-blank byte, or past a separator if a call follows it.
func (s *Scanner) readStart(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		s.lineBlank = s.lineBlank || isNewline(p[n])
		n++
	}
	if n == 0 {
		if s.reportTrailingBracket(p[0]) {
			return 1
		}
		if s.callHolders > 0 && !s.callsOnly && (p[0] == ';' || p[0] == ',') {
			n = 1
		} else if !s.canStart(p[:1]) {
			s.state, s.afterQuotedMarker = inProse, false
			return 0
		}
		s.hold(p[:n])
		s.pending = pending{uses: s.markers.implicit, prefilter: s.markers.implicitPrefilter, size: n}
		s.state = inLookahead
		return n
	}
	s.emitContent(s.at, s.textOf(s.at, p[:n]))
	return n
}

// canStart reports whether a frame without a marker can begin with a byte.
func (s *Scanner) canStart(c []byte) bool {
	if s.markers.implicitPrefilter != nil {
		return s.markers.implicitPrefilter.lookup(c).possible != 0
	}
	return slices.ContainsFunc(s.markers.implicit, func(u markerUse) bool { return s.matches(u, c) != no })
}

// reportTrailingBracket reports an unmatched closing bracket right after JSON without a marker. The bracket is
// not content.
func (s *Scanner) reportTrailingBracket(c byte) bool {
	if c != ']' && c != '}' || s.frame.marker != "" || s.frame.fence.open() || s.at != s.frame.endAt || s.at == 0 {
		return false
	}
	s.reportStrayBracket(c, s.at, diag.Safe)
	s.frame.endAt++
	return true
}
