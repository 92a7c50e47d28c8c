package jsonrepair

import (
	"unicode"
	"unicode/utf8"
)

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isLetter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

func isCloser(c byte) bool { return c == '}' || c == ']' || c == ')' }

// isOddBlank reports whether a character is a blank that JSON does not have. Some
// have no width.
func isOddBlank(r rune) bool {
	return r >= 0x80 && unicode.IsSpace(r) || r == '\v' || r == '\f' ||
		r == '\ufeff' || r == '\u180e' || '\u200b' <= r && r <= '\u200d' || r == '\u2060'
}

// runeAt returns the character at an offset and its length.
func runeAt(text string, i int) (rune, int) { return utf8.DecodeRuneInString(text[i:]) }

func trimBlanks(text string) string {
	start, end := 0, len(text)
	for start < end && isBlank(text[start]) {
		start++
	}
	for end > start && isBlank(text[end-1]) {
		end--
	}
	return text[start:end]
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool {
	i := 0
	if i < len(text) && text[i] == '-' {
		i++
	}
	n := digits(text[i:])
	if n == 0 || n > 1 && text[i] == '0' {
		return false
	}
	i += n
	if i < len(text) && text[i] == '.' {
		if n = digits(text[i+1:]); n == 0 {
			return false
		}
		i += 1 + n
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if n = digits(text[i:]); n == 0 {
			return false
		}
		i += n
	}
	return i == len(text)
}

// digits returns how many digits a text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}
