package literal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// escape reads the byte behind a backslash.
func (s *Scanner) escape(c byte) int {
	s.mode, s.lineBlank = inText, isNewline(c)
	if !s.reading() {
		s.str.newline = c == '\r'
		return 1
	}
	if s.str.high != 0 && c != 'u' && s.loneSurrogate() {
		return 0
	}
	switch {
	case s.str.verbatim:
		return s.verbatimEscape(c)
	case s.lang == python:
		return s.pythonEscape(c)
	case s.jsonStrings() && !isJSONEscape(c):
		return s.otherEscape(c)
	}
	switch c {
	case 'n', 't', 'r', 'b', 'f', 'v':
		s.putRune(named[c])
		s.str.known = true
	case '\'', '"', '`', '\\', '/':
		s.putRune(rune(c))
	case '\r', '\n': // a line continuation
		s.str.newline = c == '\r'
	case 'x', 'u', '0':
		s.str.kind, s.str.digits, s.str.value, s.mode = c, 0, 0, inDigits
	default:
		if s.str.quote == '`' && (c == '$' || c == '{') {
			s.putRune(rune(c))
			break
		}
		s.unknownEscape()
		return 0
	}
	return 1
}

// named are the escapes that are written with a letter.
var named = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// unknownEscape keeps an escape that does not exist as it is written, with its
// backslash: most are in Windows paths and regular expressions.
func (s *Scanner) unknownEscape() {
	start := s.str.escape
	s.mode, s.str.unknown = inText, true
	s.put([]byte(`\\`))
	s.put([]byte(s.Kept(start + 1)))
	s.mend(&s.str.escapes, diag.Edit{Start: start, End: start + 1, New: `\\`})
}

// digit reads a byte of \xHH, \uHHHH or \u{H…}, or what follows \0.
func (s *Scanner) digit(c byte) int {
	str := &s.str
	if n, ok := s.pythonDigit(c); ok {
		return n
	}
	if str.kind == '0' {
		s.null(c)
		return 0
	}
	if str.kind == 'u' && str.digits == 0 && c == '{' && s.lang == javaScript {
		str.kind = '{'
		return 1
	}
	value, ok := hexValue(c)
	switch {
	case ok && str.kind == 'U' && str.digits == 7 && str.value<<4|value > utf8.MaxRune: // there is no such character
	case ok:
		str.value = min(str.value<<4|value, utf8.MaxRune+1)
		str.digits++
		if str.kind == 'x' && str.digits == 2 || str.kind == 'u' && str.digits == 4 || str.kind == 'U' && str.digits == 8 {
			s.codeUnit(str.value)
		}
		return 1
	case c == '}' && str.kind == '{' && str.digits > 0 && str.value <= utf8.MaxRune:
		s.codeUnit(str.value)
		return 1
	}
	s.mode = inText
	if !s.loneSurrogate() {
		s.unknownEscape()
	}
	return 0
}

// null reads \0, which must not be followed by a digit: that would be octal.
func (s *Scanner) null(next byte) {
	if isDigit(next) {
		s.unknownEscape()
		return
	}
	s.putRune(0)
	s.mode = inText
}

func hexValue(c byte) (rune, bool) {
	switch {
	case isDigit(c):
		return rune(c - '0'), true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}

// codeUnit adds the character of an escape to the output; two of them can make
// a surrogate pair.
func (s *Scanner) codeUnit(r rune) {
	str := &s.str
	s.mode = inText
	switch {
	case str.high != 0:
		pair := utf16.DecodeRune(str.high, r)
		if pair == utf8.RuneError {
			s.loneSurrogate()
			return
		}
		str.high = 0
		s.putRune(pair)
	case 0xD800 <= r && r < 0xDC00:
		str.high = r
	case 0xDC00 <= r && r < 0xE000:
		str.high = r
		s.loneSurrogate()
	default:
		s.putRune(r)
	}
}

// appendRune appends a character in the form it has in a JSON string.
func appendRune(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\t':
		return append(b, `\t`...)
	case '\r':
		return append(b, `\r`...)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	}
	if r < 0x20 {
		return fmt.Appendf(b, `\u%04x`, r)
	}
	return utf8.AppendRune(b, r)
}

// AppendString appends a text as a JSON string. Bytes that are not UTF-8 stay as they
// are.
func AppendString(b, text []byte) []byte {
	b = append(slices.Grow(b, len(text)+2), '"')
	for len(text) > 0 {
		n := skipPlain(text, 0)
		b = append(b, text[:n]...)
		if text = text[n:]; len(text) > 0 {
			b = appendRune(b, rune(text[0]))
			text = text[1:]
		}
	}
	return append(b, '"')
}

// appendText appends a whole JSON string.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		b = appendRune(b, r)
	}
	return append(b, '"')
}

// controlEscape returns the escape of a control character.
func (s *Scanner) controlEscape(c byte) string {
	escape := string(appendRune(nil, rune(c)))
	if s.jsonStrings() {
		return escape
	}
	return strings.Replace(escape, `\u00`, `\x`, 1)
}
