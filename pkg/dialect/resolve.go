package dialect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A pending marker is one of which it is not known yet what it means.
type pending struct {
	uses      []markerUse // what it can mean
	prefilter *prefilter  // tells early what it does not
	excluded  uint64      // those of the first that it does not, a bit for each
	size      int         // its bytes, at the start of those that are held
	text      string      // the marker
	skip      string      // what is passed over after it
}

// singleStepBytes is up to how many bytes after a marker are looked at one by one. After
// them only the end of a word can tell what the marker means.
const singleStepBytes = 16

// readLookahead reads after a marker until it is known what it means.
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

// scanLookahead is readLookahead where nothing after the marker has been read. Where p tells what
// the marker means it is not read, either.
func (s *Scanner) scanLookahead(p []byte) int {
	const few = 4 // most is known then
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

// isDecidedWithin reports whether it is known what a marker means at the end of a text after it,
// or before that from an index on: leads are final.
func (s *Scanner) isDecidedWithin(following []byte, from int) bool {
	for len(following) > from && !canDecideAt(following) {
		following = following[:len(following)-1]
	}
	gone := s.pending.excluded
	if _, v := s.decide(following); v == undecided {
		return false
	}
	s.pending.excluded = gone // which it may not be so early
	return true
}

// shortestLookahead returns how much of a text is needed to know what the marker before it means,
// an index at least.
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

// canDecideAt reports whether it can be known at the end of a text after a marker what the
// marker means.
func canDecideAt(following []byte) bool {
	n := len(following)
	return n <= singleStepBytes || !isSpace(following[n-1]) && (!isNumberedNameByte(following[n-1]) || isSpace(following[n-2]))
}

// decide returns what a marker means with this text after it, if that is known.
func (s *Scanner) decide(following []byte) (markerUse, verdict) {
	if !canDecideAt(following) {
		return markerUse{}, undecided
	}
	return s.resolve(following)
}

// forceDecision returns what a marker means of which it must be known now.
func (s *Scanner) forceDecision(following []byte) (markerUse, verdict) {
	u, v := s.resolve(following)
	if v != yes {
		return markerUse{}, no
	}
	return u, v
}

// closeLookahead takes the text after a marker at the end of the text. Of several
// uses one that needs nothing more after the marker counts. A marker of calls with
// nothing after it is what is left of one, unless it is a word; where another marker
// should be, no arguments after it make it one as well.
func (s *Scanner) closeLookahead() {
	following := s.held[s.pending.size:]
	u, v := s.resolve(following)
	word := !bytes.ContainsFunc(s.held[:s.pending.size], func(r rune) bool { return r >= utf8.RuneSelf || !isNameByte(byte(r)) })
	word = word || u.marker != nil && u.missingOpener != "" && bytes.IndexByte(following, '{') < 0
	cut := v == undecided && u.role <= listOpen && !word
	if v == undecided && len(s.markers.dialects) == 1 && u.role == open && !word {
		v, cut = yes, cut && u.bodyGrammar().memberNames != nil // the reader of a call with a name before it says so as well
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

// resolve returns what a marker means, with this text after it: the first of its
// uses that it can have there.
func (s *Scanner) resolve(following []byte) (markerUse, verdict) {
	s.steps += len(following)
	result, v := markerUse{}, no
	told := s.pending.prefilter.lookup(following)
	s.pending.excluded |= ^told.possible
	for i, u := range s.pending.uses {
		if s.pending.excluded>>i&1 != 0 {
			continue
		}
		c := undecided
		if told.certain>>i&1 != 0 || i >= 64 {
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

// findRivals returns the uses in which a marker could begin a frame of another dialect,
// until that of the response has been told.
func (s *Scanner) findRivals(u markerUse, following []byte) rivals {
	o := rivals{uses: s.pending.uses}
	if s.detected.calls || len(s.markers.dialects) == 1 || u.dialect == s.hintedDialect {
		return o
	}
	told := s.pending.prefilter.lookup(following)
	for i, other := range o.uses {
		if told.certain>>i&1 != 0 && other.dialect != nil && other.dialect != u.dialect && other.role <= openKeep && s.useVerdict(other, following) == yes {
			o.count |= 1 << i
		}
	}
	return o
}

// rivals are uses of a marker, of which those count that have their bit set.
type rivals struct {
	uses  []markerUse
	count uint64
}

// dialects returns the names of their dialects.
func (o rivals) dialects() []string {
	var names []string
	for i, u := range o.uses {
		if o.count>>i&1 != 0 && !slices.Contains(names, u.dialect.Name) {
			names = append(names, u.dialect.Name)
		}
	}
	return names
}

// useVerdict reports whether a marker has a use here.
func (s *Scanner) useVerdict(u markerUse, following []byte) verdict {
	if s.isBarred(u) {
		return no
	}
	if v := s.matchesTool(u, following); v != yes || !s.isQuoted(u.role) {
		return v
	}
	return no
}

// isBarred reports whether a marker cannot have a use here, whatever follows it.
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

// matchesTool reports whether this text can follow a marker in one of its uses.
func (s *Scanner) matchesTool(u markerUse, following []byte) verdict {
	if v := s.matches(u, following); v != yes || !s.isUnknownTool(u, following) {
		return v
	}
	return no
}

// isUnknownTool reports whether a marker needs the name of a tool after it, and another one
// is there.
func (s *Scanner) isUnknownTool(u markerUse, following []byte) bool {
	if !u.needsTool || s.tools == nil {
		return false
	}
	_, known := s.tools[callee(following)]
	return !known
}

// matches is leads where any name is that of a tool.
func (s *Scanner) matches(u markerUse, following []byte) verdict {
	switch {
	case u.ownLookahead != nil && len(s.markers.dialects) == 1:
		return u.ownLookahead(following)
	case u.lookahead != nil:
		return u.lookahead(following)
	}
	return yes
}

// isQuoted reports whether a marker of that role means nothing here because it is
// quoted: in inline code, after a quote, or in a fence of a program.
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

// reportQuoted reports, once for a fence or a line, that a marker would begin a call if it
// were not quoted.
func (s *Scanner) reportQuoted(following []byte) {
	told, where := &s.textLine.reported, "is quoted"
	if s.foreign.isCode {
		told, where = &s.foreign.reported, "is in a fence of another language"
	}
	begun := func(u markerUse) bool {
		return u.role <= openKeep && s.isQuoted(u.role) && s.matchesTool(u, following) == yes
	}
	if *told || s.reasoning.inside || !slices.ContainsFunc(s.pending.uses, begun) {
		return
	}
	*told = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this marker %s and begins no call", where)
	f.Severity = diag.Info
	s.report(f)
}

// reportAfterText reports, once a line, a marker that would begin a call if no text came before it.
func (s *Scanner) reportAfterText() {
	if s.textLine.reported || s.reasoning.inside || !s.message.hasText || !slices.ContainsFunc(s.pending.uses, func(u markerUse) bool { return u.messageStart && !s.isQuoted(u.role) }) {
		return
	}
	s.textLine.reported = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this marker follows text of the same message and begins no call")
	f.Hint = "put the call in a message of its own"
	s.report(f)
}

// reportUnknownTool reports what would begin a call if it named a tool.
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

// applyUse continues after a marker whose use is known, or that has none here. What is
// after it has been read, and is read again, or is ahead, and mean returns how much of
// it is read.
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

// treatAsText makes text of a marker that has no use here.
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

// applyMarker continues after a marker that is no text, as mean does.
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

// enterAtMarker enters a frame at a marker, which is a part of the body or precedes it. It
// returns how much it reads of what is ahead.
func (s *Scanner) enterAtMarker(u markerUse, at int, text string, following []byte, ahead bool) (read int) {
	switch {
	case u.role != open:
		if u.text == "" { // what was held is a separator
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
