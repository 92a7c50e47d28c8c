package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// canStartUnmarkedFrame reports whether a frame without a marker can begin with a byte.
func (s *selector) canStartUnmarkedFrame(c []byte) bool {
	if s.markers.implicitUseFilter != nil {
		return s.markers.implicitUseFilter.lookup(c).possible != 0
	}
	return slices.ContainsFunc(s.markers.implicit, func(u markerUse) bool { return s.verdictOfLookahead(u, c) != no })
}

// canCloseReasoning reports whether a closer can end open reasoning, which the prompt opens only with delimiters of the
// dialect.
func (s *selector) canCloseReasoning(u markerUse) bool {
	t := &s.reasoning
	return t.inside && (t.delimiters == u.delimiters || t.delimiters == nil && len(s.markers.dialects) == 1 && u.dialect != nil)
}

// A selector decides which use of a marker counts, from the text around the marker.
type selector struct {
	sink
	pending       pending  // the latest marker, while it is not resolved
	hintedDialect *Dialect // of the latest marker that only one dialect has
	list          openList // the open marker around calls
}

// A pending marker has been read but not resolved yet.
type pending struct {
	uses      []markerUse      // its possible uses
	useFilter *markerUseFilter // rules out uses by the first bytes after the marker
	excluded  uint64           // uses ruled out among the first 64, one bit each
	size      int              // its length; the held bytes begin with it
	text      string
	skip      string // optional text to skip after it
}

// singleStepBytes is the number of bytes after a marker that are inspected one by one. Beyond them, only the end
// of a word can decide.
const singleStepBytes = 16

// isDecidedWithin reports whether the marker is resolved by the text after it, at its end or from index from on:
// verdicts are final.
func (s *selector) isDecidedWithin(following []byte, from int) bool {
	for len(following) > from && !canDecideAt(following) {
		following = following[:len(following)-1]
	}
	excluded := s.pending.excluded
	if _, v := s.tryResolve(following); v == undecided {
		return false
	}
	s.pending.excluded = excluded // not ruled out at a shorter length
	return true
}

// lookaheadNeeded returns the length of text needed to resolve the marker, at least from.
func (s *selector) lookaheadNeeded(following []byte, from int) int {
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

// tryResolve resolves a marker with the text after it, if possible.
func (s *selector) tryResolve(following []byte) (markerUse, verdict) {
	if !canDecideAt(following) {
		return markerUse{}, undecided
	}
	return s.resolve(following)
}

// resolveNow resolves a marker that must be resolved now.
func (s *selector) resolveNow(following []byte) (markerUse, verdict) {
	u, v := s.resolve(following)
	if v != yes {
		return markerUse{}, no
	}
	return u, v
}

// resolve returns the first use of the pending marker that is possible with the text after it.
func (s *selector) resolve(following []byte) (markerUse, verdict) {
	s.steps += len(following)
	result, v := markerUse{}, no
	bits := s.pending.useFilter.lookup(following)
	s.pending.excluded |= ^bits.possible
	for i, u := range s.pending.uses {
		if s.pending.excluded>>i&1 != 0 {
			continue
		}
		c := undecided
		if bits.certain>>i&1 != 0 || i >= 64 {
			c = s.verdictOfUse(u, following)
		} else if s.isExcludedByContext(u) {
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
func (s *selector) findRivals(u markerUse, following []byte) rivals {
	o := rivals{uses: s.pending.uses}
	if s.detected.calls || len(s.markers.dialects) == 1 || u.dialect == s.hintedDialect {
		return o
	}
	bits := s.pending.useFilter.lookup(following)
	for i, other := range o.uses {
		if bits.certain>>i&1 != 0 && other.dialect != nil && other.dialect != u.dialect && other.role <= openKeep && s.verdictOfUse(other, following) == yes {
			o.count |= 1 << i
		}
	}
	return o
}

// verdictOfUse returns whether a use of the marker counts here.
func (s *selector) verdictOfUse(u markerUse, following []byte) verdict {
	if s.isExcludedByContext(u) {
		return no
	}
	if v := s.verdictWithToolName(u, following); v != yes || !s.isQuoted(u.role) {
		return v
	}
	return no
}

// isExcludedByContext reports whether a use cannot count here, whatever follows.
func (s *selector) isExcludedByContext(u markerUse) bool {
	t := &s.reasoning
	switch u.role {
	case reasoningOpen, reasoningClose:
		if s.isMentionInAnswer(u.role) {
			return true
		}
		if u.role == reasoningClose && u.delimiters.sharedCloser && !s.canCloseReasoning(u) || t.mode == ReasoningOff || !t.inside && s.foreign.isOpenInMarkdown() && (u.role == reasoningOpen || s.foreign.quotesReasoning) {
			return true
		}
	case fenceRun:
		return !s.canFenceBegin()
	case lateFence:
		return t.inside || s.foreign.isOpenInMarkdown() || s.linePrefix == inBlockQuote || s.canFenceBegin() || s.textLine.lastByte == u.text[0]
	case continuation:
		if !slices.Contains(s.rawTextDialects, u.dialect) || t.inside {
			return true
		}
	case resultOpen:
		if t.inside || s.foreign.isOpenInMarkdown() || s.lastCall.dialect == nil || u.dialect != nil && s.lastCall.dialect != u.dialect {
			return true
		}
	case openBrace, implicitOpen:
		if t.inside || s.linePrefix == inBlockQuote || u.role == implicitOpen && (s.foreign.isOpen() || s.isQuoted(open)) {
			return true
		}
	}
	return u.lineStart && !s.isLineBlank() || u.marker != nil && u.messageStart && s.message.hasText
}

// isMentionInAnswer reports whether a marker of reasoning is part of the text of an answer.
func (s *selector) isMentionInAnswer(r role) bool {
	t := &s.reasoning
	return s.markers.dialects[0].framing.isAnswer && !t.inside && (t.mentioned || r == reasoningOpen && s.hasBegun)
}

// canFenceBegin reports whether a fence can begin or end here: at the start of a line, or begin after the marker of a list.
func (s *selector) canFenceBegin() bool {
	return s.isLineBlank() || s.linePrefix == afterListMarkers && !s.foreign.isOpenInMarkdown()
}

// verdictWithToolName is verdictOfUse plus a check of the tool name where the use needs one.
func (s *selector) verdictWithToolName(u markerUse, following []byte) verdict {
	if v := s.verdictOfLookahead(u, following); v != yes || !s.isUnknownTool(u, following) {
		return v
	}
	return no
}

// isUnknownTool reports whether a use needs a known tool name after the marker and the name is unknown.
func (s *selector) isUnknownTool(u markerUse, following []byte) bool {
	if !u.needsTool || s.tools == nil {
		return false
	}
	_, known := s.tools[calleeName(following)]
	return !known
}

// verdictOfLookahead returns the verdict of the lookahead of a use.
func (s *selector) verdictOfLookahead(u markerUse, following []byte) verdict {
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
func (s *selector) isQuoted(r role) bool {
	switch {
	case r <= listOpen:
		return s.foreign.isCode || s.linePrefix == inBlockQuote || s.textLine.isInInlineCode() || s.textLine.isAfterQuote() || s.afterQuotedMarker
	case r == reasoningClose && s.reasoning.inside:
		return s.textLine.isAfterTick()
	case r == listClose:
		return s.foreign.isCode || s.textLine.reported || s.textLine.isInInlineCode()
	}
	return r < fenceRun && s.textLine.isInInlineCode()
}

// reportQuotedMarker reports, once per fence or line, a marker that would begin a call if it were not quoted.
func (s *selector) reportQuotedMarker(following []byte) {
	reported, where := &s.textLine.reported, "is quoted"
	if s.foreign.isCode {
		reported, where = &s.foreign.reported, "is in a fence of another language"
	}
	begun := func(u markerUse) bool {
		return (u.role <= openKeep || u.role == listOpen && s.isDoubtfulQuote(u.role)) && s.isQuoted(u.role) && s.verdictWithToolName(u, following) == yes
	}
	if s.reasoning.inside || !slices.ContainsFunc(s.pending.uses, begun) {
		return
	}
	s.quoteHasCall = s.quoteHasCall || s.linePrefix == inBlockQuote
	if *reported {
		return
	}
	*reported = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this marker %s and begins no call", where)
	if s.isDoubtfulQuote(open) {
		f.Hint = "put the call on a line of its own"
	} else {
		f.Severity = diag.Info
	}
	s.report(f)
}

// isDoubtfulQuote reports whether a block quote may have ended before the pending marker: no blank separates them, or it is a
// control token that begins a call, which text seldom quotes.
func (s *selector) isDoubtfulQuote(r role) bool {
	l := &s.textLine
	if s.linePrefix != inBlockQuote || s.foreign.isCode || l.isInInlineCode() || l.isAfterQuote() {
		return false
	}
	return !isBlank(l.lastByte) && l.lastByte != '>' || r <= openKeep && strings.ContainsAny(s.pending.text, "|｜")
}

// reportMarkerAfterText reports, once per line, a marker that would begin a call without the text before it.
func (s *selector) reportMarkerAfterText() {
	if s.textLine.reported || s.reasoning.inside || !s.message.hasText || !slices.ContainsFunc(s.pending.uses, func(u markerUse) bool { return u.messageStart && !s.isQuoted(u.role) }) {
		return
	}
	s.textLine.reported = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this marker follows text of the same message and begins no call")
	f.Hint = "put the call in a message of its own"
	s.report(f)
}

// reportUnknownTool reports text that would be a call if its name were a known tool.
func (s *selector) reportUnknownTool(following []byte) {
	for _, u := range s.pending.uses {
		if s.isUnknownTool(u, following) && s.verdictOfLookahead(u, following) == yes && !s.isQuoted(u.role) {
			at := s.heldAt + s.pending.size
			f := diag.New(diag.NotACall, diag.Bytes(at, at+len(following)), "this has no call marker, and no tool is named %s: it is treated as text", excerpt(calleeName(following)))
			f.Severity = diag.Warning
			s.report(f)
		}
	}
}
