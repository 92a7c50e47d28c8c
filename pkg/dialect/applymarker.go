package dialect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// readLookahead reads after a marker until the marker is resolved.
func (s *Scanner) readLookahead(p []byte) int {
	following := s.held[s.pending.size:]
	switch len(following) {
	case 0:
		return s.beginLookahead(p)
	case maxLookahead:
		u, v := s.resolveNow(following)
		s.applyUse(u, v, following, false)
		return 0
	}
	s.hold(p[:1])
	following = s.held[s.pending.size:]
	if u, v := s.tryResolve(following); v != undecided {
		s.applyUse(u, v, following, false)
	}
	return 1
}

// beginLookahead is readLookahead before the first byte after the marker. If p resolves the marker, p is not
// consumed.
func (s *Scanner) beginLookahead(p []byte) int {
	const few = 4 // usually enough
	most := min(len(p), maxLookahead)
	for n := range min(few, most+1) {
		if u, v := s.tryResolve(p[:n]); v != undecided {
			return s.applyUse(u, v, p[:n], true)
		}
	}
	for from, to := few, 0; from <= most; from = to + 1 {
		to = min(from+singleStepBytes, most)
		if s.isDecidedWithin(p[:to], from) {
			n := s.lookaheadNeeded(p[:to], from)
			u, v := s.tryResolve(p[:n])
			return s.applyUse(u, v, p[:n], true)
		}
	}
	if len(p) > maxLookahead {
		following := p[:maxLookahead]
		u, v := s.resolveNow(following)
		return s.applyUse(u, v, following, true)
	}
	s.hold(p)
	return len(p)
}

// closeLookahead resolves the pending marker at the end of the text. A use that needs no more text wins. An undecided
// marker of calls is reported as a truncated call, unless it is a word, or finds calls without their own marker and
// no '{' follows it.
func (s *Scanner) closeLookahead() {
	following := s.held[s.pending.size:]
	u, v := s.resolve(following)
	word := !bytes.ContainsFunc(s.held[:s.pending.size], func(r rune) bool { return r >= utf8.RuneSelf || !isNameByte(byte(r)) })
	word = word || u.marker != nil && u.missingOpener != "" && bytes.IndexByte(following, '{') < 0
	cut := v == undecided && u.role <= listOpen && !word
	if v == undecided && len(s.markers.dialects) == 1 && u.role == open && !word {
		v, cut = yes, cut && u.bodyGrammar().memberNames != nil // a body with a name before the arguments reports it itself
	}
	for _, other := range s.pending.uses {
		if v == undecided && s.verdictOfUse(other, following) == yes {
			u, v, cut = other, yes, false
		}
	}
	if cut {
		s.report(diag.New(diag.TruncatedCall, diag.Bytes(s.heldAt, s.at), "the text ends after %s, before any call", s.held[:s.pending.size]))
	}
	s.applyUse(u, v, following, false)
	s.callCut = s.callCut || cut
}

// applyUse applies the resolved use of a marker, or treats the marker as text. The text after it has either been
// read and is unread, or is still ahead; then applyUse returns how much of it is consumed.
func (s *Scanner) applyUse(u markerUse, v verdict, following []byte, ahead bool) int {
	if !ahead {
		s.unread(following)
		s.held = s.held[:s.pending.size]
	}
	switch {
	case v != yes:
		s.emitMarkerAsText(following)
	case u.role == fenceRun:
		s.opener = fence{char: s.pending.text[0], length: s.pending.size, at: s.heldAt}
		s.state = inRun
	case u.role == openBrace:
		s.state = inProse
		s.beginFirstKey()
	case u.role == lateFence:
		s.beginMidLineFence(following)
	case u.role == resultOpen:
		s.state = inProse
		s.updateLinePrefix(s.held)
		s.emitHeld()
		s.markAfterResult()
	case u.role == continuation:
		at := s.heldAt
		s.state = inProse
		s.updateLinePrefix(s.held)
		s.emitHeld()
		s.revokeContinuedCalls(at, s.pending.text)
	default:
		if u.role > listOpen {
			s.reportQuotedMarker(following) // its quoted use would begin a call
		}
		return s.applyMarker(u, following, ahead)
	}
	return 0
}

// emitMarkerAsText emits a marker without a use here as content.
func (s *Scanner) emitMarkerAsText(following []byte) {
	has := func(fits func(role) bool) bool {
		return slices.ContainsFunc(s.pending.uses, func(u markerUse) bool { return fits(u.role) })
	}
	s.reportQuotedMarker(following)
	s.reportMarkerAfterText()
	s.reportUnknownTool(following)
	if has(func(r role) bool { return r == reasoningOpen }) {
		s.foreign.quotesReasoning = true
		s.reasoning.mentioned = s.reasoning.mentioned || !s.foreign.isOpen() && !s.isQuoted(reasoningOpen)
	}
	quoted := s.isQuoted(listOpen) && has(func(r role) bool { return r <= listOpen })
	claims := !s.isQuoted(listOpen) && slices.ContainsFunc(s.pending.uses, markerUse.opensOnlyCalls)
	start, end, inLine := s.heldAt, s.heldAt+s.pending.size, !s.isLineBlank()
	s.updateLinePrefix(s.held)
	s.emitHeld()
	if claims {
		s.trackUnmatched(start, end, inLine)
	}
	s.state, s.afterQuotedMarker = inProse, quoted
}

// applyMarker applies a use other than text, like applyUse.
func (s *Scanner) applyMarker(u markerUse, following []byte, ahead bool) (read int) {
	at, text, inLine := s.heldAt, s.pending.text, !s.isLineBlank()
	s.dropHeld()
	shown := s.isInQuotingMessage(u)
	if shown {
		s.emitContent(at, text)
	}
	s.state, s.afterQuotedMarker = inProse, false
	s.beginLineAfterMarker()
	if u.effect == endsMessage {
		s.endBlockQuote()
	}
	if len(s.pending.uses) == 1 && u.dialect != nil {
		s.hintedDialect = u.dialect
	}
	if u.role != listClose && u.role != listOpen && !s.list.isOpen() {
		s.clearUnmatched(u.role, at, inLine)
	}
	switch u.role {
	case open, openKeep, implicitOpen:
		read = s.enterAtMarker(u, at, text, following, ahead)
	case listOpen:
		s.applyListOpener(u.dialect, at, text, inLine)
	case listClose:
		s.applyListCloser(u.dialect, at, text, inLine)
	case ignore:
		s.state = afterListMarker
		s.applyMessageEffect(u, at)
	case reasoningOpen:
		s.beginReasoning(u, at, text)
	case reasoningClose:
		s.endReasoning(u, at, text)
	}
	if shown {
		s.state = inProse
	}
	if s.state != inBody && u.skip != "" {
		s.state, s.pending = inSkip, pending{skip: u.skip}
	}
	return read
}

// enterAtMarker enters a frame at a marker, which the body may include. It returns how much of the text ahead is
// consumed.
func (s *Scanner) enterAtMarker(u markerUse, at int, text string, following []byte, ahead bool) (read int) {
	switch {
	case u.role != open:
		if u.text == "" { // the held byte is a separator
			at, text = at+s.pending.size, ""
		}
		s.pushback = append(s.pushback[:0], text...)
		if !ahead {
			s.pushback = append(s.pushback, following...)
		}
	case bytes.HasPrefix(following, []byte(u.skip)):
		read = len(u.skip)
		text += u.skip
		if !ahead {
			s.unread(following[read:])
		}
	}
	if u.opensList {
		s.applyListOpener(u.dialect, at, text, true)
	}
	s.enterFrame(u, at, text)
	s.frame.rivals = s.findRivals(u, following)
	return read
}
