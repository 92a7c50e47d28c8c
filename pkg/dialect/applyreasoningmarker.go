package dialect

import "oneshot/pkg/diag"

// beginReasoning handles an opening marker. Inside reasoning it is text, except at the very start: the prompt,
// or the model, has already opened it.
func (s *sink) beginReasoning(u markerUse, at int, text string) {
	t := &s.reasoning
	if t.inside && t.hasText {
		s.emitContent(at, text)
		return
	}
	t.inside, t.hasText, t.delimiters, t.openerSpan, t.opener = true, false, u.delimiters, diag.Bytes(at, at+len(text)), text
	t.isQuoted = s.linePrefix == inBlockQuote
}

func (s *Scanner) endReasoning(u markerUse, at int, text string) {
	t := &s.reasoning
	place := diag.Bytes(at, at+len(text))
	switch {
	case t.inside && (t.delimiters == nil || t.delimiters == u.delimiters):
		if !t.isQuoted {
			s.endBlockQuote()
		}
		t.inside, t.ended, t.isQuoted = false, true, false
		s.foreign, s.list = fence{}, openList{}
	case t.inside:
		s.emitContent(at, text)
		return
	case t.ended:
		s.emitContent(at, text)
		if s.revoked == s.calls {
			s.reportStrayMarker(at, text)
		}
		s.revokeCalls(diag.New(diag.CallInReasoning, place, "reasoning seems to end again after this call, which does not count"))
	case u.delimiters.needsOpener:
		s.reportStrayMarker(at, text)
	default:
		t.ended = true
		s.revokeCalls(diag.New(diag.CallInReasoning, place, "the reasoning that ends here contains this call, which does not count"))
		s.emit(Event{ContentWasReasoning: true})
		s.restartAnswer()
	}
	s.state = s.stateBetweenFrames()
}

// restartAnswer resets the state: the answer only begins now.
func (s *selector) restartAnswer() {
	s.surrounding, s.foreign, s.list, s.frame, s.callHolders, s.ids = surroundingText{}, fence{}, openList{}, frame{}, 0, idSet{}
	s.unmatched, s.suspected = unmatchedOpen{}, suspectedCalls{}
	s.endBlockQuote()
	s.hasBegun, s.callsOnly, s.workEnded, s.afterResult, s.rawTextDialects, s.detected = false, false, false, false, nil, detected{}
	if len(s.markers.dialects) == 1 {
		s.detected.dialect = s.markers.dialects[0]
	}
}

// reportUnclosedReasoning reports reasoning that is open at the end of the text.
func (s *sink) reportUnclosedReasoning() {
	t := &s.reasoning
	if t.inside && t.delimiters != nil {
		s.report(diag.New(diag.UnclosedReasoning, t.openerSpan, "the reasoning opened here is not closed"))
	}
}
