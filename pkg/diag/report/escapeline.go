package report

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// EscapeLine makes text safe to print on one line: control and invisible characters are escaped, and
// line feeds become ␊.
func EscapeLine(text string) string {
	if isPlain(text) {
		return text
	}
	return string(markedText.append(nil, []byte(text)))
}

// appendVisible appends text as [EscapeLine] shows it.
func appendVisible(out []byte, text string) []byte {
	if isPlain(text) {
		return append(out, text...)
	}
	return markedText.append(out, []byte(text))
}

func isPlain(text string) bool {
	for i := range len(text) {
		if !isPlainByte(text[i]) {
			return false
		}
	}
	return true
}

// isPlainByte reports whether a byte is printed unchanged in one column.
func isPlainByte(b byte) bool { return b >= ' ' && b < 0x7f }

// A cell is the printed form of a character.
type cell struct {
	size        int    // in bytes
	width       int    // columns on a terminal
	replacement string // text or prefix printed instead; "" for none
	digits      int    // hexadecimal digits of value after that
	value       rune
}

// A renderMode is the way in which text is rendered: as the context of the marked text, where tabs become
// spaces, or as marked text or text that is not from the source, where tabs are escaped.
type renderMode bool

const (
	markedText  renderMode = false
	contextText renderMode = true
)

// tabSpaces replaces a tab in context text.
const tabSpaces = "    "

// measureFirstChar returns the length in bytes of the first character of a nonempty text, and its columns.
func (as renderMode) measureFirstChar(text []byte) (size, columns int) {
	if isPlainByte(text[0]) {
		return 1, 1
	}
	c := as.cell(text)
	return c.size, c.width
}

// cell returns the first character of a nonempty text.
func (as renderMode) cell(text []byte) cell {
	r, size := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return asciiCell(size, `\x`, 2, rune(text[0]))
	case r == '\n':
		return cell{size: size, width: 1, replacement: "␊"}
	case r == '\r':
		return cell{size: size, width: 1, replacement: "␍"}
	case r == '\t' && as == contextText:
		return asciiCell(size, tabSpaces, 0, r)
	case r == '\t':
		return asciiCell(size, `\t`, 0, r)
	case unicode.IsPrint(r):
		return cell{size: size, width: runeColumns(r)}
	case r > 0xffff:
		return asciiCell(size, `\U`, 8, r)
	}
	return asciiCell(size, `\u`, 4, r)
}

func asciiCell(size int, instead string, digits int, value rune) cell {
	return cell{size, len(instead) + digits, instead, digits, value}
}

// append appends all of a text.
func (as renderMode) append(out, text []byte) []byte {
	for len(text) > 0 {
		plain := 0
		for plain < len(text) && isPlainByte(text[plain]) {
			plain++
		}
		out, text = append(out, text[:plain]...), text[plain:]
		if len(text) > 0 {
			c := as.cell(text)
			out, text = c.appendChar(out, text), text[c.size:]
		}
	}
	return out
}

// appendChar appends the cell for the first character of a text.
func (c cell) appendChar(out, text []byte) []byte {
	if c.replacement == "" {
		return append(out, text[:c.size]...)
	}
	out = append(out, c.replacement...)
	for digit := c.digits - 1; digit >= 0; digit-- {
		out = append(out, "0123456789abcdef"[c.value>>(4*digit)&0xf])
	}
	return out
}

// Columns returns the terminal columns of text, which [EscapeLine] has escaped.
func Columns(text string) int {
	columns := 0
	for _, r := range text {
		columns += runeColumns(r)
	}
	return columns
}

// runeColumns returns the terminal columns of a printable character.
func runeColumns(r rune) int {
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

// maxMarks is the maximum number of characters without width in a row that [Cut] takes, as in the Stream-Safe Text Format of
// Unicode. Without a limit a text of one column could have any length.
const maxMarks = 30

// Cut returns text, which [EscapeLine] has escaped, in at most the given number of columns, at least 1. Text that is longer, or
// has too many characters without width in a row, ends in an ellipsis.
func Cut(text string, columns int) string {
	columns = max(columns, 1)
	taken, end, marks := 0, 0, 0 // end: of the text that leaves a column for the ellipsis
	for i, r := range text {
		if taken < columns {
			end = i
		}
		c := runeColumns(r)
		if marks++; c > 0 {
			marks = 0
		}
		if taken += c; taken > columns || marks > maxMarks {
			return text[:end] + "…"
		}
	}
	return text
}

// Wrap breaks text, which [EscapeLine] has escaped, into lines of at most columnsPerLine columns, after a
// space if one is in the second half of a line. It returns at least one line and drops no
// character.
func Wrap(text string, columnsPerLine int) []string {
	var lines []string
	begin, taken, space, behind := 0, 0, 0, 0 // space: end of the latest space; behind: columns up to there
	for i, r := range text {
		c := runeColumns(r)
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
