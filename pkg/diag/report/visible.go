package report

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Visible makes text safe to print on one line: characters that a terminal
// would obey, or that cannot be seen, are written as escapes, and line feeds as
// ␊.
func Visible(text string) string {
	if isPlain(text) {
		return text
	}
	return string(inside.append(nil, []byte(text)))
}

// appendVisible appends text as [Visible] shows it.
func appendVisible(out []byte, text string) []byte {
	if isPlain(text) {
		return append(out, text...)
	}
	return inside.append(out, []byte(text))
}

func isPlain(text string) bool {
	for i := range len(text) {
		if !isPlainByte(text[i]) {
			return false
		}
	}
	return true
}

// isPlainByte reports whether a byte is a character that is shown as it is, in one column.
func isPlainByte(b byte) bool { return b >= ' ' && b < 0x7f }

// A cell says how a character is shown.
type cell struct {
	size    int    // in bytes, as it is
	width   int    // columns on a terminal
	instead string // what is shown in its place; "" if it is shown as it is
	digits  int    // of the value, in hexadecimal, behind that
	value   rune
}

// A showing says how text is shown: whether as what stands around the marked place, where
// a tab is some columns wide, or as what stands inside it, and in texts that are not the
// source's.
type showing bool

const (
	inside  showing = false
	outside showing = true
)

// tab is how many columns a tab takes outside of the marked place.
const tab = "    "

// measure returns how many bytes the first character of a text is long, which is not
// empty, and how many columns it takes.
func (as showing) measure(text []byte) (size, columns int) {
	if isPlainByte(text[0]) {
		return 1, 1
	}
	c := as.cell(text)
	return c.size, c.width
}

// cell returns the first character of a text that is not empty.
func (as showing) cell(text []byte) cell {
	r, size := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return escaped(size, `\x`, 2, rune(text[0]))
	case r == '\n':
		return cell{size: size, width: 1, instead: "␊"}
	case r == '\r':
		return cell{size: size, width: 1, instead: "␍"}
	case r == '\t' && as == outside:
		return escaped(size, tab, 0, r)
	case r == '\t':
		return escaped(size, `\t`, 0, r)
	case unicode.IsPrint(r):
		return cell{size: size, width: columns(r)}
	case r > 0xffff:
		return escaped(size, `\U`, 8, r)
	}
	return escaped(size, `\u`, 4, r)
}

// escaped returns a cell of ASCII.
func escaped(size int, instead string, digits int, value rune) cell {
	return cell{size, len(instead) + digits, instead, digits, value}
}

// append appends all of a text.
func (as showing) append(out, text []byte) []byte {
	for len(text) > 0 {
		plain := 0
		for plain < len(text) && isPlainByte(text[plain]) {
			plain++
		}
		out, text = append(out, text[:plain]...), text[plain:]
		if len(text) > 0 {
			c := as.cell(text)
			out, text = c.append(out, text), text[c.size:]
		}
	}
	return out
}

// append appends the cell of the first character of a text.
func (c cell) append(out, text []byte) []byte {
	if c.instead == "" {
		return append(out, text[:c.size]...)
	}
	out = append(out, c.instead...)
	for digit := c.digits - 1; digit >= 0; digit-- {
		out = append(out, "0123456789abcdef"[c.value>>(4*digit)&0xf])
	}
	return out
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

// Wrap breaks text, which [Visible] has made safe, into lines of at most so many columns, behind a space where one
// is in the second half of a line. There is at least one line, and no character is lost.
func Wrap(text string, columnsPerLine int) []string {
	var lines []string
	begin, taken, space, behind := 0, 0, 0, 0 // space: where the latest one ends, and the columns before it
	for i, r := range text {
		c := columns(r)
		if taken+c > columnsPerLine && i > begin {
			end, rest := i, 0
			if behind > columnsPerLine/2 && space > begin {
				end, rest = space, taken-behind
			}
			lines, begin, taken, behind = append(lines, text[begin:end]), end, rest, 0
		}
		taken += c
		if r == ' ' {
			space, behind = i+1, taken
		}
	}
	return append(lines, text[begin:])
}
