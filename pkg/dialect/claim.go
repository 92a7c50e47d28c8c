package dialect

import (
	"bytes"
	"fmt"
	"strings"

	"oneshot/pkg/diag"
)

// A claim is an opening mark of calls behind which neither a call nor a finding has
// come yet: one around calls, or one that begins a call, and what follows it is none.
type claim struct {
	open   bool
	told   bool
	inLine bool   // other text stands before it on its line
	mark   int    // where it stands
	from   int    // behind the mark
	calls  int    // how many came before
	blanks int    // how many stand behind it
	broken bool   // a line end does
	head   []byte // the text behind it, up to longestClaim bytes of it
}

// longestClaim bounds what is kept of the text behind a mark: the longest name, and
// what stands around it.
const longestClaim = longestName + 8

// claims takes note of an opening mark of calls between two offsets.
func (s *Scanner) claims(start, end int, inLine bool) {
	s.claim = claim{open: !s.thinking.inside, inLine: inLine, mark: start, from: end, calls: s.calls, head: s.claim.head[:0]}
}

// claims reports whether nothing but calls stands behind a mark: it is no word, either.
func (u use) claims() bool { return u.role <= wraps && !u.common && strings.ContainsAny(u.text, "<[") }

// add takes in text behind the mark, and returns how many bytes were looked at.
func (c *claim) add(text string) int {
	if !c.open || len(c.head) == longestClaim {
		return 0
	}
	rest := text
	if len(c.head) == 0 {
		rest = strings.TrimLeft(text, " \t\r\n")
		blanks := text[:len(text)-len(rest)]
		c.blanks += len(blanks)
		c.broken = c.broken || strings.ContainsAny(blanks, "\r\n")
	}
	n := min(len(rest), longestClaim-len(c.head))
	c.head = append(c.head, rest[:n]...)
	return len(text) - len(rest) + n
}

// empty reports whether neither a call nor a finding, but text has come behind the mark.
func (s *Scanner) empty() bool {
	c := &s.claim
	return c.open && !c.told && c.calls == s.calls && len(c.head) > 0 && !s.thinking.inside
}

// unmet reports that no call stands between the open mark and the one that closes it,
// at an offset; not where both are only mentioned in a sentence. It returns whether
// that is so.
func (s *Scanner) unmet(at int, inLine bool) bool {
	if !s.empty() {
		return false
	}
	f := s.unlike(diag.Bytes(s.claim.from, at), "no call between these marks: the text is content", inLine)
	if f.Severity == diag.Info {
		return false
	}
	s.unfulfilled(f)
	return true
}

// unlike returns what there is to say about text at a place that stands where a call should: no more than a note
// where a sentence mentions the mark. None begins with one that is no text.
func (s *Scanner) unlike(place diag.Span, message string, inLine bool) diag.Finding {
	name, next := s.claim.callee()
	f := diag.New(diag.NotACall, place, "%s", message)
	switch {
	case name != "" && s.knows(name):
		f.Message = fmt.Sprintf("this may be a call of %s, but it is not written as one: it is text", excerpt(name))
	case (s.claim.inLine || !s.wrap.open()) && s.claim.mentioned(name, next, inLine):
		f.Severity = diag.Info
		return f
	default:
		f.Severity = diag.Warning
	}
	if form := s.marks.rows[0].grammar.form; len(s.marks.rows) == 1 && form != nil {
		f.Hint = "a call is " + form.hint()
	}
	return f
}

// unfulfilled passes on a finding about text in the place of a call, unless the end of its message will say so.
func (s *Scanner) unfulfilled(f diag.Finding) {
	if s.claim.open = false; !s.address.lacksCall(s.calls) {
		s.find(f)
	}
}

// closeClaim reports at the end of the text that no call stands behind an open mark. What only mentions one is text,
// unless the mark is left out of that or the response begins with it.
func (s *Scanner) closeClaim() {
	c := &s.claim
	if !s.empty() {
		return
	}
	line, _, _ := bytes.Cut(c.head, []byte{'\n'})
	f := s.unlike(diag.Bytes(c.mark, c.from+c.blanks+len(line)), "no call follows this mark: the text is content", true)
	if f.Severity != diag.Info || s.wrap.open() || c.calls == 0 && s.outside.from == c.mark {
		s.unfulfilled(f)
	}
}

// callee returns the name behind the mark, bare or as that of a tag, and the byte behind
// it, 0 for none.
func (c *claim) callee() (name string, next byte) {
	text := bytes.TrimPrefix(c.head, []byte{'<'})
	n := 0
	for n < len(text) && isNameByte(text[n]) && (n > 0 || text[0] != '.' && text[0] != '-') {
		n++
	}
	if n < len(text) {
		next = text[n]
	}
	return string(text[:n]), next
}

// mentioned reports whether a sentence goes on behind the mark. That is not so where
// what it marks stands on lines of its own, right behind it, or is written like a call.
func (c *claim) mentioned(name string, next byte, inLine bool) bool {
	switch {
	case c.broken && !(c.inLine && inLine):
		return false
	case strings.IndexByte("<{[", c.head[0]) >= 0:
		return false
	case name == "": // punctuation
		return true
	}
	return c.blanks > 0 && strings.IndexByte("({[<=", next) < 0
}

// unclaimed follows a mark at an offset that does not close the one that is open, but
// can stand where that should be closed.
func (s *Scanner) unclaimed(r role, at int, inLine bool) {
	if r == silent || r == drops {
		s.unmet(at, inLine)
	}
	s.claim.open, s.claim.told = false, false
}
