package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the text of a JSON string, given with its quotes. The string must be well
// formed but need not be UTF-8. Half of a surrogate pair becomes the three bytes of its would-be
// UTF-8, so that a UTF-8 check finds it; a [Locator] counts them likewise. Without escapes the
// result shares memory with raw.
func Unquote(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	n := bytes.IndexByte(raw, '\\')
	if n < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for ; n >= 0; n = bytes.IndexByte(raw, '\\') {
		r, width := decodeEscape(raw[n:])
		text = appendWTF8(append(text, raw[:n]...), r)
		raw = raw[n+width:]
	}
	return append(text, raw...)
}

// decodeEscape returns the character of an escape, and the escape's length.
func decodeEscape(escape []byte) (r rune, width int) {
	switch c := escape[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return decodeUnicodeEscape(escape)
	default:
		return rune(c), 2
	}
}

// decodeUnicodeEscape returns the character of one or two UTF-16 escapes.
func decodeUnicodeEscape(escape []byte) (r rune, width int) {
	r = utf16Unit(escape)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if pair := utf16.DecodeRune(r, utf16Unit(escape[6:])); pair != utf8.RuneError {
		return pair, 12
	}
	return r, 6
}

// surrogateLen is the length of half a surrogate pair in the text.
const surrogateLen = 3

// appendWTF8 appends a character, or half of one.
func appendWTF8(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
	}
	return utf8.AppendRune(dst, r)
}
