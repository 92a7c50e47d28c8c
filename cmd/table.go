package cmd

import (
	"bufio"
	"slices"
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

// minWrapColumns is the width to which a column that wraps is reduced before other columns are cut.
const minWrapColumns = 15

// widths returns the width of each column. All columns together take at most a number of columns of the terminal if it is not 0
// and the first leaves room.
func (l *table) widths(most int) []int {
	var widths []int
	for _, row := range l.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], report.Columns(cell), min(len(cell), 1)) // 1 for an ellipsis
		}
	}
	if most == 0 || len(widths) < 2 {
		return widths
	}
	rest, most := widths[1:], most-widths[0]-len(columnGap)*(len(widths)-1)
	if last := len(rest) - 1; l.wraps { // it loses nothing
		rest[last] = min(rest[last], max(most-sum(rest[:last]), minWrapColumns))
	}
	shrink(rest, most)
	return widths
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// shrink reduces the largest widths until their sum is at most a number, or each is 1.
func shrink(widths []int, most int) {
	for i, w := range widths {
		widths[i] = min(w, max(most, 1)) // bounds the loop below
	}
	for excess := sum(widths) - most; excess > 0; excess-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= 1 {
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
