package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An ErrorKind is the reason why a body is not a response.
type ErrorKind string

// The kinds of errors.
const (
	Truncated   ErrorKind = "cut"     // it ended before its last message
	ServerError ErrorKind = "server"  // the server reports an error inside a body that began well
	Malformed   ErrorKind = "garbled" // it does not follow the format
	Empty       ErrorKind = "empty"   // it has no content
	TooLarge    ErrorKind = "large"   // it exceeds the size limit
)

// An Error reports why a body could not be decoded to its end.
type Error struct {
	Kind    ErrorKind
	Message string   // the server's whole text for [ServerError], otherwise the fault
	Codes   []string // for [ServerError]: the result of [ErrorCodes]
	Offset  int64    // bytes from the start of the body to the fault
}

func (e *Error) Error() string {
	switch e.Kind {
	case ServerError:
		return "server reports: " + Excerpt(e.Message)
	case Malformed:
		return fmt.Sprintf("invalid response at byte %d: %s", e.Offset, e.Message)
	}
	return e.Message
}

// excerptBytes limits an excerpt.
const excerptBytes = 400

// Excerpt returns the start of an external text as one printable line of a few hundred bytes,
// for error messages.
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
