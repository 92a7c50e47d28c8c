package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWordByte reports whether a byte can be in a name.
func isWordByte(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

func isCloser(c byte) bool { return c == '}' || c == ']' || c == ')' }

// prefixLen returns the length of the first prefix of a list that a text has, 0 if it
// has none.
func prefixLen(text string, list ...string) int {
	for _, p := range list {
		if strings.HasPrefix(text, p) {
			return len(p)
		}
	}
	return 0
}

// wordLen returns the length of the letters and digits that a text begins with.
func wordLen(text string) int {
	n := 0
	for n < min(len(text), window) && isWordByte(text[n]) {
		n++
	}
	return n
}

// blankCharLen returns the length of the white space character at the start of a text: JSON white space, other Unicode
// white space, or an escape of white space as in a string.
func blankCharLen(text string) int {
	switch c := text[0]; {
	case isBlank(c):
		return 1
	case c == '\\' && prefixLen(text, `\n`, `\r`, `\t`) > 0 && (len(text) == 2 || !isWordByte(text[2])):
		return 2
	case c < 0x80 && c != '\v' && c != '\f':
		return 0
	}
	r, w := utf8.DecodeRuneInString(text)
	if unicode.IsSpace(r) || r == '\ufeff' || r == '\u180e' || '\u200b' <= r && r <= '\u200d' || r == '\u2060' {
		return w
	}
	return 0
}
