package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Visible makes text safe to print on one line: characters that a terminal
// would obey, or that cannot be seen, are written as escapes, and line feeds as
// ␊.
func Visible(text string) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= ' ' && text[i] < 0x7f
	}
	if plain {
		return text
	}
	var b strings.Builder
	for rest := []byte(text); len(rest) > 0; {
		c, size := cellOf(rest)
		b.WriteString(c.text)
		rest = rest[size:]
	}
	return b.String()
}

// A cell is one character as it is shown.
type cell struct {
	text  string
	width int // columns on a terminal
}

// cellOf returns the first character of s, which is not empty, as a cell, and its length in bytes.
func cellOf(s []byte) (cell, int) {
	r, size := utf8.DecodeRune(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return cell{fmt.Sprintf(`\x%02x`, s[0]), 4}, size
	case r == '\n':
		return cell{"␊", 1}, size
	case r == '\r':
		return cell{"␍", 1}, size
	case r == '\t':
		return cell{`\t`, 2}, size
	case unicode.IsPrint(r):
		return cell{string(s[:size]), columns(r)}, size
	case r > 0xffff:
		return cell{fmt.Sprintf(`\U%08x`, r), 10}, size
	}
	return cell{fmt.Sprintf(`\u%04x`, r), 6}, size
}

// columns returns how many columns a printable character takes on a terminal.
func columns(r rune) int {
	switch {
	case r < 0x300: // before the first combining mark
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
