package quote

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// AppendJSON appends a text as a JSON string with as few escapes as possible. Invalid UTF-8 is kept as it is.
func AppendJSON(b, text []byte) []byte {
	b = append(slices.Grow(b, len(text)+2), '"')
	for len(text) > 0 {
		n := SkipPlain(text, 0)
		b = append(b, text[:n]...)
		if text = text[n:]; len(text) > 0 {
			b = AppendJSONRune(b, rune(text[0]))
			text = text[1:]
		}
	}
	return append(b, '"')
}

// AppendJSONRune appends a character of a JSON string, escaped if needed.
func AppendJSONRune(b []byte, r rune) []byte {
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

// SkipPlain returns the index of the next quote, backslash or control character of a text, or its length.
func SkipPlain(text []byte, i int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 { // subtracting finds the bytes below a bound: the lowest one found is right
		x := binary.LittleEndian.Uint64(text[i:])
		quote, slash := x^each*'"', x^each*'\\'
		special := ((x-each*0x20)&^x | (quote-each)&^quote | (slash-each)&^slash) & high
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= ' ' {
		i++
	}
	return i
}
