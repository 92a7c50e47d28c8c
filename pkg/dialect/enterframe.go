package dialect

// enterFrame begins a frame at the marker at an offset.
func (s *Scanner) enterFrame(u markerUse, at int, marker string) {
	s.frame = frame{dialect: u.dialect, marker: marker, at: at, bodyAt: at, missingOpener: u.missingOpener, certain: u.role != implicitOpen}
	if u.role == open {
		s.frame.bodyAt += len(marker)
	}
	s.hasBegun = s.hasBegun || s.frame.certain
	s.beginBody(u.bodyGrammar())
	if s.frame.certain {
		s.recordFrameDialect()
	}
}

// enterBareObject begins JSON outside fences at an offset.
func (s *Scanner) enterBareObject(at int) {
	s.frame = frame{dialect: s.markers.objectDialect, at: at, bodyAt: at}
	s.beginBody(s.frame.dialect.bareGrammar())
}

func (s *Scanner) beginBody(g *grammar) {
	s.frame.grammar, s.frame.callsBefore = g, s.calls
	s.resync.restartAt(s.frame.bodyAt)
	s.state, s.body, s.callCut, s.unbalanced, s.quoteHasCall = inBody, g.newBody(&s.sink, &s.frame), false, false, false
}

func (s *Scanner) readBody(p []byte) int {
	at := s.at
	n, end := s.body.write(p)
	s.recordForRecovery(at, p[:n])
	f := s.frame.fence
	if end != notYet {
		s.emitUnconsumedMarker(n)
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
		if s.list.isOpen() && !s.isMessageQuotingCalls(s.frame.dialect) {
			s.state = afterListMarker
		}
	case left:
		s.state = inProse
	case leftRun:
		s.resumeAtFenceRun(s.frame.leftover.fence, s.frame.leftover.at)
	case leftOther:
		rest := &s.frame.leftover
		s.state, s.skipped = inSkippedObject, skippedObject{lit: rest.lit, fence: rest.fence, emittedTo: rest.at}
	}
	s.body = nil
	return n
}

// emitUnconsumedMarker emits the marker of a frame that has pushed back all its bytes, n bytes into a piece: it would
// begin the same frame again.
func (s *Scanner) emitUnconsumedMarker(n int) {
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

// readBlanksBeforeFrame reads up to the first non-blank byte, or past a separator if a call follows it.
func (s *Scanner) readBlanksBeforeFrame(p []byte) int {
	n := 0
	for n < len(p) && isSpace(p[n]) {
		n++
	}
	if n == 0 {
		if s.reportTrailingBracket(p[0]) {
			return 1
		}
		if s.callHolders > 0 && !s.callsOnly && (p[0] == ';' || p[0] == ',') {
			n = 1
		} else if !s.canStartUnmarkedFrame(p[:1]) {
			s.state, s.afterQuotedMarker = inProse, false
			return 0
		}
		s.hold(p[:n])
		s.pending = pending{uses: s.markers.implicit, useFilter: s.markers.implicitUseFilter, size: n}
		s.state = inLookahead
		return n
	}
	s.updateLinePrefix(p[:n])
	s.emitContent(s.at, s.textAt(s.at, p[:n]))
	return n
}
