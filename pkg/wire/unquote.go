package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns what a JSON string says, of which raw is the text with its quotes. It
// must be well formed, though not UTF-8. An escape that is half of a surrogate pair
// becomes the three bytes that would be its UTF-8, if there were such a thing, so that
// whoever checks the text finds it. A [Locator] counts as it does. What is returned is
// part of raw where that has no escapes.
func Unquote(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	n := bytes.IndexByte(raw, '\\')
	if n < 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for ; n >= 0; n = bytes.IndexByte(raw, '\\') {
		r, width := decodeEscape(raw[n:])
		text = appendUTF16Unit(append(text, raw[:n]...), r)
		raw = raw[n+width:]
	}
	return append(text, raw...)
}

// decodeEscape returns the character that an escape stands for, and the length of the escape.
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

// decodeUnicodeEscape returns the character of one or two escapes of UTF-16.
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

// surrogateLen is how many bytes half of a surrogate pair takes.
const surrogateLen = 3

// appendUTF16Unit appends a character, or half of one.
func appendUTF16Unit(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
	}
	return utf8.AppendRune(dst, r)
}
