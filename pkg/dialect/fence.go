package dialect

import (
	"bytes"
	"strings"

	"oneshot/pkg/diag"
)

// Bounds of what can be the opening line of a fence of ours. They bound what is
// held back.
const (
	longestRun = 64 // fence characters
	mostBlanks = 8  // between them and the info string
)

// A place is what the next byte belongs to.
type place int

const (
	inProse  place = iota // text, inside or outside a fence that is not ours
	inRun                 // a run of fence characters at the start of a line
	inInfo                // behind such a run, while it can be ours
	inBlanks              // behind such a run and more blanks than ours may have
	inRest                // the rest of the opening line of a fence that is not ours
	inFirst               // a fence of ours, before its first word
	inBody                // a fence of ours
	inCloser              // the run that closes it
	inReopen              // behind that, while another fence of ours may begin
	inTail                // the rest of the closing line
)

// A fence is a run of fence characters.
type fence struct {
	char   byte
	length int
	at     int // its offset
}

func (f fence) open() bool { return f.length > 0 }

// closes reports whether the run closes another's fence.
func (f fence) closes(other fence) bool {
	return f.char == other.char && f.length >= other.length
}

func (f fence) span() diag.Span { return diag.Bytes(f.at, f.at+f.length) }

// step reads the next bytes of p, at least one or else a change of place, and
// returns how many.
func (s *Scanner) step(p []byte) int {
	switch s.place {
	case inRun:
		return s.run(p)
	case inInfo:
		return s.info(p)
	case inBlanks:
		return s.blanks(p)
	case inRest:
		return s.rest(p)
	case inFirst:
		return s.first(p)
	case inBody:
		return s.readBody(p)
	case inCloser:
		return s.closer(p)
	case inReopen:
		return s.afterCloser(p)
	case inTail:
		return s.tail(p)
	}
	return s.prose(p)
}

func isBlank(c byte) bool   { return c == ' ' || c == '\t' }
func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// prose reads text up to the next run of fence characters that begins a line.
func (s *Scanner) prose(p []byte) int {
	mark := s.nextMark(p)
	s.content(p[:mark])
	if mark < len(p) {
		s.opener = fence{char: p[mark], at: s.at + mark}
		s.place, s.lineBlank = inRun, false
	}
	return mark
}

// nextMark returns the index of the next fence character that begins a line, or
// the length of p.
func (s *Scanner) nextMark(p []byte) int {
	for from := 0; ; {
		mark := min(s.seek(&s.backtick, p, from, '`'), s.seek(&s.tilde, p, from, '~'))
		s.lineBlank = s.beginsLine(p[from:mark])
		if s.lineBlank || mark == len(p) {
			return mark
		}
		from = mark + 1
	}
}

// seek returns the index of the next c behind from, or the length of p. Where
// it was found last is in next, so that no byte is searched twice.
func (s *Scanner) seek(next *int, p []byte, from int, c byte) int {
	if *next <= s.at+from {
		i := bytes.IndexByte(p[from:], c)
		if i < 0 {
			i = len(p) - from
		}
		*next = s.at + from + i
		s.steps += i
	}
	return *next - s.at
}

// beginsLine reports whether only blanks stand between the start of a line and
// the end of text, which continues the text that was looked at before.
func (s *Scanner) beginsLine(text []byte) bool {
	i := len(text)
	for i > 0 && isBlank(text[i-1]) {
		i--
	}
	s.steps += len(text) - i
	if i == 0 {
		return s.lineBlank
	}
	return isNewline(text[i-1])
}

// run reads a run of fence characters.
func (s *Scanner) run(p []byte) int {
	n := 0
	for n < len(p) && p[n] == s.opener.char && s.opener.length <= longestRun {
		s.opener.length++
		n++
	}
	s.hold(p[:n])
	switch {
	case s.opener.length > longestRun, n < len(p) && s.opener.length < 3:
		s.text()
	case n < len(p):
		s.place, s.matched, s.folded = inInfo, 0, false
	}
	return n
}

// text makes content of what was held and goes on in the middle of a line.
func (s *Scanner) text() {
	s.release()
	s.place, s.lineBlank = inProse, false
}

// matches reads a byte of the word that decides, if it is one.
func (s *Scanner) matches(word string, c byte) bool {
	if s.matched == len(word) || lower(c) != word[s.matched] {
		return false
	}
	s.folded = s.folded || c != word[s.matched]
	s.matched++
	return true
}

// info reads behind a run of fence characters, up to where it is known whether
// the fence is ours.
func (s *Scanner) info(p []byte) int {
	c, word := p[0], s.dialect.framing.info
	switch {
	case s.matched == 0 && isBlank(c):
		if len(s.held) == s.opener.length+mostBlanks {
			s.release()
			s.place = inBlanks
			return 0
		}
	case s.matches(word, c):
	case s.matched == len(word) && (isBlank(c) || isNewline(c)):
		s.ours()
		return 0
	case s.matched == 0 && isNewline(c):
		s.bare()
		return 0
	default:
		s.other()
		return 0
	}
	s.hold(p[:1])
	return 1
}

// blanks reads on behind a run that is followed by many blanks.
func (s *Scanner) blanks(p []byte) int {
	switch c := p[0]; {
	case isBlank(c):
		s.content(p[:1])
		return 1
	case isNewline(c):
		s.bare()
	default:
		s.other()
	}
	return 0
}

// ours follows the info string of the dialect.
func (s *Scanner) ours() {
	if s.foreign.open() {
		s.text()
		s.find(diag.New(diag.QuotedCall, s.opener.span(), "a %q fence inside another fence is not read", s.dialect.framing.info))
		return
	}
	s.beginFrame()
}

// bare follows a run alone on its line: it opens a fence or closes one.
func (s *Scanner) bare() {
	s.text()
	switch {
	case !s.foreign.open():
		s.foreign = s.opener
	case s.opener.closes(s.foreign):
		s.foreign = fence{}
	}
}

// other follows a run with an info string that is not the dialect's.
func (s *Scanner) other() {
	s.text()
	if !s.foreign.open() {
		s.place = inRest
	}
}

// rest reads the rest of the opening line of a fence that is not ours. Behind
// backticks it holds no backtick, or it is no opening line.
func (s *Scanner) rest(p []byte) int {
	ends := "\r\n"
	if s.opener.char == '`' {
		ends = "`\r\n"
	}
	end := bytes.IndexAny(p, ends)
	if end < 0 {
		s.content(p)
		return len(p)
	}
	s.content(p[:end])
	s.place = inProse
	if p[end] == '`' {
		return end
	}
	s.foreign = s.opener
	if word := s.dialect.framing.info; s.matched == len(word) {
		s.find(diag.New(diag.QuotedCall, s.opener.span(), "a fence is read when it is marked %q alone", word))
	}
	return end
}

// closer reads on in the run that closes a frame.
func (s *Scanner) closer(p []byte) int {
	if p[0] == s.opener.char {
		s.opener.length++
		return 1
	}
	s.place, s.matched, s.folded = inReopen, 0, false
	return 0
}

// afterCloser reads behind a closing run. If the info string of the dialect
// stands there, the run was meant to open the next fence.
func (s *Scanner) afterCloser(p []byte) int {
	c, word := p[0], s.dialect.framing.info
	switch {
	case s.matches(word, c):
		s.hold(p[:1])
		return 1
	case s.matched == len(word) && (isBlank(c) || isNewline(c)) && s.opener.length <= longestRun:
		s.reopen()
	case s.matched > 0:
		s.trailing(s.at - s.matched)
	default:
		s.place = inTail
	}
	return 0
}

// reopen begins a frame at the run that closed the last.
func (s *Scanner) reopen() {
	s.unclosed(s.opener.at)
	s.beginFrame()
}

// unclosed reports the open frame, which should have been closed at offset at.
func (s *Scanner) unclosed(at int) {
	f := diag.New(diag.UnclosedFence, s.frame.span(), "the fence is not closed")
	closer := strings.Repeat(string(s.frame.char), s.frame.length)
	switch {
	case at < s.at: // another fence begins there
		f.Fixes = fix("close the fence", diag.Edit{Start: at, End: at, New: closer + "\n"})
	case isNewline(s.last):
		f.Fixes = fix("close the fence", diag.Edit{Start: at, End: at, New: closer})
	case s.last != s.frame.char:
		f.Fixes = fix("close the fence", diag.Edit{Start: at, End: at, New: "\n" + closer})
	}
	s.find(f)
}

// fix returns one safe fix.
func fix(title string, edits ...diag.Edit) []diag.Fix {
	return []diag.Fix{{Title: title, Kind: diag.Safe, Edits: edits}}
}

// tail reads the rest of a closing line, which should be blank.
func (s *Scanner) tail(p []byte) int {
	if isBlank(p[0]) {
		s.content(p[:1])
		return 1
	}
	if isNewline(p[0]) {
		s.text()
	} else {
		s.trailing(s.at)
	}
	return 0
}

// trailing reports text behind a closing fence.
func (s *Scanner) trailing(at int) {
	s.lineFinding(diag.Bytes(at, at), "text stands behind the closing fence on its line")
	s.text()
}

// lineFinding reports that a line should end at the start of a place, and be
// continued at its end.
func (s *Scanner) lineFinding(place diag.Span, message string) {
	f := diag.New(diag.FenceLine, place, "%s", message)
	f.Fixes = fix("break the line", diag.Edit{Start: place.Start, End: place.End, New: "\n"})
	s.find(f)
}
