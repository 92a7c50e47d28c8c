// Package quote makes texts fit for JSON, messages and shells.
package quote

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON returns a text as a JSON string with as few escapes as possible. Invalid UTF-8 becomes U+FFFD.
func JSON(text string) string {
	b, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd")) // valid UTF-8 can be quoted
	return string(b)
}

// Encode returns the JSON of a value as [json.Marshal] does, but without escapes for HTML, so that texts reach models and
// people unchanged.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Encoded returns a text as [Encode] writes it. It differs from [JSON] in escaping line and paragraph separators.
func Encoded(text string) []byte {
	if utf8.ValidString(text) && !strings.Contains(text, "\u2028") && !strings.Contains(text, "\u2029") {
		return AppendJSON(nil, []byte(text)) // several times as fast
	}
	b, err := Encode(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return b
}

// ValidPrefix returns at most the first bytes of a text: whole characters without invalid UTF-8.
func ValidPrefix(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}

// Shorten returns a text for a message: its first bytes and an ellipsis if it is longer than most bytes. Otherwise
// invalid UTF-8 becomes U+FFFD.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return ValidPrefix(text, most) + "…"
}

// Shell returns a word as a POSIX shell reads it.
func Shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_/.-:@%+,", r)
	}
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
