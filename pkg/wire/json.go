package wire

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// idText returns a string or a number as a word to find things by, such as an id
// or an index, and "" for anything else. It holds on to nothing else of the
// message.
func idText(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return strings.Clone(v.Str[:min(len(v.Str), maxKeyLen)])
	case gjson.Number:
		return strings.Clone(v.Raw[:min(len(v.Raw), maxKeyLen)])
	}
	return ""
}

// tokenCount returns a number of tokens; 0 if it is none.
func tokenCount(v gjson.Result) int {
	const most = 1 << 40
	return int(min(max(v.Num, 0), most))
}

// appendQuoted appends a text as a JSON string. The text is UTF-8, as all that
// has been checked, so that there is no error.
func appendQuoted(dst, text []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

// blanks may stand between JSON values.
const blanks = " \t\r\n"

// isBlank reports whether there is nothing but blanks in a text.
func isBlank[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if !isSpace(text[i]) {
			return false
		}
	}
	return true
}

// isTextOrNull reports whether a value is a string, null or not there.
func isTextOrNull(v gjson.Result) bool { return v.Type == gjson.String || v.Type == gjson.Null }
