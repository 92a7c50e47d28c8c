package lint

import (
	"bytes"
	"unicode/utf8"

	"oneshot/pkg/quote"

	"github.com/go-json-experiment/json/jsontext"
)

// isCertainlyObject reports whether a line is certainly a JSON object without duplicate names; bytes
// need not be UTF-8. It may report false for some valid objects. Most of a record is string
// content, which it scans eight bytes at a time; nested values are left to jsontext.
func isCertainlyObject(line []byte) bool {
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
		end := validStringEnd(line, at)
		// jsontext treats names with invalid UTF-8 as equal
		if end < 0 || bytes.IndexByte(line[at:end], '\\') >= 0 || !utf8.Valid(line[at:end]) {
			return false
		}
		names[n] = line[at:end]
		if hasName(names[:n], names[n]) {
			return false
		}
		if at = skipBlanks(line, end); at == len(line) || line[at] != ':' {
			return false
		}
		if at = certainValueEnd(line, skipBlanks(line, at+1)); at < 0 {
			return false
		}
		at = skipBlanks(line, at)
		if at == len(line) || line[at] != ',' {
			break
		}
	}
	return at < len(line) && line[at] == '}' && skipBlanks(line, at+1) == len(line)
}

func hasName(names [][]byte, name []byte) bool {
	for _, other := range names {
		if bytes.Equal(other, name) {
			return true
		}
	}
	return false
}

// certainValueEnd returns the end of a value, or -1 if it is not certainly valid.
func certainValueEnd(line []byte, at int) int {
	if at == len(line) {
		return -1
	}
	if line[at] == '"' {
		return validStringEnd(line, at)
	}
	end := skipValue(line, at)
	if !jsontext.Value(line[at:end]).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return -1
	}
	return end
}

// validStringEnd returns the end of a string, or -1 if it is missing, unclosed, or holds an
// unescaped control character or an invalid escape.
func validStringEnd(line []byte, at int) int {
	if at == len(line) || line[at] != '"' {
		return -1
	}
	for at = quote.SkipPlain(line, at+1); at < len(line); at = quote.SkipPlain(line, at) {
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
