package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// windowColumns is the maximum width of a source line excerpt without a terminal, minWindowColumns the minimum on a
// terminal.
const windowColumns, minWindowColumns = 100, 20

// appendExcerpt appends the line on which a span begins, with carets under the span or its first
// piece. The cost does not depend on the length of the line.
func appendExcerpt(out []byte, f diag.Finding, lines *diag.Lines, style Style) []byte {
	span := f.Span
	if len(f.Pieces) > 0 {
		span = f.Pieces[0]
	}
	begin := len(out)
	out = fmt.Appendf(out, "%5d | ", span.Line)
	margin := len(out) - begin
	text, start, end := lines.Offsets(span)
	v := newView(text, start, end, style.windowColumns(margin))
	out = v.appendLine(out)
	out = out[:begin+len(bytes.TrimRight(out[begin:], " "))]
	out = appendSpaces(append(out, '\n'), margin-len("| "))
	out = appendSpaces(append(out, "| "...), v.before.columns)
	if v.cutBefore {
		out = append(out, ' ')
	}
	out = append(out, style.Paint.paint(f.Severity, strings.Repeat("^", max(1, v.marked.columns)))...)
	return append(out, '\n')
}

// windowColumns returns the maximum width of an excerpt to the right of a margin.
func (s Style) windowColumns(margin int) int {
	if s.Columns == 0 {
		return windowColumns
	}
	const cuts = 2 // an ellipsis on either side
	return max(s.Columns-margin-cuts, minWindowColumns)
}

func appendSpaces(out []byte, n int) []byte {
	for range n {
		out = append(out, ' ')
	}
	return out
}

// A view is the part of a line that fits into the window.
type view struct {
	before, marked, after segment
	cutBefore, cutAfter   bool
}

// A segment is a part of a line.
type segment struct {
	text       []byte
	characters int
	columns    int
}

// newView returns the view around the bytes [start, end) of a text in a window, and reads only that. The line
// ending is shown only if the span begins with it.
func newView(text []byte, start, end, window int) view {
	var v view
	if start < min(end, len(text)) && isLineEnd(text[start]) {
		v.marked = segment{text[start : start+1], 1, 1}
		v.before, v.cutBefore = lastColumns(text[:start], window-1)
		return v
	}
	v.marked = firstColumns(text[start:], end-start, window*4/5, markedText)
	at := start + len(v.marked.text)
	room := window - max(1, v.marked.columns)
	var rest []byte // the text after the marked part
	if at >= end && v.marked.characters < maxCharacters(window) {
		rest = text[at:]
	}
	v.after = firstColumns(rest, len(rest), room, contextText)
	v.before, v.cutBefore = lastColumns(text[:start], max(room/2, room-v.after.columns))
	if left := room - v.before.columns; left < v.after.columns {
		v.after = firstColumns(rest, len(rest), left, contextText)
	}
	at += len(v.after.text)
	v.cutAfter = at < len(text) && !isLineEnd(text[at])
	return v
}

// maxCharacters limits the characters in a number of columns, because some have no width.
func maxCharacters(columns int) int { return max(columns, windowColumns) }

// lastColumns returns the last characters of a text's last line that fit into a number of columns,
// and whether the line has more.
func lastColumns(text []byte, columns int) (s segment, more bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	at := len(text)
	for ; s.characters < maxCharacters(columns) && !isLineStart(text[:at]); s.characters++ {
		_, size := utf8.DecodeLastRune(text[:at])
		_, width := contextText.measureFirstChar(text[at-size:])
		if s.columns+width > columns {
			break
		}
		s.columns += width
		at -= size
	}
	s.text = text[at:]
	return s, !isLineStart(text[:at])
}

// firstColumns returns the characters of a text's first line that begin within maxBytes and fit
// into a number of columns.
func firstColumns(text []byte, maxBytes, columns int, as renderMode) segment {
	var s segment
	at := 0
	for ; at < min(maxBytes, len(text)) && s.characters < maxCharacters(columns) && !isLineEnd(text[at]); s.characters++ {
		size, width := as.measureFirstChar(text[at:])
		if s.columns+width > columns {
			break
		}
		s.columns += width
		at += size
	}
	s.text = text[:at]
	return s
}

// isLineStart reports whether a text is empty or ends with a line ending.
func isLineStart(text []byte) bool {
	return len(text) == 0 || isLineEnd(text[len(text)-1])
}

func isLineEnd(b byte) bool { return b == '\n' || b == '\r' }

// appendLine appends the visible part of the line.
func (v *view) appendLine(out []byte) []byte {
	if v.cutBefore {
		out = append(out, "…"...)
	}
	out = contextText.append(out, v.before.text)
	out = markedText.append(out, v.marked.text)
	out = contextText.append(out, v.after.text)
	if v.cutAfter {
		out = append(out, "…"...)
	}
	return out
}
