package literal

import (
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// NewDelimited returns a scanner for one object with unquoted keys and strings between
// delimiters, as in {key:DELIMtextDELIM,count:1}. The text between two delimiters is verbatim
// and has no escapes. Whitespace may precede the object, and it is Done exactly with its closing
// brace. Quoted and unquoted strings, and extra or missing delimiters, are read with a finding;
// if several readings are possible the status is ambiguous. The delimiter must not be empty.
//
// A missing delimiter of the last string is noticed late: the object is Done then although more
// has been read, see [Scanner.Unread].
func NewDelimited(delimiter string, o Options) *Scanner {
	s := &Scanner{goal: goalDelimited, settings: settings{lang: delimited, delimiter: delimiter}}
	s.Reset(o)
	return s
}

// beginDelimitedToken reads the first byte of a token.
func (s *Scanner) beginDelimitedToken(p []byte) int {
	c := p[0]
	atDelimiter := c == s.delimiter[0] && s.hasPrefix(s.delimiter, p)
	switch {
	case s.undecided:
		return 0
	case s.phase != inArguments && atDelimiter:
		s.mode = inDelimited
		return len(s.delimiter)
	case s.phase != inArguments:
		return s.skipDelimitedByte(c)
	case s.args.want == wantNext && strings.IndexByte(",]}", c) < 0:
		return s.readUnexpectedAfterValue(atDelimiter)
	case atDelimiter:
		s.openDelimitedString(s.pos)
		return len(s.delimiter)
	}
	return s.beginUndelimitedToken(c)
}

// beginUndelimitedToken reads the first byte of a token that is not a delimiter.
func (s *Scanner) beginUndelimitedToken(c byte) int {
	switch {
	case len(s.args.open) == 0 && c != '{':
		s.fail(diag.BadLiteral, s.pos, s.pos+1, "missing opening brace")
		return 0
	case s.isQuote(c) || strings.IndexByte("{}[],:", c) >= 0:
		return s.readArgumentStart(c)
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

// skipDelimitedByte skips a byte of a faulty object. Quotes do not count there, only delimiters:
// an apostrophe must not hide the end.
func (s *Scanner) skipDelimitedByte(c byte) int {
	switch c {
	case '{':
		s.skip.depth++
	case '}':
		s.skip.depth--
		if s.skip.depth == 0 {
			s.extendBareFault("")
			s.end, s.state = s.pos+1, Invalid
		}
	}
	return 1
}

// openDelimitedString begins a string after its opening delimiter.
func (s *Scanner) openDelimitedString(opener int) {
	s.openString(0, opener)
	s.mode = inDelimited
}

// scanDelimitedString reads the text between two delimiters.
func (s *Scanner) scanDelimitedString(p []byte) int {
	first, n := s.delimiter[0], 0
	if p[0] == first {
		switch {
		case s.hasPrefix(s.delimiter, p):
			s.closeDelimitedString()
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

// closeDelimitedString ends a string before its closing delimiter.
func (s *Scanner) closeDelimitedString() {
	s.mode = inGap
	if !s.isWritingOutput() {
		return
	}
	a, end := &s.args, s.pos+len(s.delimiter)
	a.out = append(a.out, '"')
	text := s.tokenStart + len(s.delimiter)
	if raw := s.Captured(text); !utf8.ValidString(raw) {
		at := text + validUTF8Len(raw)
		s.fail(diag.InvalidUTF8, at, at+1, "invalid UTF-8 in a string")
		return
	}
	if !s.str.isKey {
		s.endValue(end)
		s.lastString = lastString{kind: delimitedString, outStart: s.str.outStart, textStart: text, closerStart: s.pos, end: end}
		return
	}
	s.note(diag.QuoteCharacter, s.tokenStart, end, diag.Warning, "unexpected string delimiters around the key").
		addFix("remove them", s.unquoteKeyFixKind(s.Captured(text)), diag.Edit{Start: s.tokenStart, End: text}, diag.Edit{Start: s.pos, End: end})
	s.endKey(s.str.outStart, end, false)
}

// unquoteKeyFixKind returns the kind of the fix that removes the quotes around a key at the start of a
// text.
func (s *Scanner) unquoteKeyFixKind(text string) diag.FixKind {
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

// noteQuotesInsteadOfDelimiters reports a string in quotes. Replacing them by delimiters is a safe fix if the
// string has no escapes and needs none. A key has neither quotes nor delimiters.
func (s *Scanner) noteQuotesInsteadOfDelimiters(end int) {
	raw := s.Captured(s.tokenStart + 1)
	if s.str.isKey {
		s.note(diag.QuoteCharacter, s.tokenStart, end, diag.Warning, "unexpected quotes around the key").
			addFix("remove them", s.unquoteKeyFixKind(raw), diag.Edit{Start: s.tokenStart, End: s.tokenStart + 1}, diag.Edit{Start: end - 1, End: end})
		s.noteStringRepairs(end)
		return
	}
	n := s.note(diag.QuoteCharacter, s.tokenStart, end, diag.Warning, "quotes instead of the dialect's string delimiters")
	if string(appendJSONString(nil, raw[:end-1-s.tokenStart-1])) == string(s.args.out[s.str.outStart:]) {
		n.addFix("use string delimiters", diag.Safe, s.editsToDelimiters(end)...)
	} else {
		s.noteStringRepairs(end)
	}
}

// editsToDelimiters returns the edits that replace the quotes around a string by delimiters.
func (s *Scanner) editsToDelimiters(end int) []diag.Edit {
	return []diag.Edit{{Start: s.tokenStart, End: s.tokenStart + 1, New: s.delimiter}, {Start: end - 1, End: end, New: s.delimiter}}
}

// noteAmbiguous reports an ambiguous reading.
func (s *Scanner) noteAmbiguous(code diag.Code, start, end int, format string, args ...any) note {
	s.ambiguous = true
	n := s.note(code, start, end, diag.Error, format, args...)
	if n.finding != nil {
		n.finding.Hint = hints[code]
	}
	return n
}
