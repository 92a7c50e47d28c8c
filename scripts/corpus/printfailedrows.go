package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// excerpt is how many bytes of a long text are shown around a difference.
const excerpt = 700

// printRows prints every failed row, or every row if one is selected by id.
func (p *report) printRows(out io.Writer) {
	for i := range p.outcomes {
		o := &p.outcomes[i]
		if o.verdict == failed || o.law != "" || p.id != "" {
			o.print(out, p.id != "")
		}
	}
	for _, x := range p.rounds {
		if !x.ok && !x.unsaid {
			x.print(out)
		}
	}
}

// print prints a row for review: differing parts with - for theirs and + for
// ours, equal ones with =.
func (o *outcome) print(out io.Writer, whole bool) {
	if slices.Contains(o.faults, faultDialect) && !whole {
		fmt.Fprintf(out, "── FAILED  %s: %s\n\n", o.ID, o.facets[0].ours[0])
		return
	}
	head := []string{o.source, o.Dialect, o.Parser, o.Mode, o.Kind, o.From}
	head = slices.DeleteFunc(head, func(s string) bool { return s == "" })
	fmt.Fprintf(out, "── %s  %s\n", strings.ToUpper(o.verdict.String()), o.ID)
	fmt.Fprintf(out, "   %s · %s\n", strings.Join(head, " · "), o.setting)
	if len(o.faults) > 0 {
		fmt.Fprintf(out, "   differs in %s\n", strings.Trim(fmt.Sprint(o.faults), "[]"))
	}
	printLines(out, "input", " ", []string{clipAround(goLiteral(o.wrappedText()), 0, whole)})
	for _, f := range o.facets {
		f.print(out, slices.Contains(o.faults, f.name), whole)
	}
	if len(o.codes) > 0 {
		printLines(out, "findings", " ", []string{strings.Trim(fmt.Sprint(o.codes), "[]")})
	}
	if o.law != "" {
		printLines(out, "law", "!", strings.Split(clipAround(o.law, 0, whole), "\n"))
	}
	if o.why != "" {
		printLines(out, "why", " ", []string{o.why})
	}
	fmt.Fprintln(out)
}

// print prints a part: both sides if they differ.
func (f comparedPart) print(out io.Writer, differs, whole bool) {
	at := firstDifferenceOffset(strings.Join(f.theirs, "\n"), strings.Join(f.ours, "\n"))
	cut := func(lines []string) []string {
		short := make([]string, len(lines))
		for i, l := range lines {
			short[i] = clipAround(l, at, whole)
		}
		return short
	}
	switch {
	case differs:
		printLines(out, string(f.name), "-", cut(orNone(f.theirs)))
		printLines(out, "", "+", cut(orNone(f.ours)))
	case len(f.ours) > 0:
		printLines(out, string(f.name), "=", cut(f.ours))
	case len(f.ours) == 0 && len(f.theirs) > 0:
		printLines(out, string(f.name), "=", cut(f.theirs))
	}
}

func orNone(lines []string) []string {
	if len(lines) == 0 {
		return []string{"none"}
	}
	return lines
}

// printLines prints lines after a name and a sign.
func printLines(out io.Writer, name, sign string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(out, "   %-10s %s %s\n", name, sign, l)
		name = ""
	}
}

// print prints a call that was not read back as rendered.
func (x roundTripResult) print(out io.Writer) {
	fmt.Fprintf(out, "── FAILED  %s\n   round trip · %s\n", x.id, x.dialect)
	printLines(out, "written", " ", []string{clipAround(goLiteral(x.text), 0, false)})
	printLines(out, "calls", "-", x.want)
	printLines(out, "", "+", orNone(x.got))
	if len(x.codes) > 0 {
		printLines(out, "findings", " ", []string{strings.Trim(fmt.Sprint(x.codes), "[]")})
	}
	fmt.Fprintln(out)
}

// goLiteral returns a text as a Go literal, raw if possible.
func goLiteral(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// clipAround shortens a long text to the part around an offset.
func clipAround(text string, place int, whole bool) string {
	if whole || len(text) <= excerpt {
		return text
	}
	from := max(0, min(place-excerpt/3, len(text)-excerpt))
	to := from + excerpt
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	short := text[from:to]
	if from > 0 {
		short = fmt.Sprintf("…%d bytes… ", from) + short
	}
	if to < len(text) {
		short += fmt.Sprintf(" …%d bytes…", len(text)-to)
	}
	return short
}

// firstDifferenceOffset returns where two texts begin to differ.
func firstDifferenceOffset(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
