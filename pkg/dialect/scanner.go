package dialect

import "cmp"

// Detected returns the dialect of the response, the evidence for it, and the offset of the evidence: the first
// call. Without a call and without a requested dialect it is "tool" with the offset -1.
func (s *Scanner) Detected() (d Dialect, why string, at int) {
	row, at := s.detectedDialect()
	return *cmp.Or(row, &Dialects()[0]), string(s.appendDetectionReason(nil)), at
}

// step reads the next bytes of p, at least one or none with a state change, and returns the number read.
func (s *Scanner) step(p []byte) int {
	switch s.state {
	case inStart:
		return s.readBlanksBeforeFrame(p)
	case inLookahead:
		return s.readLookahead(p)
	case inSkip:
		return s.skipAfterMarker(p)
	case afterListMarker:
		return s.skipBlanksAfterCallListMarker(p)
	case inFirstKey:
		return s.readFirstKey(p)
	case inSkippedKey, inSkippedObject:
		return s.readSkippedObject(p)
	case inRun:
		return s.readFenceRun(p)
	case inInfo:
		return s.readInfoString(p)
	case inBlanks:
		return s.readBlanksAfterRun(p)
	case inForeignInfo:
		return s.readForeignInfoString(p)
	case inFenceContentStart:
		return s.readFenceContentStart(p)
	case inBody:
		return s.readBody(p)
	case inCloser:
		return s.readClosingRun(p)
	case inReopen:
		return s.readAfterClosingRun(p)
	case inTail:
		return s.readClosingLineRest(p)
	}
	return s.readProse(p)
}

// NewScanner returns a scanner that passes events to emit, in text order. A call is emitted at its last byte or,
// if its arguments are text without a terminator, as soon as something else begins. Findings about it follow.
func NewScanner(o Options, emit func(Event)) *Scanner {
	s := new(Scanner)
	s.reset(o.markerSet(), o.Reasoning, o.Tools, emit)
	return s
}

// reset resets the scanner for a response, reusing its buffers.
func (s *Scanner) reset(markers *markerSet, reasoning Reasoning, tools Toolset, emit func(Event)) {
	*s = Scanner{
		search: search{Automaton: markers.Automaton},
		selector: selector{sink: sink{
			markers: markers, tools: tools, emit: emit, unemittedText: unemittedText{held: s.held[:0]},
			reasoning:     reasoningState{mode: reasoning, inside: reasoning == ReasoningOpen},
			inputPosition: inputPosition{pushback: s.pushback[:0]}, unmatched: unmatchedOpen{text: s.unmatched.text[:0]},
			precedingWord: lastWord{s.precedingWord.text[:0]}, bodyPool: s.bodyPool, rawTextDialects: s.rawTextDialects[:0],
		}},
	}
	if s.bodyPool == nil {
		s.bodyPool = new(bodyPool)
	}
	if len(markers.dialects) == 1 {
		s.detected.dialect = markers.dialects[0]
	}
	s.state = s.stateBetweenFrames()
}

// Write reads the next bytes of the response. It does not retain p.
func (s *Scanner) Write(p []byte) {
	for i := 0; i < len(p) || len(s.unreadPieces) > 0; {
		if top := len(s.unreadPieces) - 1; top >= 0 {
			again := s.unreadPieces[top]
			n := s.readPiece(again)
			if s.unreadPieces[top] = again[n:]; n == len(again) {
				s.unreadPieces = s.unreadPieces[:top]
			}
			s.rewind()
			continue
		}
		i += s.readPiece(p[i:])
		i -= s.rewindWithin(i)
	}
}

// rewindWithin is [Scanner.rewind] within the current piece, of which some bytes have been read. It returns the
// number of bytes to go back, so that they are read together with the next ones.
func (s *Scanner) rewindWithin(read int) (back int) {
	if back = len(s.pushback); back > read {
		s.rewind()
		return 0
	}
	s.at -= back
	s.steps += back
	s.pushback = s.pushback[:0]
	return back
}

// rewind makes the pushed-back bytes the next to be read.
func (s *Scanner) rewind() {
	if len(s.pushback) > 0 {
		s.at -= len(s.pushback)
		s.steps += len(s.pushback)
		s.unreadPieces = append(s.unreadPieces, s.pushback)
		s.pushback = nil
	}
}

// readPiece reads the next bytes of p, at least one or none with a state change.
func (s *Scanner) readPiece(p []byte) int {
	n := s.step(p)
	if n > 0 {
		s.last = p[n-1]
	}
	s.at += n
	s.steps += n + 1
	return n
}

// Close ends the response.
func (s *Scanner) Close() {
	s.closeStates()
	s.endMessage()
	s.reportUnclosedList()
	s.reportTrailingText()
	s.reportSuspectedCalls()
	s.emitDeferredFinding(false)
	s.reportUnclosedReasoning()
	s.state = inProse
}

// closeStates closes all open states at the end of the text, and reads pushed-back text again.
func (s *Scanner) closeStates() {
	for s.closeState(); len(s.pushback) > 0; s.closeState() {
		s.rewind()
		s.Write(nil)
	}
	s.emitHeld()
	if s.state == inSkippedObject || s.state == inSkippedKey {
		s.skipped.emitUpTo(&s.sink, nil, s.at)
	}
}

// closeState closes the open state at the end of the text or of a segment.
func (s *Scanner) closeState() {
	switch s.state {
	case inInfo:
		if s.info.canEndText() {
			s.openCallFence()
		}
	case inReopen:
		if s.matched == len(s.frame.reopeningInfo()) {
			s.treatCloserAsOpener()
		}
	case inLookahead:
		s.closeLookahead()
	}
	if s.state == inFenceContentStart {
		s.endUndecidedFence()
	}
	if s.state == inBody && len(s.pushback) == 0 {
		s.closeBody()
	}
}
