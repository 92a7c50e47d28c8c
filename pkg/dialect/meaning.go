package dialect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A pending mark is one of which it is not known yet what it means.
type pending struct {
	uses  []use  // what it can mean
	early *early // tells early what it does not
	gone  uint64 // those of the first that it does not, a bit for each
	size  int    // its bytes, at the start of those that are held
	text  string // the mark
	skip  string // what is passed over behind it
}

// words is up to how many bytes behind a mark are looked at one by one. Behind
// them only the end of a word can tell what the mark means.
const words = 16

// readLead reads behind a mark until it is known what it means.
func (s *Scanner) readLead(p []byte) int {
	behind := s.held[s.pending.size:]
	switch len(behind) {
	case 0:
		return s.lookAhead(p)
	case longestLead:
		u, v := s.forced(behind)
		s.mean(u, v, behind, false)
		return 0
	}
	s.hold(p[:1])
	behind = s.held[s.pending.size:]
	if u, v := s.decided(behind); v != more {
		s.mean(u, v, behind, false)
	}
	return 1
}

// lookAhead is readLead where nothing behind the mark has been read. Where p tells what
// the mark means it is not read, either.
func (s *Scanner) lookAhead(p []byte) int {
	const few = 4 // most is known then
	most := min(len(p), longestLead)
	for n := range min(few, most+1) {
		if u, v := s.decided(p[:n]); v != more {
			return s.mean(u, v, p[:n], true)
		}
	}
	for from, to := few, 0; from <= most; from = to + 1 {
		to = min(from+words, most)
		if s.knownBy(p[:to], from) {
			n := s.leastLead(p[:to], from)
			u, v := s.decided(p[:n])
			return s.mean(u, v, p[:n], true)
		}
	}
	if len(p) > longestLead {
		behind := p[:longestLead]
		u, v := s.forced(behind)
		return s.mean(u, v, behind, true)
	}
	s.hold(p)
	return len(p)
}

// knownBy reports whether it is known what a mark means at the end of a text behind it,
// or before that from an index on: leads are final.
func (s *Scanner) knownBy(behind []byte, from int) bool {
	for len(behind) > from && !tells(behind) {
		behind = behind[:len(behind)-1]
	}
	gone := s.pending.gone
	if _, v := s.decided(behind); v == more {
		return false
	}
	s.pending.gone = gone // which it may not be so early
	return true
}

// leastLead returns how much of a text is needed to know what the mark before it means,
// an index at least.
func (s *Scanner) leastLead(behind []byte, from int) int {
	to := len(behind)
	for from < to {
		if middle := (from + to) / 2; s.knownBy(behind[:middle], from) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return to
}

// tells reports whether it can be known at the end of a text behind a mark what the
// mark means.
func tells(behind []byte) bool {
	n := len(behind)
	return n <= words || !isSpace(behind[n-1]) && (!isCountedByte(behind[n-1]) || isSpace(behind[n-2]))
}

// decided returns what a mark means with this text behind it, if that is known.
func (s *Scanner) decided(behind []byte) (use, verdict) {
	if !tells(behind) {
		return use{}, more
	}
	return s.meaning(behind)
}

// forced returns what a mark means of which it must be known now.
func (s *Scanner) forced(behind []byte) (use, verdict) {
	u, v := s.meaning(behind)
	if v != yes {
		return use{}, no
	}
	return u, v
}

// closeLead takes what stands behind a mark at the end of the text. Of several
// uses one that needs nothing more behind the mark counts. A mark of calls with
// nothing behind it is what is left of one, unless it is a word; where another mark
// should stand, no arguments behind it make it one, too.
func (s *Scanner) closeLead() {
	behind := s.held[s.pending.size:]
	u, v := s.meaning(behind)
	word := !bytes.ContainsFunc(s.held[:s.pending.size], func(r rune) bool { return r >= utf8.RuneSelf || !isNameByte(byte(r)) })
	word = word || u.mark != nil && u.lacks != "" && bytes.IndexByte(behind, '{') < 0
	cut := v == more && u.role <= wraps && !word
	if v == more && len(s.marks.rows) == 1 && u.role == begins && !word {
		v, cut = yes, cut && u.reads().form != nil // the reader of a call with a name before it says so, too
	}
	for _, other := range s.pending.uses {
		if v == more && s.counts(other, behind) == yes {
			u, v, cut = other, yes, false
		}
	}
	if cut {
		s.find(diag.New(diag.CutCall, diag.Bytes(s.heldAt, s.at), "the text ends after %s, before any call", s.held[:s.pending.size]))
	}
	s.mean(u, v, behind, false)
	s.cut = s.cut || cut
}

// meaning returns what a mark means, with this text behind it: the first of its
// uses that it can have there.
func (s *Scanner) meaning(behind []byte) (use, verdict) {
	s.steps += len(behind)
	result, v := use{}, no
	told := s.pending.early.tell(behind)
	s.pending.gone |= ^told.may
	for i, u := range s.pending.uses {
		if s.pending.gone>>i&1 != 0 {
			continue
		}
		c := more
		if told.does>>i&1 != 0 || i >= 64 {
			c = s.counts(u, behind)
		} else if s.barred(u) {
			c = no
		}
		switch {
		case c == no:
			s.pending.gone |= 1 << i
		case u.row != nil && (u.row == s.wrap.row || u.row == s.hint || u.role == unwraps && u.row == s.frame.row): // what stands before has told the dialect
			return u, c
		case v == no:
			result, v = u, c
		}
	}
	return result, v
}

// others returns the uses in which a mark could begin a frame of another dialect,
// until that of the response has been told.
func (s *Scanner) others(u use, behind []byte) others {
	o := others{uses: s.pending.uses}
	if s.detected.calls || len(s.marks.rows) == 1 || u.row == s.hint {
		return o
	}
	told := s.pending.early.tell(behind)
	for i, other := range o.uses {
		if told.does>>i&1 != 0 && other.row != nil && other.row != u.row && other.role <= takes && s.counts(other, behind) == yes {
			o.count |= 1 << i
		}
	}
	return o
}

// others are uses of a mark, of which those count that have their bit set.
type others struct {
	uses  []use
	count uint64
}

// dialects returns the names of their dialects.
func (o others) dialects() []string {
	var names []string
	for i, u := range o.uses {
		if o.count>>i&1 != 0 && !slices.Contains(names, u.row.Name) {
			names = append(names, u.row.Name)
		}
	}
	return names
}

// counts reports whether a mark has a use here.
func (s *Scanner) counts(u use, behind []byte) verdict {
	if s.barred(u) {
		return no
	}
	if v := s.leads(u, behind); v != yes || !s.quoted(u.role) {
		return v
	}
	return no
}

// barred reports whether a mark cannot have a use here, whatever follows it.
func (s *Scanner) barred(u use) bool {
	t := &s.thinking
	switch u.role {
	case thinks, thought:
		if u.role == thought && u.wrapper.mixed && !s.isOpen(u.wrapper) || t.mode == ReasoningOff || !t.inside && s.foreign.open() && (u.role == thinks || s.foreign.thinks) {
			return true
		}
	case fences:
		return !s.lineBlank
	case remains:
		if !slices.Contains(s.raw, u.row) || t.inside {
			return true
		}
	case braces, starts:
		if t.inside || u.role == starts && (s.foreign.open() || s.quoted(begins)) {
			return true
		}
	}
	return u.line && !s.lineBlank || u.mark != nil && u.first && s.address.text
}

// leads reports whether this text can follow a mark in one of its uses.
func (s *Scanner) leads(u use, behind []byte) verdict {
	if v := s.looksLed(u, behind); v != yes || !s.unknown(u, behind) {
		return v
	}
	return no
}

// unknown reports whether a mark needs the name of a tool behind it, and another one
// stands there.
func (s *Scanner) unknown(u use, behind []byte) bool {
	if !u.known || s.tools == nil {
		return false
	}
	_, known := s.tools[callee(behind)]
	return !known
}

// looksLed is leads where any name is that of a tool.
func (s *Scanner) looksLed(u use, behind []byte) verdict {
	switch {
	case u.own != nil && len(s.marks.rows) == 1:
		return u.own(behind)
	case u.lead != nil:
		return u.lead(behind)
	}
	return yes
}

// quoted reports whether a mark of that role means nothing here because it is
// quoted: in inline code, behind a quote, or in a fence of a program.
func (s *Scanner) quoted(r role) bool {
	switch {
	case r <= wraps:
		return s.foreign.code || s.line.inCode() || s.line.behindQuote() || s.inQuoted
	case r == thought && s.thinking.inside:
		return s.line.behindTick()
	case r == unwraps:
		return s.foreign.code || s.line.told || s.line.inCode()
	}
	return r < fences && s.line.inCode()
}

// quotes reports, once for a fence or a line, that a mark would begin a call if it
// were not quoted.
func (s *Scanner) quotes(behind []byte) {
	told, where := &s.line.told, "is quoted"
	if s.foreign.code {
		told, where = &s.foreign.told, "stands in a fence of another language"
	}
	begun := func(u use) bool { return u.role <= takes && s.quoted(u.role) && s.leads(u, behind) == yes }
	if *told || s.thinking.inside || !slices.ContainsFunc(s.pending.uses, begun) {
		return
	}
	*told = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this mark %s, and begins no call", where)
	f.Severity = diag.Info
	s.find(f)
}

// follows reports, once a line, a mark that would begin a call if no text came before it.
func (s *Scanner) follows() {
	if s.line.told || s.thinking.inside || !s.address.text || !slices.ContainsFunc(s.pending.uses, func(u use) bool { return u.first && !s.quoted(u.role) }) {
		return
	}
	s.line.told = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this mark follows text of the same message, and begins no call")
	f.Hint = "a call has a message of its own"
	s.find(f)
}

// names reports what would begin a call if it named a tool.
func (s *Scanner) names(behind []byte) {
	for _, u := range s.pending.uses {
		if s.unknown(u, behind) && s.looksLed(u, behind) == yes && !s.quoted(u.role) {
			at := s.heldAt + s.pending.size
			f := diag.New(diag.NotACall, diag.Bytes(at, at+len(behind)), "this has no mark of a call, and no tool is known as %s: it is text", excerpt(callee(behind)))
			f.Severity = diag.Warning
			s.find(f)
		}
	}
}

// mean goes on behind a mark whose use is known, or that has none here. What stands
// behind it has been read, and is read again, or is ahead, and mean returns how much of
// it is read.
func (s *Scanner) mean(u use, v verdict, behind []byte, ahead bool) int {
	if !ahead {
		s.readAgain(behind)
		s.held = s.held[:s.pending.size]
	}
	switch {
	case v != yes:
		s.meansNothing(behind)
	case u.role == fences:
		s.opener = fence{char: s.pending.text[0], length: s.pending.size, at: s.heldAt}
		s.place = inRun
	case u.role == braces:
		s.place = inProse
		s.beginKey()
	case u.role == remains:
		at := s.heldAt
		s.place = inProse
		s.passed(s.held)
		s.release()
		s.goesOn(at, s.pending.text)
	default:
		return s.means(u, behind, ahead)
	}
	return 0
}

// meansNothing makes text of a mark that has no use here.
func (s *Scanner) meansNothing(behind []byte) {
	has := func(fits func(role) bool) bool {
		return slices.ContainsFunc(s.pending.uses, func(u use) bool { return fits(u.role) })
	}
	s.quotes(behind)
	s.follows()
	s.names(behind)
	s.foreign.thinks = s.foreign.thinks || has(func(r role) bool { return r == thinks })
	quoted := s.quoted(wraps) && has(func(r role) bool { return r <= wraps })
	claims := !s.quoted(wraps) && slices.ContainsFunc(s.pending.uses, use.claims)
	start, end, inLine := s.heldAt, s.heldAt+s.pending.size, !s.lineBlank
	s.passed(s.held)
	s.release()
	if claims {
		s.claims(start, end, inLine)
	}
	s.place, s.inQuoted = inProse, quoted
}

// means goes on behind a mark that is no text, as mean does.
func (s *Scanner) means(u use, behind []byte, ahead bool) (read int) {
	at, text, inLine := s.heldAt, s.pending.text, !s.lineBlank
	s.drop()
	shown := s.isShown(u)
	if shown {
		s.content(at, text)
	}
	s.place, s.lineBlank, s.inQuoted, s.line = inProse, true, false, line{}
	if len(s.pending.uses) == 1 && u.row != nil {
		s.hint = u.row
	}
	if u.role != unwraps && u.role != wraps && !s.wrap.open() {
		s.unclaimed(u.role, at, inLine)
	}
	switch u.role {
	case begins, takes, starts:
		read = s.entered(u, at, text, behind, ahead)
	case wraps:
		s.wrapped(u.row, at, text, inLine)
	case unwraps:
		s.unwrapped(u.row, at, text, inLine)
	case silent:
		s.place = inGap
		s.passEdge(u, at)
	case thinks:
		s.beginThinking(u, at, text)
	case thought:
		s.endThinking(u, at, text)
	}
	if shown {
		s.place = inProse
	}
	if s.place != inBody && u.skip != "" {
		s.place, s.pending = inSkip, pending{skip: u.skip}
	}
	return read
}

// entered enters a frame at a mark, which is a part of the body or stands before it. It
// returns how much it reads of what is ahead.
func (s *Scanner) entered(u use, at int, text string, behind []byte, ahead bool) (read int) {
	switch {
	case u.role != begins:
		if u.text == "" { // what was held is a separator
			at, text = at+s.pending.size, ""
		}
		s.given = append(s.given[:0], text...)
		if !ahead {
			s.given = append(s.given, behind...)
		}
	case bytes.HasPrefix(behind, []byte(u.skip)):
		read = len(u.skip)
		text += u.skip
		if !ahead {
			s.readAgain(behind[read:])
		}
	}
	if u.around {
		s.wrapped(u.row, at, text, true)
	}
	s.enter(u, at, text)
	s.frame.also = s.others(u, behind)
	return read
}
