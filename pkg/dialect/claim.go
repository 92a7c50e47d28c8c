package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// A claim is an opening mark of calls behind which neither a call nor a finding has
// come yet: one around calls, or one that begins a call, and what follows it is none.
type claim struct {
	open   bool
	told   bool
	inLine bool   // other text stands before it on its line
	from   int    // behind the mark
	calls  int    // how many came before
	blank  bool   // a blank stands behind it
	broken bool   // a line end does
	head   []byte // the text behind it, up to longestClaim bytes of it
}

// longestClaim bounds what is kept of the text behind a mark: the longest name, and
// what stands around it.
const longestClaim = longestName + 8

// claims takes note of an opening mark of calls, which ends at an offset.
func (s *Scanner) claims(end int, inLine bool) {
	s.claim = claim{open: !s.thinking.inside, inLine: inLine, from: end, calls: s.calls, head: s.claim.head[:0]}
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
		c.blank = c.blank || blanks != ""
		c.broken = c.broken || strings.ContainsAny(blanks, "\r\n")
	}
	n := min(len(rest), longestClaim-len(c.head))
	c.head = append(c.head, rest[:n]...)
	return len(text) - len(rest) + n
}

// unmet reports that no call stands between the open mark and the one that closes it,
// at an offset; not where both are only mentioned in a sentence. It returns whether
// that is so.
func (s *Scanner) unmet(at int, inLine bool) bool {
	c := &s.claim
	if !c.open || c.told || c.calls != s.calls || len(c.head) == 0 || s.thinking.inside {
		return false
	}
	name, next := c.callee()
	known := name != "" && s.knows(name)
	if !known && c.mentioned(name, next, inLine) {
		return false
	}
	f := diag.New(diag.NotACall, diag.Bytes(c.from, at), "no call between these marks: the text is content")
	f.Severity = diag.Warning
	if known {
		f = diag.New(diag.NotACall, diag.Bytes(c.from, at), "this may be a call of %s, but it is not written as one: it is text", excerpt(name))
	}
	if form := s.marks.rows[0].grammar.form; len(s.marks.rows) == 1 && form != nil {
		f.Hint = "a call is " + form.hint()
	}
	s.find(f)
	c.open = false
	return true
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
	return c.blank && strings.IndexByte("({[<=", next) < 0
}

// unclaimed follows a mark at an offset that does not close the one that is open, but
// can stand where that should be closed.
func (s *Scanner) unclaimed(r role, at int, inLine bool) {
	if r == silent || r == drops {
		s.unmet(at, inLine)
	}
	s.claim.open, s.claim.told = false, false
}
