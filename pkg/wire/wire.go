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
	Message string   // the server's text for [Server], whole; the fault for the other kinds
	Codes   []string // of [Server]: what [ErrorCodes] finds
	Offset  int64    // bytes from the start of the body: where the fault was noticed
}

func (e *Error) Error() string {
	switch e.Kind {
	case Server:
		return "server reports: " + Excerpt(e.Message)
	case Garbled:
		return fmt.Sprintf("invalid response at byte %d: %s", e.Offset, e.Message)
	}
	return e.Message
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
