package dialect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A pending marker has been read but not resolved yet.
type pending struct {
	uses      []markerUse // its possible uses
	prefilter *prefilter  // rules out uses by the first bytes after the marker
	excluded  uint64      // uses ruled out among the first 64, one bit each
	size      int         // its length; the held bytes begin with it
	text      string
	skip      string // optional text to skip after it
}

// singleStepBytes is the number of bytes after a marker that are inspected one by one. Beyond them, only the end
// of a word can decide.
const singleStepBytes = 16

// readLookahead reads after a marker until the marker is resolved.
func (s *Scanner) readLookahead(p []byte) int {
	following := s.held[s.pending.size:]
	switch len(following) {
	case 0:
		return s.scanLookahead(p)
	case maxLookahead:
		u, v := s.forceDecision(following)
		s.applyUse(u, v, following, false)
		return 0
	}
	s.hold(p[:1])
	following = s.held[s.pending.size:]
	if u, v := s.decide(following); v != undecided {
		s.applyUse(u, v, following, false)
	}
	return 1
}

// scanLookahead is readLookahead before the first byte after the marker. If p resolves the marker, p is not
// consumed.
func (s *Scanner) scanLookahead(p []byte) int {
	const few = 4 // usually enough
	most := min(len(p), maxLookahead)
	for n := range min(few, most+1) {
		if u, v := s.decide(p[:n]); v != undecided {
			return s.applyUse(u, v, p[:n], true)
		}
	}
	for from, to := few, 0; from <= most; from = to + 1 {
		to = min(from+singleStepBytes, most)
		if s.isDecidedWithin(p[:to], from) {
			n := s.shortestLookahead(p[:to], from)
			u, v := s.decide(p[:n])
			return s.applyUse(u, v, p[:n], true)
		}
	}
	if len(p) > maxLookahead {
		following := p[:maxLookahead]
		u, v := s.forceDecision(following)
		return s.applyUse(u, v, following, true)
	}
	s.hold(p)
	return len(p)
}

// isDecidedWithin reports whether the marker is resolved by the text after it, at its end or from index from on:
// verdicts are final.
func (s *Scanner) isDecidedWithin(following []byte, from int) bool {
	for len(following) > from && !canDecideAt(following) {
		following = following[:len(following)-1]
	}
	excluded := s.pending.excluded
	if _, v := s.decide(following); v == undecided {
		return false
	}
	s.pending.excluded = excluded // not ruled out at a shorter length
	return true
}

// shortestLookahead returns the length of text needed to resolve the marker, at least from.
func (s *Scanner) shortestLookahead(following []byte, from int) int {
	to := len(following)
	for from < to {
		if middle := (from + to) / 2; s.isDecidedWithin(following[:middle], from) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return to
}

// canDecideAt reports whether a marker can be resolved at the end of the text after it.
func canDecideAt(following []byte) bool {
	n := len(following)
	return n <= singleStepBytes || !isSpace(following[n-1]) && (!isNumberedNameByte(following[n-1]) || isSpace(following[n-2]))
}

// decide resolves a marker with the text after it, if possible.
func (s *Scanner) decide(following []byte) (markerUse, verdict) {
	if !canDecideAt(following) {
		return markerUse{}, undecided
	}
	return s.resolve(following)
}

// forceDecision resolves a marker that must be resolved now.
func (s *Scanner) forceDecision(following []byte) (markerUse, verdict) {
	u, v := s.resolve(following)
	if v != yes {
		return markerUse{}, no
	}
	return u, v
}

// closeLookahead resolves the pending marker at the end of the text. A use that needs no more text wins. A
// marker of calls with nothing after it is what remains of a call, unless it is a word, or takes the place of another
// marker and has no arguments.
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
		if v == undecided && s.useVerdict(other, following) == yes {
			u, v, cut = other, yes, false
		}
	}
	if cut {
		s.report(diag.New(diag.TruncatedCall, diag.Bytes(s.heldAt, s.at), "the text ends after %s, before any call", s.held[:s.pending.size]))
	}
	s.applyUse(u, v, following, false)
	s.callCut = s.callCut || cut
}

// resolve returns the first use of the pending marker that is possible with the text after it.
func (s *Scanner) resolve(following []byte) (markerUse, verdict) {
	s.steps += len(following)
	result, v := markerUse{}, no
	bits := s.pending.prefilter.lookup(following)
	s.pending.excluded |= ^bits.possible
	for i, u := range s.pending.uses {
		if s.pending.excluded>>i&1 != 0 {
			continue
		}
		c := undecided
		if bits.certain>>i&1 != 0 || i >= 64 {
			c = s.useVerdict(u, following)
		} else if s.isBarred(u) {
			c = no
		}
		switch {
		case c == no:
			s.pending.excluded |= 1 << i
		case u.dialect != nil && (u.dialect == s.list.dialect || u.dialect == s.hintedDialect || u.role == listClose && u.dialect == s.frame.dialect): // the text before determined the dialect
			return u, c
		case v == no:
			result, v = u, c
		}
	}
	return result, v
}

// findRivals returns the uses in which the marker could begin a frame of another dialect, until the dialect of
// the response is determined.
func (s *Scanner) findRivals(u markerUse, following []byte) rivals {
	o := rivals{uses: s.pending.uses}
	if s.detected.calls || len(s.markers.dialects) == 1 || u.dialect == s.hintedDialect {
		return o
	}
	bits := s.pending.prefilter.lookup(following)
	for i, other := range o.uses {
		if bits.certain>>i&1 != 0 && other.dialect != nil && other.dialect != u.dialect && other.role <= openKeep && s.useVerdict(other, following) == yes {
			o.count |= 1 << i
		}
	}
	return o
}

// rivals are uses of a marker, selected by bits.
type rivals struct {
	uses  []markerUse
	count uint64
}

// dialects returns the names of the dialects of the selected uses.
func (o rivals) dialects() []string {
	var names []string
	for i, u := range o.uses {
		if o.count>>i&1 != 0 && !slices.Contains(names, u.dialect.Name) {
			names = append(names, u.dialect.Name)
		}
	}
	return names
}

// useVerdict returns whether a use of the marker counts here.
func (s *Scanner) useVerdict(u markerUse, following []byte) verdict {
	if s.isBarred(u) {
		return no
	}
	if v := s.matchesTool(u, following); v != yes || !s.isQuoted(u.role) {
		return v
	}
	return no
}

// isBarred reports whether a use cannot count here, whatever follows.
func (s *Scanner) isBarred(u markerUse) bool {
	t := &s.reasoning
	switch u.role {
	case reasoningOpen, reasoningClose:
		if u.role == reasoningClose && u.delimiters.sharedCloser && !s.canCloseReasoning(u.delimiters) || t.mode == ReasoningOff || !t.inside && s.foreign.open() && (u.role == reasoningOpen || s.foreign.quotesReasoning) {
			return true
		}
	case fenceRun:
		return !s.lineBlank
	case continuation:
		if !slices.Contains(s.rawTextDialects, u.dialect) || t.inside {
			return true
		}
	case openBrace, implicitOpen:
		if t.inside || u.role == implicitOpen && (s.foreign.open() || s.isQuoted(open)) {
			return true
		}
	}
	return u.lineStart && !s.lineBlank || u.marker != nil && u.messageStart && s.message.hasText
}

// matchesTool is matches plus a check of the tool name where the use needs one.
func (s *Scanner) matchesTool(u markerUse, following []byte) verdict {
	if v := s.matches(u, following); v != yes || !s.isUnknownTool(u, following) {
		return v
	}
	return no
}

// isUnknownTool reports whether a use needs a known tool name after the marker and the name is unknown.
func (s *Scanner) isUnknownTool(u markerUse, following []byte) bool {
	if !u.needsTool || s.tools == nil {
		return false
	}
	_, known := s.tools[callee(following)]
	return !known
}

// matches returns the verdict of the lookahead of a use.
func (s *Scanner) matches(u markerUse, following []byte) verdict {
	switch {
	case u.ownLookahead != nil && len(s.markers.dialects) == 1:
		return u.ownLookahead(following)
	case u.lookahead != nil:
		return u.lookahead(following)
	}
	return yes
}

// isQuoted reports whether a marker of a role is only quoted here: in inline code, after a quote, or in a fence
// of code.
func (s *Scanner) isQuoted(r role) bool {
	switch {
	case r <= listOpen:
		return s.foreign.isCode || s.textLine.inCode() || s.textLine.isAfterQuote() || s.afterQuotedMarker
	case r == reasoningClose && s.reasoning.inside:
		return s.textLine.isAfterTick()
	case r == listClose:
		return s.foreign.isCode || s.textLine.reported || s.textLine.inCode()
	}
	return r < fenceRun && s.textLine.inCode()
}

// reportQuoted reports, once per fence or line, a marker that would begin a call if it were not quoted.
func (s *Scanner) reportQuoted(following []byte) {
	reported, where := &s.textLine.reported, "is quoted"
	if s.foreign.isCode {
		reported, where = &s.foreign.reported, "is in a fence of another language"
	}
	begun := func(u markerUse) bool {
		return u.role <= openKeep && s.isQuoted(u.role) && s.matchesTool(u, following) == yes
	}
	if *reported || s.reasoning.inside || !slices.ContainsFunc(s.pending.uses, begun) {
		return
	}
	*reported = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this marker %s and begins no call", where)
	f.Severity = diag.Info
	s.report(f)
}

// reportAfterText reports, once per line, a marker that would begin a call without the text before it.
func (s *Scanner) reportAfterText() {
	if s.textLine.reported || s.reasoning.inside || !s.message.hasText || !slices.ContainsFunc(s.pending.uses, func(u markerUse) bool { return u.messageStart && !s.isQuoted(u.role) }) {
		return
	}
	s.textLine.reported = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this marker follows text of the same message and begins no call")
	f.Hint = "put the call in a message of its own"
	s.report(f)
}

// reportUnknownTool reports text that would be a call if its name were a known tool.
func (s *Scanner) reportUnknownTool(following []byte) {
	for _, u := range s.pending.uses {
		if s.isUnknownTool(u, following) && s.matches(u, following) == yes && !s.isQuoted(u.role) {
			at := s.heldAt + s.pending.size
			f := diag.New(diag.NotACall, diag.Bytes(at, at+len(following)), "this has no call marker, and no tool is named %s: it is treated as text", excerpt(callee(following)))
			f.Severity = diag.Warning
			s.report(f)
		}
	}
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
		s.treatAsText(following)
	case u.role == fenceRun:
		s.opener = fence{char: s.pending.text[0], length: s.pending.size, at: s.heldAt}
		s.state = inRun
	case u.role == openBrace:
		s.state = inProse
		s.beginFirstKey()
	case u.role == continuation:
		at := s.heldAt
		s.state = inProse
		s.noteContent(s.held)
		s.release()
		s.reportContinuation(at, s.pending.text)
	default:
		return s.applyMarker(u, following, ahead)
	}
	return 0
}

// treatAsText emits a marker without a use here as content.
func (s *Scanner) treatAsText(following []byte) {
	has := func(fits func(role) bool) bool {
		return slices.ContainsFunc(s.pending.uses, func(u markerUse) bool { return fits(u.role) })
	}
	s.reportQuoted(following)
	s.reportAfterText()
	s.reportUnknownTool(following)
	s.foreign.quotesReasoning = s.foreign.quotesReasoning || has(func(r role) bool { return r == reasoningOpen })
	quoted := s.isQuoted(listOpen) && has(func(r role) bool { return r <= listOpen })
	claims := !s.isQuoted(listOpen) && slices.ContainsFunc(s.pending.uses, markerUse.opensOnlyCalls)
	start, end, inLine := s.heldAt, s.heldAt+s.pending.size, !s.lineBlank
	s.noteContent(s.held)
	s.release()
	if claims {
		s.trackUnmatched(start, end, inLine)
	}
	s.state, s.afterQuotedMarker = inProse, quoted
}

// applyMarker applies a use other than text, like applyUse.
func (s *Scanner) applyMarker(u markerUse, following []byte, ahead bool) (read int) {
	at, text, inLine := s.heldAt, s.pending.text, !s.lineBlank
	s.drop()
	shown := s.isInShownMessage(u)
	if shown {
		s.emitContent(at, text)
	}
	s.state, s.lineBlank, s.afterQuotedMarker, s.textLine = inProse, true, false, lineState{}
	if len(s.pending.uses) == 1 && u.dialect != nil {
		s.hintedDialect = u.dialect
	}
	if u.role != listClose && u.role != listOpen && !s.list.open() {
		s.clearUnmatched(u.role, at, inLine)
	}
	switch u.role {
	case open, openKeep, implicitOpen:
		read = s.enterAtMarker(u, at, text, following, ahead)
	case listOpen:
		s.openListMarker(u.dialect, at, text, inLine)
	case listClose:
		s.closeListMarker(u.dialect, at, text, inLine)
	case ignore:
		s.state = inListGap
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
		s.openListMarker(u.dialect, at, text, true)
	}
	s.enterFrame(u, at, text)
	s.frame.rivals = s.findRivals(u, following)
	return read
}
