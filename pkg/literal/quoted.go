package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// NewQuoted returns a scanner for one object whose keys have no quotes and whose
// strings stand between two marks, as in {key:MARKtextMARK,count:1}. The text
// between two marks is verbatim: nothing in it is an escape. Blanks may stand
// before the object, and it is Done exactly with its closing brace. Strings in
// other quotes or none, and a mark too many or too few, are read with a finding;
// where more than one reading is possible the status says so. The mark must not
// be empty.
//
// That the closing mark of the last string is missing is known only later: the
// object is Done then although more has been read, see [Scanner.Taken].
func NewQuoted(mark string, o Options) *Scanner {
	s := &Scanner{goal: aQuoted, settings: settings{lang: quoted, private: mark}}
	s.Reset(o)
	return s
}

// quotedToken reads the first byte of a token.
func (s *Scanner) quotedToken(p []byte) int {
	c := p[0]
	marked := c == s.private[0] && s.begins(s.private, p)
	switch {
	case s.undecided:
		return 0
	case s.phase != arguing && marked:
		s.mode = inPrivate
		return len(s.private)
	case s.phase != arguing:
		return s.passQuoted(c)
	case s.args.want == wantNext && strings.IndexByte(",]}", c) < 0:
		return s.behindValue(marked)
	case marked:
		s.openPrivate(s.at)
		return len(s.private)
	}
	return s.quotedArgument(c)
}

// quotedArgument reads the first byte of a token that is no mark.
func (s *Scanner) quotedArgument(c byte) int {
	switch {
	case len(s.args.open) == 0 && c != '{':
		s.fault(diag.BadLiteral, s.at, s.at+1, "an opening brace is missing")
		return 0
	case s.isQuote(c) || strings.IndexByte("{}[],:", c) >= 0:
		return s.argument(c)
	}
	s.token = s.at
	switch s.args.want {
	case wantKey:
		s.mode = inBareKey
	case wantColon:
		s.colonMissing(s.at)
	default:
		s.mode = inBare
	}
	return 0
}

// passQuoted reads a byte on the way to the end of an object with a fault. Only
// marks are quotes there: an apostrophe must not hide the end.
func (s *Scanner) passQuoted(c byte) int {
	switch c {
	case '{':
		s.passing.depth++
	case '}':
		s.passing.depth--
		if s.passing.depth == 0 {
			s.endBareOpen("")
			s.end, s.state = s.at+1, Bad
		}
	}
	return 1
}

// openPrivate begins a string behind a mark.
func (s *Scanner) openPrivate(mark int) {
	s.openString(0, mark)
	s.mode = inPrivate
}

// privateText reads the text between two marks.
func (s *Scanner) privateText(p []byte) int {
	first, n := s.private[0], 0
	if p[0] == first {
		switch {
		case s.begins(s.private, p):
			s.closePrivate()
			return len(s.private)
		case s.undecided:
			return 0
		}
		n = 1
	}
	for n < len(p) && plainInDouble[p[n]] && p[n] != first {
		n++
	}
	if n == 0 || !plainInDouble[p[0]] {
		s.putRune(rune(p[0]))
		return 1
	}
	s.put(p[:n])
	return n
}

// closePrivate ends a string in front of its closing mark.
func (s *Scanner) closePrivate() {
	s.mode = inGap
	if !s.reading() {
		return
	}
	a, end := &s.args, s.at+len(s.private)
	a.out = append(a.out, '"')
	text := s.token + len(s.private)
	if raw := s.Kept(text); !utf8.ValidString(raw) {
		at := text + invalidAt(raw)
		s.fault(diag.InvalidUTF8, at, at+1, "the string holds bytes that are not UTF-8")
		return
	}
	if !s.str.key {
		s.endItem(end)
		s.last = lastString{kind: inMarks, from: s.str.from, text: text, mark: s.at, end: end}
		return
	}
	s.note(diag.QuoteCharacter, s.token, end, diag.Warning, "the key stands between marks").
		fix("remove them", s.keyFix(s.Kept(text)), diag.Edit{Start: s.token, End: text}, diag.Edit{Start: s.at, End: end})
	s.endKey(s.str.from, end, false)
}

// keyFix says whether the quotes around a key, with which a text begins, can be
// removed.
func (s *Scanner) keyFix(text string) diag.FixKind {
	for i := range len(text) {
		switch c := text[i]; {
		case s.isQuote(c):
			return diag.Safe
		case !isBareKeyByte(c) || s.mayInterrupt(c):
			return diag.Unsafe
		}
	}
	return diag.Safe
}

// noteOtherQuotes notes a string in other quotes than the marks. Between these its text is the value: where that is
// the same, nothing in it is an escape or needs one. A key has neither.
func (s *Scanner) noteOtherQuotes(end int) {
	raw := s.Kept(s.token + 1)
	if s.str.key {
		s.note(diag.QuoteCharacter, s.token, end, diag.Warning, "the key has quotes").
			fix("remove them", s.keyFix(raw), diag.Edit{Start: s.token, End: s.token + 1}, diag.Edit{Start: end - 1, End: end})
		s.noteString(end)
		return
	}
	n := s.note(diag.QuoteCharacter, s.token, end, diag.Warning, "the string is in quotes instead of the dialect's string marks")
	if string(appendText(nil, raw[:end-1-s.token-1])) == string(s.args.out[s.str.from:]) {
		n.fix("write the marks", diag.Safe, s.writeMarks(end)...)
	} else {
		s.noteString(end)
	}
}

// writeMarks returns the edits that put marks in the place of the quotes around a string.
func (s *Scanner) writeMarks(end int) []diag.Edit {
	return []diag.Edit{{Start: s.token, End: s.token + 1, New: s.private}, {Start: end - 1, End: end, New: s.private}}
}

// doubt records that there is more than one reading.
func (s *Scanner) doubt(code diag.Code, start, end int, format string, args ...any) note {
	s.ambiguous = true
	n := s.note(code, start, end, diag.Error, format, args...)
	if n.finding != nil {
		n.finding.Hint = hints[code]
	}
	return n
}
