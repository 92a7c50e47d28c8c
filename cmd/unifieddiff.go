package cmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Limits of a diff, which bound its memory.
const (
	maxDiffLines = 1 << 20      // of one response or file that differs
	maxHunkBytes = 2 * maxInput // of successive changes: the old and the new form of the largest response
)

// A unifiedDiff prints the differences of one file in the unified format, which patch reads. It keeps one hunk in memory.
type unifiedDiff struct {
	console *console
	name    string
	out     bufferedOutput
	begun   bool // the names are printed

	olds, news int        // lines of both texts before the hunk
	hunk       []diffLine // the open hunk, or the unchanged lines that the next one begins with
	isOpen     bool       // the hunk has a change
	equal      int        // unchanged lines at the end of the open hunk
	size       int        // bytes of the open hunk
}

func newUnifiedDiff(t *console, name string) *unifiedDiff {
	return &unifiedDiff{console: t, name: name, out: bufferedOutput{w: t.out, most: bufferedBytes}}
}

func (d *unifiedDiff) add(old, fixed []byte) error {
	if bytes.Equal(old, fixed) {
		for line := range bytes.Lines(old) {
			if err := d.addLine(diffLine{' ', string(line)}); err != nil {
				return err
			}
		}
		return nil
	}
	if lineFeed := []byte("\n"); max(bytes.Count(old, lineFeed), bytes.Count(fixed, lineFeed)) > maxDiffLines {
		return d.tooLarge()
	}
	for _, line := range lineDiff(slices.Collect(strings.Lines(string(old))), slices.Collect(strings.Lines(string(fixed)))) {
		if err := d.addLine(line); err != nil {
			return err
		}
	}
	return nil
}

// addLine adds a line with its line feed, and prints the hunk that ends before it.
func (d *unifiedDiff) addLine(line diffLine) error {
	d.hunk = append(d.hunk, line)
	switch {
	case line.op != ' ':
		d.isOpen, d.equal = true, 0
	case !d.isOpen:
		d.skip(len(d.hunk) - diffContext)
		return nil
	default:
		d.equal++
	}
	if d.size += len(line.text); d.size > maxHunkBytes {
		return d.tooLarge()
	}
	if d.equal > 2*diffContext { // the contexts of this hunk and the next one do not touch
		return d.printHunk()
	}
	return nil
}

// printHunk prints the open hunk, and keeps the unchanged lines for the next one.
func (d *unifiedDiff) printHunk() error {
	lines := d.hunk[:len(d.hunk)-max(0, d.equal-diffContext)]
	var text bytes.Buffer
	if !d.begun {
		d.begun = true
		fmt.Fprintf(&text, "--- %[1]s\n+++ %[1]s\n", headerName(d.name))
	}
	olds, news := countLines(lines)
	fmt.Fprintf(&text, "@@ -%s +%s @@\n", lineRange(d.olds, olds), lineRange(d.news, news))
	for _, line := range lines {
		text.WriteByte(line.op)
		text.WriteString(line.text)
		if !strings.HasSuffix(line.text, "\n") {
			text.WriteString("\n\\ No newline at end of file\n")
		}
	}
	d.skip(max(len(lines), len(d.hunk)-diffContext))
	d.isOpen, d.equal, d.size = false, 0, 0
	_, err := io.WriteString(&d.out, d.console.verbatim(text.Bytes()))
	return err
}

// skip removes the first n lines of the hunk, if n is positive.
func (d *unifiedDiff) skip(n int) {
	n = max(0, n)
	olds, news := countLines(d.hunk[:n])
	d.olds, d.news = d.olds+olds, d.news+news
	d.hunk = slices.Delete(d.hunk, 0, n)
}

// countLines returns how many of the lines the old text has, and how many the new one.
func countLines(lines []diffLine) (olds, news int) {
	for _, line := range lines {
		if line.op != '+' {
			olds++
		}
		if line.op != '-' {
			news++
		}
	}
	return olds, news
}

// lineRange returns the range of n lines that follow others, in the form of a hunk's header.
func lineRange(before, n int) string {
	if n > 0 {
		before++ // the number of the first line
	}
	return fmt.Sprintf("%d,%d", before, n)
}

// headerName returns a file name as patch reads it: quoted if it needs that, and with a tab after a name with spaces.
func headerName(name string) string {
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '"' || r == '\\' }):
		return strconv.Quote(name)
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

// tooLarge returns the error about a file whose differences do not fit.
func (d *unifiedDiff) tooLarge() error {
	return &hintedError{&inputError{fmt.Errorf("%s has too many changes for a diff", displayName(d.name))}, "fix a copy with --write, and compare the two"}
}

func (d *unifiedDiff) finish(int) error {
	if d.isOpen {
		if err := d.printHunk(); err != nil {
			return err
		}
	}
	return d.out.flush()
}

func (d *unifiedDiff) discard() {}
