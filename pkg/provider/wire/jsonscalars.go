package wire

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// StringOrNumber returns a string or number as a lookup key, such as an id or index, and "" for anything
// else. The result does not retain the message.
func StringOrNumber(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return strings.Clone(v.Str[:min(len(v.Str), maxKeyLen)])
	case gjson.Number:
		return strings.Clone(v.Raw[:min(len(v.Raw), maxKeyLen)])
	}
	return ""
}

// TokenCount returns a number of tokens, or the sum of several. Values that are not numbers count as 0.
func TokenCount(values ...gjson.Result) (sum int) {
	const most = 1 << 40
	for _, v := range values {
		sum += int(min(max(v.Num, 0), most))
	}
	return sum
}

// appendQuoted appends a text as a JSON string. The text was validated as UTF-8, so there is no
// error.
func appendQuoted(dst, text []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

// blanks is the whitespace of JSON.
const blanks = " \t\r\n"

// isBlank reports whether a text is only whitespace.
func isBlank[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if !isSpace(text[i]) {
			return false
		}
	}
	return true
}

// IsTextOrNull reports whether a value is a string, null or missing.
func IsTextOrNull(v gjson.Result) bool { return v.Type == gjson.String || v.Type == gjson.Null }
