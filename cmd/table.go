package cmd

import (
	"bufio"
	"strings"

	"github.com/fatih/color"

	"oneshot/pkg/diag/report"
)

// A table is rows of equally many cells, aligned in columns. On a terminal it fits the width: its cells are cut, except in the
// first column, which has the names that other commands take.
type table struct {
	heading bool // the first row is a heading
	wraps   bool // cells of the last column are wrapped, not cut
	rows    [][]string
	color   func(column int, cell string) color.Attribute // 0 for none; may be nil
}

// printTable prints a table to stdout.
func (t *console) printTable(l *table) error {
	widths, hasColor := l.widths(t.columnsOf(onStdout)), t.hasColor(onStdout)
	out := bufio.NewWriter(t.out) // else each row is a system call
	for row := range l.rows {
		_, _ = out.Write(l.appendRow(out.AvailableBuffer(), row, widths, hasColor)) // Flush returns the error
	}
	return out.Flush()
}

// columnGap separates two columns.
const columnGap = "  "

// widths returns the width of each column. All columns together take at most a number of columns of the terminal if it is not 0
// and the first leaves room.
func (l *table) widths(most int) []int {
	var widths []int
	for _, row := range l.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], report.Columns(cell))
		}
	}
	if most > 0 && len(widths) > 0 {
		shrink(widths[1:], most-widths[0]-len(columnGap)*(len(widths)-1))
	}
	return widths
}

// shrink reduces the largest widths until their sum is at most a number, or each is 1.
func shrink(widths []int, most int) {
	sum := 0
	for i, w := range widths {
		widths[i] = min(w, max(most, 1)) // bounds the loop below
		sum += widths[i]
	}
	for ; sum > most; sum-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if len(widths) == 0 || widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}

// appendRow appends the lines of a row.
func (l *table) appendRow(out []byte, row int, widths []int, hasColor bool) []byte {
	cells := l.rows[row]
	last := len(cells) - 1
	lines := []string{report.Cut(cells[last], widths[last])}
	if l.wraps {
		lines = report.Wrap(cells[last], widths[last])
	}
	for i, line := range lines {
		for column, cell := range cells[:last] {
			if i > 0 {
				cell = ""
			}
			shown := report.Cut(cell, widths[column])
			padding := strings.Repeat(" ", widths[column]-report.Columns(shown)) + columnGap
			out = append(append(out, l.paint(row, column, shown, hasColor)...), padding...)
		}
		out = append(append(out, l.paint(row, last, line, hasColor)...), '\n')
	}
	return out
}

// paint returns the visible part of a cell in the colour of the cell.
func (l *table) paint(row, column int, shown string, hasColor bool) string {
	switch {
	case !hasColor:
		return shown
	case l.heading && row == 0:
		return colored(color.Bold, shown)
	case l.color == nil:
		return shown
	}
	return colored(l.color(column, l.rows[row][column]), shown)
}
