package literal

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// readEscape reads the byte after a backslash.
func (s *Scanner) readEscape(c byte) int {
	s.mode, s.lineBlank = inText, isNewline(c)
	if !s.isWritingOutput() {
		s.str.skipLF = c == '\r'
		return 1
	}
	if s.str.highSurrogate != 0 && c != 'u' && s.failLoneSurrogate() {
		s.mode = inEscape // c is still escaped
		return 0
	}
	switch {
	case s.str.raw:
		return s.readRawEscape(c)
	case s.lang == python:
		return s.readPythonEscape(c)
	case s.hasJSONStrings() && !isJSONEscape(c):
		return s.readNonJSONEscape(c)
	}
	switch c {
	case 'n', 't', 'r', 'b', 'f', 'v':
		s.emitRune(letterEscapes[c])
		s.str.hasLetterEscape = true
	case '\'', '"', '`', '\\', '/':
		s.emitRune(rune(c))
	case '\r', '\n': // line continuation
		s.str.skipLF = c == '\r'
	case 'x', 'u', '0':
		s.str.escapeKind, s.str.escapeDigits, s.str.escapeValue, s.mode = c, 0, 0, inDigits
	default:
		if s.str.quote == '`' && (c == '$' || c == '{') {
			s.emitRune(rune(c))
			break
		}
		s.keepUnknownEscape()
		return 0
	}
	return 1
}

// letterEscapes are the escapes with a letter.
var letterEscapes = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// keepUnknownEscape keeps an unknown escape with its backslash: most are in Windows paths and
// regular expressions.
func (s *Scanner) keepUnknownEscape() {
	start := s.str.escapeStart
	s.mode, s.str.hasUnknownEscape = inText, true
	s.emit([]byte(`\\`))
	s.emit([]byte(s.Captured(start + 1)))
	s.addEdit(&s.str.badEscapes, diag.Edit{Start: start, End: start + 1, New: `\\`})
}

// readEscapeDigit reads a byte of \xHH, \uHHHH or \u{H…}, or the byte after \0.
func (s *Scanner) readEscapeDigit(c byte) int {
	str := &s.str
	if n, ok := s.readPythonEscapeDigit(c); ok {
		return n
	}
	if str.escapeKind == '0' {
		s.readNullEscape(c)
		return 0
	}
	if str.escapeKind == 'u' && str.escapeDigits == 0 && c == '{' && s.lang == javaScript {
		str.escapeKind = '{'
		return 1
	}
	value, ok := hexValue(c)
	switch {
	case ok && str.escapeKind == 'U' && str.escapeDigits == 7 && str.escapeValue<<4|value > utf8.MaxRune: // not a Unicode code point
	case ok:
		str.escapeValue = min(str.escapeValue<<4|value, utf8.MaxRune+1)
		str.escapeDigits++
		if str.escapeKind == 'x' && str.escapeDigits == 2 || str.escapeKind == 'u' && str.escapeDigits == 4 || str.escapeKind == 'U' && str.escapeDigits == 8 {
			s.addCodeUnit(str.escapeValue)
		}
		return 1
	case c == '}' && str.escapeKind == '{' && str.escapeDigits > 0 && str.escapeValue <= utf8.MaxRune:
		s.addCodeUnit(str.escapeValue)
		return 1
	}
	s.mode = inText
	if !s.failLoneSurrogate() {
		s.keepUnknownEscape()
	}
	return 0
}

// readNullEscape reads \0. A digit must not follow: that is an octal escape.
func (s *Scanner) readNullEscape(next byte) {
	if isDigit(next) {
		s.keepUnknownEscape()
		return
	}
	s.emitRune(0)
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

// addCodeUnit adds the character of an escape to the output. Two code units can form a surrogate
// pair.
func (s *Scanner) addCodeUnit(r rune) {
	str := &s.str
	s.mode = inText
	switch {
	case str.highSurrogate != 0:
		pair := utf16.DecodeRune(str.highSurrogate, r)
		if pair == utf8.RuneError {
			s.failLoneSurrogate()
			return
		}
		str.highSurrogate = 0
		s.emitRune(pair)
	case 0xD800 <= r && r < 0xDC00:
		str.highSurrogate = r
	case 0xDC00 <= r && r < 0xE000:
		str.highSurrogate = r
		s.failLoneSurrogate()
	default:
		s.emitRune(r)
	}
}

// appendJSONString appends a text as a JSON string.
func appendJSONString(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		b = quote.AppendJSONRune(b, r)
	}
	return append(b, '"')
}

// controlEscape returns the escape of a control character.
func (s *Scanner) controlEscape(c byte) string {
	escape := string(quote.AppendJSONRune(nil, rune(c)))
	if s.hasJSONStrings() {
		return escape
	}
	return strings.Replace(escape, `\u00`, `\x`, 1)
}
