package cmd

import (
	"strings"
	"testing"

	"github.com/fatih/color"
	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag/report"
)

// A table is complete without a limit. Within one, the widest columns are cut first, and the first is never cut. A last column
// that wraps is narrowed before others are cut.
func TestTable(t *testing.T) {
	rows := [][]string{
		{"ID", "MODEL", "TURNS", "PROMPT"},
		{"r1", "replay:a-long-recording.jsonl", "3", "Say hello to everybody"},
		{"run-2", "日本語のモデル", "10", "no"},
	}
	for _, tt := range []struct {
		columns int
		wraps   bool
		want    string
	}{
		{0, false, `
ID     MODEL                          TURNS  PROMPT
r1     replay:a-long-recording.jsonl  3      Say hello to everybody
run-2  日本語のモデル                 10     no
`},
		{40, false, `
ID     MODEL         TURNS  PROMPT
r1     replay:a-lo…  3      Say hello t…
run-2  日本語のモ…   10     no
`},
		{40, true, `
ID     MODEL         TURNS  PROMPT
r1     replay:a-lo…  3      Say hello_
                            to everybody
run-2  日本語のモ…   10     no
`},
		{50, true, `
ID     MODEL                TURNS  PROMPT
r1     replay:a-long-reco…  3      Say hello to_
                                   everybody
run-2  日本語のモデル       10     no
`},
		{18, false, `
ID     M…  T…  PR…
r1     r…  3   Sa…
run-2  …   10  no
`},
		{5, false, `
ID     …  …  …
r1     …  3  …
run-2  …  …  …
`},
	} {
		l := &table{heading: true, wraps: tt.wraps, rows: rows}
		if d := cmp.Diff(strings.ReplaceAll(tt.want[1:], "_\n", " \n"), printedTable(l, tt.columns, false)); d != "" {
			t.Errorf("%d columns, wraps %v: %s", tt.columns, tt.wraps, d)
		}
	}
	for columns := 14; columns < 80; columns++ {
		for _, wraps := range []bool{false, true} {
			for line := range strings.Lines(printedTable(&table{wraps: wraps, rows: rows}, columns, false)) {
				if report.Columns(strings.TrimSuffix(line, "\n")) > columns {
					t.Errorf("%d columns, wraps %v: %q", columns, wraps, line)
				}
			}
		}
	}
}

// Cells can be empty, or have no width.
func TestTableEmptyCells(t *testing.T) {
	marks := strings.Repeat("\u0301", 31)
	l := &table{rows: [][]string{{"", "\u0301", "a", marks}, {"", "", "b", ""}}}
	for _, columns := range []int{0, 1, 2, 3, 80} {
		want := "  \u0301   a  " + marks[:60] + "…\n     b  \n"
		if d := cmp.Diff(want, printedTable(l, columns, false)); d != "" {
			t.Errorf("%d columns: %s", columns, d)
		}
	}
}

// Colour does not count as width, and a cell that is cut has the colour of the whole cell.
func TestTableColor(t *testing.T) {
	l := &table{heading: true, rows: [][]string{{"NAME", "STATE"}, {"a", "failed"}, {"b", "ok"}}, color: func(column int, cell string) color.Attribute {
		return map[string]color.Attribute{"failed": color.FgRed}[cell]
	}}
	want := "\x1b[1mNAME\x1b[22m  \x1b[1mST…\x1b[22m\na     \x1b[31mfa…\x1b[0m\nb     ok\n"
	if d := cmp.Diff(want, printedTable(l, 9, true)); d != "" {
		t.Error(d)
	}
}

func printedTable(l *table, columns int, hasColor bool) string {
	var out []byte
	widths := l.widths(columns)
	for row := range l.rows {
		out = l.appendRow(out, row, widths, hasColor)
	}
	return string(out)
}
