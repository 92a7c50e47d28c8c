package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// window is how many columns of a source line are shown at most.
const window = 100

// tab is how many columns a tab takes outside the marked place. Inside it is
// written as an escape.
const tab = 4

// excerpt prints the line on which a span begins, with carets under it. What
// that costs does not depend on the length of the line.
func excerpt(w io.Writer, f diag.Finding, lines *diag.Lines, paint Painter) {
	text, start, end := lines.Place(f.Span)
	v := look(text, start, end)
	v.fit()
	gutter := fmt.Sprintf("%5d | ", f.Span.Line)
	fmt.Fprintln(w, strings.TrimRight(gutter+v.line(), " "))
	margin := strings.Repeat(" ", len(gutter)-2) + "| " + strings.Repeat(" ", columnsOf(v.before))
	if v.cutBefore {
		margin += " "
	}
	fmt.Fprintf(w, "%s%s\n", margin, paint.paint(f.Severity, strings.Repeat("^", max(1, columnsOf(v.marked)))))
}

// A view is what can be seen of a line through the window.
type view struct {
	before, marked, after []cell
	cutBefore, cutAfter   bool
}

// look collects the line around the bytes [start, end) of a text, on each side
// no more than could be shown.
func look(text []byte, start, end int) view {
	var v view
	v.lookBack(text[:start])
	v.lookAhead(text, start, end)
	return v
}

// lookBack collects what stands before the span, which begins where text ends.
func (v *view) lookBack(text []byte) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for len(v.before) < window && !endsLine(text) {
		_, size := utf8.DecodeLastRune(text)
		v.before = append(v.before, plainCell(text[len(text)-size:]))
		text = text[:len(text)-size]
	}
	v.cutBefore = !endsLine(text)
	slices.Reverse(v.before)
}

// endsLine reports whether text is empty or ends with a line's end.
func endsLine(text []byte) bool {
	return len(text) == 0 || isLineEnd(text[len(text)-1])
}

func isLineEnd(b byte) bool { return b == '\n' || b == '\r' }

// lookAhead collects what stands in the span and after it. The end of the line
// is shown only if the span begins with it.
func (v *view) lookAhead(text []byte, start, end int) {
	at := start
	for at < len(text) && len(v.marked) < window && len(v.after) < window {
		c, size := cellOf(text[at:])
		switch {
		case isLineEnd(text[at]) && at == start && start < end:
			v.marked = append(v.marked, c)
			return
		case isLineEnd(text[at]):
			return
		case at < end:
			v.marked = append(v.marked, c)
		default:
			v.after = append(v.after, plainCell(text[at:]))
		}
		at += size
	}
	v.cutAfter = at < len(text) && !isLineEnd(text[at])
}

// plainCell returns the first character of text that is not marked as a cell.
func plainCell(text []byte) cell {
	if text[0] == '\t' {
		return cell{strings.Repeat(" ", tab), tab}
	}
	c, _ := cellOf(text)
	return c
}

// fit drops what is too far from the marked place to be shown.
func (v *view) fit() {
	kept := prefix(v.marked, window*4/5)
	if len(kept) < len(v.marked) {
		v.marked, v.after, v.cutAfter = kept, nil, true
	}
	room := window - max(1, columnsOf(v.marked))
	if cells := suffix(v.before, max(room/2, room-columnsOf(v.after))); len(cells) < len(v.before) {
		v.before, v.cutBefore = cells, true
	}
	if cells := prefix(v.after, room-columnsOf(v.before)); len(cells) < len(v.after) {
		v.after, v.cutAfter = cells, true
	}
}

// line returns what is seen as text.
func (v *view) line() string {
	var b strings.Builder
	if v.cutBefore {
		b.WriteString("…")
	}
	for _, c := range slices.Concat(v.before, v.marked, v.after) {
		b.WriteString(c.text)
	}
	if v.cutAfter {
		b.WriteString("…")
	}
	return b.String()
}

func columnsOf(cells []cell) int {
	n := 0
	for _, c := range cells {
		n += c.width
	}
	return n
}

// prefix returns as many of the first cells as fit into some columns.
func prefix(cells []cell, columns int) []cell {
	for i, c := range cells {
		if columns -= c.width; columns < 0 {
			return cells[:i]
		}
	}
	return cells
}

// suffix returns as many of the last cells as fit into some columns.
func suffix(cells []cell, columns int) []cell {
	for i, c := range slices.Backward(cells) {
		if columns -= c.width; columns < 0 {
			return cells[i+1:]
		}
	}
	return cells
}
