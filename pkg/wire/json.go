package wire

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// key returns a string or a number as a word to find things by, such as an id
// or an index, and "" for anything else. It holds on to nothing else of the
// message.
func key(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return strings.Clone(v.Str[:min(len(v.Str), mostKey)])
	case gjson.Number:
		return strings.Clone(v.Raw[:min(len(v.Raw), mostKey)])
	}
	return ""
}

// count returns a number of tokens; 0 if it is none.
func count(v gjson.Result) int {
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

// blank reports whether there is nothing but blanks in a text.
func blank[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if !space(text[i]) {
			return false
		}
	}
	return true
}

// maybeText reports whether a value is a string, null or not there.
func maybeText(v gjson.Result) bool { return v.Type == gjson.String || v.Type == gjson.Null }
