// Package wire decodes the bodies that providers send: one decoder a format,
// used by the clients while a body arrives and by whoever reads a captured one.
//
// It knows bytes and JSON. It does not open connections, does not repeat
// anything and does not look for calls in text.
package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An ErrorKind says in which way a body is not a response.
type ErrorKind string

// The ways in which a body is not a response.
const (
	Cut     ErrorKind = "cut"     // it ended before its last message
	Server  ErrorKind = "server"  // the server reports an error inside a body that began well
	Garbled ErrorKind = "garbled" // it is not what the format says
	Empty   ErrorKind = "empty"   // there is nothing in it
	Large   ErrorKind = "large"   // it is over the size limit
)

// An Error says why a body could not be decoded to its end.
type Error struct {
	Kind    ErrorKind
	Message string // the server's text for [Server], whole; the fault for the other kinds
	Offset  int64  // bytes from the start of the body: where the fault was noticed
}

func (e *Error) Error() string {
	switch e.Kind {
	case Server:
		return "server reports: " + Excerpt(e.Message)
	case Garbled:
		return fmt.Sprintf("response is unreadable at byte %d: %s", e.Offset, e.Message)
	}
	return e.Message
}

// ErrorText returns what an error body says, whatever its form: the text of
// {"error":"…"}, {"error":{"message":"…"}} or {"message":"…"}, with the
// provider's own code in brackets if it adds one, and anything else whole.
func ErrorText(body []byte) string {
	var form struct {
		Error   jsontext.Value `json:"error"`
		Message string         `json:"message"`
	}
	if err := json.Unmarshal(body, &form); err == nil {
		if text := errorMember(form.Error); text != "" {
			return text
		}
		if form.Message != "" {
			return form.Message
		}
	}
	return strings.TrimSpace(string(body))
}

// errorMember returns the text of an "error" member, or "" if it says nothing.
func errorMember(raw jsontext.Value) string {
	switch raw.Kind() {
	case jsontext.KindInvalid, jsontext.KindNull, jsontext.KindFalse:
		return ""
	case jsontext.KindString:
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return string(raw)
		}
		return text
	case jsontext.KindBeginObject:
		if text := errorObject(raw); text != "" {
			return text
		}
	}
	return string(raw)
}

// errorObject returns the text of an error object, or "" if it is of no known
// form.
func errorObject(raw jsontext.Value) string {
	var form struct {
		Message string         `json:"message"`
		Code    jsontext.Value `json:"code"` // a string, a number or null
	}
	if err := json.Unmarshal(raw, &form); err != nil || form.Message == "" {
		return ""
	}
	code := errorMember(form.Code)
	if code == "" || strings.Contains(form.Message, code) {
		return form.Message
	}
	return form.Message + " [" + code + "]"
}

// excerptBytes is the length of the longest excerpt.
const excerptBytes = 400

// Excerpt returns the beginning of a text from outside as one printable line of
// a few hundred bytes, fit for an error message.
func Excerpt(text string) string {
	var b strings.Builder
	for len(text) > 0 && b.Len() < excerptBytes {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	if len(text) > 0 {
		b.WriteString("…")
	}
	return b.String()
}
