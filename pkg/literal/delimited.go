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
	s := &Scanner{goal: goalDelimited, settings: settings{lang: delimited, delimiter: mark}}
	s.Reset(o)
	return s
}

// delimitedToken reads the first byte of a token.
func (s *Scanner) delimitedToken(p []byte) int {
	c := p[0]
	marked := c == s.delimiter[0] && s.hasPrefix(s.delimiter, p)
	switch {
	case s.undecided:
		return 0
	case s.phase != inArguments && marked:
		s.mode = inDelimited
		return len(s.delimiter)
	case s.phase != inArguments:
		return s.skipDelimitedByte(c)
	case s.args.want == wantNext && strings.IndexByte(",]}", c) < 0:
		return s.readAfterValue(marked)
	case marked:
		s.openDelimited(s.pos)
		return len(s.delimiter)
	}
	return s.delimitedArgument(c)
}

// delimitedArgument reads the first byte of a token that is no mark.
func (s *Scanner) delimitedArgument(c byte) int {
	switch {
	case len(s.args.open) == 0 && c != '{':
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "missing opening brace")
		return 0
	case s.isQuote(c) || strings.IndexByte("{}[],:", c) >= 0:
		return s.readArgument(c)
	}
	s.tokenStart = s.pos
	switch s.args.want {
	case wantKey:
		s.mode = inBareKey
	case wantColon:
		s.failMissingColon(s.pos)
	default:
		s.mode = inBareValue
	}
	return 0
}

// skipDelimitedByte reads a byte on the way to the end of an object with a fault. Only
// marks are quotes there: an apostrophe must not hide the end.
func (s *Scanner) skipDelimitedByte(c byte) int {
	switch c {
	case '{':
		s.skip.depth++
	case '}':
		s.skip.depth--
		if s.skip.depth == 0 {
			s.extendBareFault("")
			s.end, s.state = s.pos+1, Bad
		}
	}
	return 1
}

// openDelimited begins a string behind a mark.
func (s *Scanner) openDelimited(mark int) {
	s.openString(0, mark)
	s.mode = inDelimited
}

// scanDelimited reads the text between two marks.
func (s *Scanner) scanDelimited(p []byte) int {
	first, n := s.delimiter[0], 0
	if p[0] == first {
		switch {
		case s.hasPrefix(s.delimiter, p):
			s.closeDelimited()
			return len(s.delimiter)
		case s.undecided:
			return 0
		}
		n = 1
	}
	for n < len(p) && plainInDouble[p[n]] && p[n] != first {
		n++
	}
	if n == 0 || !plainInDouble[p[0]] {
		s.emitRune(rune(p[0]))
		return 1
	}
	s.emit(p[:n])
	return n
}

// closeDelimited ends a string in front of its closing mark.
func (s *Scanner) closeDelimited() {
	s.mode = inGap
	if !s.isParsing() {
		return
	}
	a, end := &s.args, s.pos+len(s.delimiter)
	a.out = append(a.out, '"')
	text := s.tokenStart + len(s.delimiter)
	if raw := s.Kept(text); !utf8.ValidString(raw) {
		at := text + invalidUTF8Index(raw)
		s.fail(diag.InvalidUTF8, at, at+1, "invalid UTF-8 in a string")
		return
	}
	if !s.str.isKey {
		s.endValue(end)
		s.lastString = lastString{kind: delimitedString, outStart: s.str.outStart, textStart: text, closerStart: s.pos, end: end}
		return
	}
	s.note(diag.QuoteCharacter, s.tokenStart, end, diag.Warning, "unexpected string delimiters around the key").
		fix("remove them", s.keyFixKind(s.Kept(text)), diag.Edit{Start: s.tokenStart, End: text}, diag.Edit{Start: s.pos, End: end})
	s.endKey(s.str.outStart, end, false)
}

// keyFixKind says whether the quotes around a key, with which a text begins, can be
// removed.
func (s *Scanner) keyFixKind(text string) diag.FixKind {
	for i := range len(text) {
		switch c := text[i]; {
		case s.isQuote(c):
			return diag.Safe
		case !isBareKeyByte(c) || s.canInterrupt(c):
			return diag.Unsafe
		}
	}
	return diag.Safe
}

// noteOtherQuotes notes a string in other quotes than the marks. Between these its text is the value: where that is
// the same, nothing in it is an escape or needs one. A key has neither.
func (s *Scanner) noteOtherQuotes(end int) {
	raw := s.Kept(s.tokenStart + 1)
	if s.str.isKey {
		s.note(diag.QuoteCharacter, s.tokenStart, end, diag.Warning, "unexpected quotes around the key").
			fix("remove them", s.keyFixKind(raw), diag.Edit{Start: s.tokenStart, End: s.tokenStart + 1}, diag.Edit{Start: end - 1, End: end})
		s.noteString(end)
		return
	}
	n := s.note(diag.QuoteCharacter, s.tokenStart, end, diag.Warning, "quotes instead of the dialect's string delimiters")
	if string(appendJSONString(nil, raw[:end-1-s.tokenStart-1])) == string(s.args.out[s.str.outStart:]) {
		n.fix("use string delimiters", diag.Safe, s.delimiterEdits(end)...)
	} else {
		s.noteString(end)
	}
}

// delimiterEdits returns the edits that put marks in the place of the quotes around a string.
func (s *Scanner) delimiterEdits(end int) []diag.Edit {
	return []diag.Edit{{Start: s.tokenStart, End: s.tokenStart + 1, New: s.delimiter}, {Start: end - 1, End: end, New: s.delimiter}}
}

// noteAmbiguous records that there is more than one reading.
func (s *Scanner) noteAmbiguous(code diag.Code, start, end int, format string, args ...any) note {
	s.ambiguous = true
	n := s.note(code, start, end, diag.Error, format, args...)
	if n.finding != nil {
		n.finding.Hint = hints[code]
	}
	return n
}
