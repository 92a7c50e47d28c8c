package dialect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// A pending mark is one of which it is not known yet what it means.
type pending struct {
	uses []use  // what it can mean
	gone uint64 // those of the first that it does not, a bit for each
	size int    // its bytes, at the start of those that are held
	text string // the mark
}

// words is up to how many bytes behind a mark are looked at one by one. Behind
// them only the end of a word can tell what the mark means.
const words = 16

// readLead reads behind a mark until it is known what it means.
func (s *Scanner) readLead(p []byte) int {
	behind := s.held[s.pending.size:]
	switch len(behind) {
	case 0:
		if s.decided() {
			return 0
		}
	case longestLead:
		u, v := s.meaning(behind)
		if v != yes {
			u, v = use{}, no
		}
		s.mean(u, v)
		return 0
	}
	s.hold(p[:1])
	s.decided()
	return 1
}

// decided goes on behind a mark if it is known what it means.
func (s *Scanner) decided() bool {
	behind := s.held[s.pending.size:]
	if n := len(behind); n > words {
		if c := behind[n-1]; isSpace(c) || isCountedByte(c) && !isSpace(behind[n-2]) {
			return false
		}
	}
	u, v := s.meaning(behind)
	if v != more {
		s.mean(u, v)
	}
	return v != more
}

// closeLead takes what stands behind a mark at the end of the text. Of several
// uses one that needs nothing more behind the mark counts. A mark of calls with
// nothing behind it is what is left of one, unless it is a word.
func (s *Scanner) closeLead() {
	behind := s.held[s.pending.size:]
	u, v := s.meaning(behind)
	word := !bytes.ContainsFunc(s.held[:s.pending.size], func(r rune) bool { return r >= utf8.RuneSelf || !isNameByte(byte(r)) })
	if v == more && u.role <= wraps && !word {
		s.find(diag.New(diag.CutCall, diag.Bytes(s.heldAt, s.at), "the text ends behind %s, before there is a call", s.held[:s.pending.size]))
	}
	if v == more && len(s.marks.rows) == 1 && u.role == begins && !word {
		v = yes
	}
	for _, other := range s.pending.uses {
		if v == more && s.counts(other, behind) == yes {
			u, v = other, yes
		}
	}
	s.mean(u, v)
}

// meaning returns what a mark means, with this text behind it: the first of its
// uses that it can have there.
func (s *Scanner) meaning(behind []byte) (use, verdict) {
	s.steps += len(behind)
	result, v := use{}, no
	for i, u := range s.pending.uses {
		if s.pending.gone>>i&1 != 0 {
			continue
		}
		switch c := s.counts(u, behind); {
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

// others returns the other dialects that a mark could begin a frame of, until the
// dialect of the response has been told.
func (s *Scanner) others(u use, behind []byte) []string {
	var names []string
	if s.detected.calls || len(s.marks.rows) == 1 || u.row == s.hint {
		return nil
	}
	for _, o := range s.pending.uses {
		if o.row != nil && o.row != u.row && (o.role == begins || o.role == takes) && !slices.Contains(names, o.row.Name) && s.counts(o, behind) == yes {
			names = append(names, o.row.Name)
		}
	}
	return names
}

// counts reports whether a mark has a use here.
func (s *Scanner) counts(u use, behind []byte) verdict {
	t := &s.thinking
	switch u.role {
	case thinks, thought:
		if t.mode == ReasoningOff || !t.inside && s.foreign.open() && (u.role == thinks || s.foreign.thinks) {
			return no
		}
	case fences:
		return when(s.lineBlank)
	case remains:
		if !slices.Contains(s.raw, u.row) || s.thinking.inside {
			return no
		}
	case braces, starts:
		if t.inside || u.role == starts && (s.foreign.open() || s.quoted(begins)) {
			return no
		}
	}
	if u.line && !s.lineBlank {
		return no
	}
	if v := s.leads(u, behind); v != yes || !s.quoted(u.role) {
		return v
	}
	return no
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
	begun := func(u use) bool { return u.role <= takes && s.leads(u, behind) == yes && s.quoted(u.role) }
	if *told || s.thinking.inside || !slices.ContainsFunc(s.pending.uses, begun) {
		return
	}
	*told = true
	f := diag.New(diag.QuotedCall, diag.Bytes(s.heldAt, s.heldAt+s.pending.size), "this mark %s, and begins no call", where)
	f.Severity = diag.Info
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

// mean goes on behind a mark whose use is known, or that has none here.
func (s *Scanner) mean(u use, v verdict) {
	behind := s.held[s.pending.size:]
	s.readAgain(behind)
	s.held = s.held[:s.pending.size]
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
		s.means(u, behind)
	}
}

// meansNothing makes text of a mark that has no use here.
func (s *Scanner) meansNothing(behind []byte) {
	has := func(fits func(role) bool) bool {
		return slices.ContainsFunc(s.pending.uses, func(u use) bool { return fits(u.role) })
	}
	s.quotes(behind)
	s.names(behind)
	s.foreign.thinks = s.foreign.thinks || has(func(r role) bool { return r == thinks })
	quoted := s.quoted(wraps) && has(func(r role) bool { return r <= wraps })
	s.passed(s.held)
	s.release()
	s.place, s.inQuoted = inProse, quoted
}

// means goes on behind a mark that is no text.
func (s *Scanner) means(u use, behind []byte) {
	at, text := s.heldAt, s.pending.text
	s.drop()
	s.place, s.lineBlank, s.inQuoted, s.line = inProse, true, false, line{}
	if len(s.pending.uses) == 1 && u.row != nil {
		s.hint = u.row
	}
	switch u.role {
	case begins, takes, starts:
		s.entered(u, at, text, behind)
	case wraps:
		s.wrapped(u.row, at, text)
	case unwraps:
		s.unwrapped(u.row, at, text)
	case silent:
		s.place = inGap
	case thinks:
		s.beginThinking(u, at, text)
	case thought:
		s.endThinking(u, at, text)
	}
	if s.place != inBody && u.skip != "" {
		s.place, s.pending = inSkip, pending{uses: []use{u}}
	}
}

// entered enters a frame at a mark, which is a part of the body or stands before it.
func (s *Scanner) entered(u use, at int, text string, behind []byte) {
	switch {
	case u.role != begins:
		if u.text == "" { // what was held is a separator
			at, text = at+s.pending.size, ""
		}
		s.readAgain(append([]byte(text), behind...))
	case bytes.HasPrefix(behind, []byte(u.skip)):
		s.readAgain(behind[len(u.skip):])
		text += u.skip
	}
	if u.around {
		s.wrapped(u.row, at, text)
	}
	s.enter(u, at, text)
	s.frame.also = s.others(u, behind)
}
