package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// window is how many columns of a source line are shown at most.
const window = 100

// appendExcerpt appends the line on which a span begins, with carets under it, or under
// its first piece. What that costs does not depend on the length of the line.
func appendExcerpt(out []byte, f diag.Finding, lines *diag.Lines, paint Painter) []byte {
	span := f.Span
	if len(f.Pieces) > 0 {
		span = f.Pieces[0]
	}
	v := look(lines.Place(span))
	begin := len(out)
	out = fmt.Appendf(out, "%5d | ", span.Line)
	bar := len(out) - begin - len("| ")
	out = v.appendLine(out)
	out = out[:begin+len(bytes.TrimRight(out[begin:], " "))]
	out = appendSpaces(append(out, '\n'), bar)
	out = appendSpaces(append(out, "| "...), v.before.columns)
	if v.cutBefore {
		out = append(out, ' ')
	}
	out = append(out, paint.paint(f.Severity, strings.Repeat("^", max(1, v.marked.columns)))...)
	return append(out, '\n')
}

func appendSpaces(out []byte, n int) []byte {
	for range n {
		out = append(out, ' ')
	}
	return out
}

// A view is what can be seen of a line through the window.
type view struct {
	before, marked, after stretch
	cutBefore, cutAfter   bool
}

// A stretch is a part of a line.
type stretch struct {
	text       []byte
	characters int
	columns    int
}

// look finds what can be seen of the line around the bytes [start, end) of a text. Only
// that is read. The end of the line is shown only if the span begins with it.
func look(text []byte, start, end int) view {
	var v view
	if start < min(end, len(text)) && isLineEnd(text[start]) {
		v.marked = stretch{text[start : start+1], 1, 1}
		v.before, v.cutBefore = back(text[:start], window-1)
		return v
	}
	v.marked = ahead(text[start:], end-start, window*4/5, inside)
	at := start + len(v.marked.text)
	room := window - max(1, v.marked.columns)
	var rest []byte // what may be shown behind the marked place
	if at >= end && v.marked.characters < window {
		rest = text[at:]
	}
	v.after = ahead(rest, len(rest), room, outside)
	v.before, v.cutBefore = back(text[:start], max(room/2, room-v.after.columns))
	if left := room - v.before.columns; left < v.after.columns {
		v.after = ahead(rest, len(rest), left, outside)
	}
	at += len(v.after.text)
	v.cutAfter = at < len(text) && !isLineEnd(text[at])
	return v
}

// back returns the last characters of a text, of its last line, as many as fit into some
// columns, and whether there are more.
func back(text []byte, columns int) (s stretch, more bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	at := len(text)
	for ; s.characters < window && !endsLine(text[:at]); s.characters++ {
		_, size := utf8.DecodeLastRune(text[:at])
		_, width := outside.measure(text[at-size:])
		if s.columns+width > columns {
			break
		}
		s.columns += width
		at -= size
	}
	s.text = text[at:]
	return s, !endsLine(text[:at])
}

// ahead returns the characters of a text's first line that begin in its first bytes, as
// many as fit into some columns.
func ahead(text []byte, most, columns int, as showing) stretch {
	var s stretch
	at := 0
	for ; at < min(most, len(text)) && s.characters < window && !isLineEnd(text[at]); s.characters++ {
		size, width := as.measure(text[at:])
		if s.columns+width > columns {
			break
		}
		s.columns += width
		at += size
	}
	s.text = text[:at]
	return s
}

// endsLine reports whether text is empty or ends with a line's end.
func endsLine(text []byte) bool {
	return len(text) == 0 || isLineEnd(text[len(text)-1])
}

func isLineEnd(b byte) bool { return b == '\n' || b == '\r' }

// appendLine appends what is seen.
func (v *view) appendLine(out []byte) []byte {
	if v.cutBefore {
		out = append(out, "…"...)
	}
	out = outside.append(out, v.before.text)
	out = inside.append(out, v.marked.text)
	out = outside.append(out, v.after.text)
	if v.cutAfter {
		out = append(out, "…"...)
	}
	return out
}
