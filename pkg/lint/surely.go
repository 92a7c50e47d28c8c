package lint

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// surelyObject reports whether a line is a JSON object, in which no name stands twice and
// bytes need not be UTF-8. It reports false for a few that are, too. Most of a record is
// the text of its strings, which is passed over here eight bytes at a time; what is nested
// in it is left to jsontext.
func surelyObject(line []byte) bool {
	at := skipBlanks(line, 0)
	if at == len(line) || line[at] != '{' {
		return false
	}
	var names [16][]byte
	for n := range names {
		at = skipBlanks(line, at+1)
		if at < len(line) && line[at] == '}' && n == 0 {
			break
		}
		end := plainStringEnd(line, at)
		// two names with bytes that are no UTF-8 are one to jsontext
		if end < 0 || bytes.IndexByte(line[at:end], '\\') >= 0 || !utf8.Valid(line[at:end]) {
			return false
		}
		names[n] = line[at:end]
		if isIn(names[:n], names[n]) {
			return false
		}
		if at = skipBlanks(line, end); at == len(line) || line[at] != ':' {
			return false
		}
		if at = sureValueEnd(line, skipBlanks(line, at+1)); at < 0 {
			return false
		}
		at = skipBlanks(line, at)
		if at == len(line) || line[at] != ',' {
			break
		}
	}
	return at < len(line) && line[at] == '}' && skipBlanks(line, at+1) == len(line)
}

func isIn(names [][]byte, name []byte) bool {
	for _, other := range names {
		if bytes.Equal(other, name) {
			return true
		}
	}
	return false
}

// sureValueEnd returns where a value ends, or -1 if it is not surely one.
func sureValueEnd(line []byte, at int) int {
	if at == len(line) {
		return -1
	}
	if line[at] == '"' {
		return plainStringEnd(line, at)
	}
	end := skipValue(line, at)
	if !jsontext.Value(line[at:end]).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return -1
	}
	return end
}

// plainStringEnd returns where a string ends, or -1 if none begins there, it does not end,
// or a character in it has to be an escape or is none that there is.
func plainStringEnd(line []byte, at int) int {
	if at == len(line) || line[at] != '"' {
		return -1
	}
	for at = special(line, at+1); at < len(line); at = special(line, at) {
		switch {
		case line[at] == '"':
			return at + 1
		case line[at] != '\\' || at+1 == len(line):
			return -1
		case line[at+1] == 'u':
			if len(line) < at+6 || !isHex(line[at+2:at+6]) {
				return -1
			}
			at += 6
		case bytes.IndexByte([]byte(`"\/bfnrt`), line[at+1]) < 0:
			return -1
		default:
			at += 2
		}
	}
	return -1
}

func isHex(digits []byte) bool {
	for _, c := range digits {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// special returns where the first byte at or behind an offset stands that is a quote, a
// backslash or a control character: what JSON escapes in a string. It is the length of
// the text if there is none.
func special[T ~string | ~[]byte](text T, at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(text); at += 8 {
		w := uint64(text[at]) | uint64(text[at+1])<<8 | uint64(text[at+2])<<16 | uint64(text[at+3])<<24 |
			uint64(text[at+4])<<32 | uint64(text[at+5])<<40 | uint64(text[at+6])<<48 | uint64(text[at+7])<<56
		quote, slash := w^ones*'"', w^ones*'\\'
		// in each byte the highest bit is set that was not, where something was taken from 0
		found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return at
}
