package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// A frame is where calls are: after a marker, in a fence, or in JSON outside of
// fences, which has neither.
type frame struct {
	dialect *Dialect
	grammar *grammar
	fence
	opening          opening // the opening line of the fence
	marker           string  // the marker that opens it, "" for none
	evidence         string  // what else says that it holds calls
	missingOpener    string  // the marker that should precede it, and is missing
	rivals           rivals  // what else begins so
	at               int     // where it begins
	bodyAt           int     // where the body begins to read
	endAt            int     // after its last byte; 0 if it has none of its own
	certain          bool    // it holds calls, whatever they are
	callsBefore      int     // how many came before
	reportedNotACall bool    // it holds what is no call, and that has been said
}

// isReportedEmpty reports whether nothing in the frame is a call, as has been said: that it is not closed as well, tells nothing.
func (s *Scanner) isReportedEmpty() bool {
	return s.frame.reportedNotACall && s.frame.callsBefore == s.calls
}

// A body reads the inside of a frame.
type body interface {
	// write reads p up to the end of the frame and says how it came.
	write(p []byte) (n int, end frameEnd)
	// close says that the text has ended.
	close()
}

// A frameEnd says how a frame has ended.
type frameEnd int

const (
	notYet    frameEnd = iota
	closed             // with the run that closes its fence
	ended              // with the last byte that belongs to it
	left               // it holds no more calls: what comes next is text
	leftRun            // the same, and it begins with a run of fence characters, see resumeAtRun
	leftOther          // the same, and it begins with the rest of an object that is not ours
)

// enterFrame begins to read a frame after a marker at an offset.
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

// bodyGrammar returns the grammar of what follows a marker.
func (u markerUse) bodyGrammar() *grammar {
	switch {
	case u.grammar != nil:
		return u.grammar
	case u.role == implicitOpen:
		return u.dialect.bareGrammar()
	}
	return &u.dialect.grammar
}

// enterBareObject begins to read JSON outside of fences, at an offset.
func (s *Scanner) enterBareObject(at int) {
	s.frame = frame{dialect: s.markers.objectDialect, at: at, bodyAt: at}
	s.beginBody(s.frame.dialect.bareGrammar())
}

// beginBody begins to read the inside of the frame.
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

// confirmFrame says that the frame holds calls, and that the bytes which are held belong
// to it.
func (s *Scanner) confirmFrame(outside string) {
	s.callsOnly = s.frame.dialect.framing.callsOnly
	s.reportSurrounding(outside)
	s.drop()
	s.hasBegun = true
	s.callHolders++
	s.noteFrame()
	s.checkOpening()
}

// readBody reads the inside of a frame.
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

// ensureProgress makes content of the marker of a frame that has given all of itself back,
// n bytes into a piece: it would begin the same frame again.
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

// stateBetweenFrames returns the place where there is no text yet: at the start of the
// response, and after a frame.
func (s *Scanner) stateBetweenFrames() scanState {
	if len(s.markers.implicit) > 0 && !s.reasoning.inside {
		return inStart
	}
	return inProse
}

// readStart reads up to the first byte that is no blank, or after a separator of
// calls: it is one if a call follows.
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

// reportTrailingBracket reports a closing bracket right after JSON without a marker. It is no
// text, as it would be none in a frame.
func (s *Scanner) reportTrailingBracket(c byte) bool {
	if c != ']' && c != '}' || s.frame.marker != "" || s.frame.fence.open() || s.at != s.frame.endAt || s.at == 0 {
		return false
	}
	s.reportStrayBracket(c, s.at, diag.Safe)
	s.frame.endAt++
	return true
}
