package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// A report is what all rows came to.
type report struct {
	request
	outcomes []outcome
	rounds   []round
	stale    []stale
	took     time.Duration
}

// A tally counts rows.
type tally struct{ cases, equal, different, failed, notApplicable, ends, held, law int }

func (t *tally) add(o *outcome) {
	t.cases++
	switch o.verdict {
	case equal:
		t.equal++
	case different:
		t.different++
	case failed:
		t.failed++
	case notApplicable:
		t.notApplicable++
	}
	if o.ends {
		t.ends++
	}
	if o.held {
		t.held++
	}
	if o.law != "" {
		t.law++
	}
}

// share returns a part of the rows that say something about oneshot, in percent.
func (t tally) share(part int) float64 {
	return 100 * float64(part) / float64(max(t.cases-t.notApplicable, 1))
}

// line returns a line of the table; only totals have percentages.
func (t tally) line(name, label string, total bool) string {
	line := fmt.Sprintf("%-20s %-33s %5d %5d %9d %6d %4d %4d %4d %4d", name, label, t.cases, t.equal, t.different, t.failed, t.notApplicable, t.ends, t.held, t.law)
	if total {
		line += fmt.Sprintf("  %5.1f %% %5.1f %% %5.1f %%", t.share(t.equal), t.share(t.different), t.share(t.failed))
	}
	return line + "\n"
}

// trusted are the expectations that the goals are about: written in a test, made
// by the reference in a test that passed, or a parameter of a test.
var trusted = []string{"assertion", "reference-run", "test-parameters"}

// print prints the report and returns the exit code.
func (p *report) print(stdout, stderr io.Writer) int {
	if p.verbose {
		p.printRows(stdout)
	}
	all, calls, values := p.printTable(stdout)
	p.printDetection(stdout)
	failedRounds := p.printRounds(stdout)
	p.printReasons(stdout)
	for _, s := range p.stale {
		fmt.Fprintf(stderr, "stale difference %s: %s\n", s.id, s.why)
	}
	met := p.meets(calls) && p.meets(values)
	fmt.Fprintf(stdout, "\n%d rows and %d round trips in %.1f s. Failed: %.1f %% of calls, %.1f %% of values (goal %g %%). Different: %.1f %% of calls, %.1f %% of values (goal %g %%). %d breaks of the streaming law. Goals: %s.\n",
		all.cases, len(p.rounds), p.took.Seconds(), calls.share(calls.failed), values.share(values.failed), p.failOver,
		calls.share(calls.different), values.share(values.different), p.diffOver, all.law, verdictWord(met && all.law == 0))
	if !met || all.law > 0 || float64(100*failedRounds) > p.failOver*float64(len(p.rounds)) || p.strict && len(p.stale) > 0 {
		return 1
	}
	return 0
}

func verdictWord(met bool) string {
	if met {
		return "met"
	}
	return "not met"
}

// meets reports whether some rows meet the goals.
func (p *report) meets(t tally) bool {
	return t.share(t.failed) <= p.failOver && t.share(t.different) <= p.diffOver
}

// aboutValues are the kinds of rows that are about values of JSON and not about
// calls in a response.
var aboutValues = []string{"json-repair", "partial-json", "extract-json", "schema-acceptance"}

// printTable prints a line for each file and dialect and the totals. It returns
// those of all rows and of those that the goals are about: rows about calls, and
// about values.
func (p *report) printTable(out io.Writer) (all, calls, values tally) {
	type line struct{ source, label string }
	lines, files := map[line]*tally{}, map[string]*tally{}
	for i := range p.outcomes {
		o := &p.outcomes[i]
		at(lines, line{o.source, o.Dialect}).add(o)
		at(files, o.source).add(o)
		all.add(o)
		switch {
		case !slices.Contains(trusted, o.From):
		case slices.Contains(aboutValues, o.Kind):
			values.add(o)
		default:
			calls.add(o)
		}
	}
	fmt.Fprintf(out, "%-20s %-33s %5s %5s %9s %6s %4s %4s %4s %4s\n", "source", "dialect", "cases", "equal", "different", "failed", "n/a", "ends", "held", "law")
	byName := func(a, b line) int { return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.label, b.label)) }
	sorted := slices.SortedFunc(maps.Keys(lines), byName)
	for i, l := range sorted {
		fmt.Fprint(out, lines[l].line(l.source, l.label, false))
		if i+1 == len(sorted) || sorted[i+1].source != l.source {
			fmt.Fprint(out, files[l.source].line(l.source, "all", true), "\n")
		}
	}
	fmt.Fprint(out, all.line("all rows", "", true), calls.line("goals: calls", "", true), values.line("goals: values", "", true))
	fmt.Fprintln(out, "n/a: not about oneshot, left out of the percentages. ends: equal but for blanks at the ends of strings, which the reference drops. held: equal, but not executed here. law: another reading in pieces than whole.")
	return all, calls, values
}

// at returns the tally of a key.
func at[K comparable](m map[K]*tally, key K) *tally {
	if m[key] == nil {
		m[key] = &tally{}
	}
	return m[key]
}

// printDetection prints how often the dialect was right where it was not named.
func (p *report) printDetection(out io.Writer) {
	type count struct{ calls, named, same, wrong, none, phantom int }
	table, all := map[string]*count{}, &count{}
	for _, o := range p.outcomes {
		if o.found == nil {
			continue
		}
		name := o.dialectName()
		if table[name] == nil {
			table[name] = &count{}
		}
		for _, c := range []*count{table[name], all} {
			switch d := o.found; {
			case !d.calls && d.sameCalls:
				c.none++
			case !d.calls:
				c.phantom++
			case d.named:
				c.calls++
				c.named++
			case d.sameCalls:
				c.calls++
				c.same++
			default:
				c.calls++
				c.wrong++
			}
		}
	}
	if len(table) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%-20s %10s %6s %11s %6s %8s %14s %6s\n", "dialect not named", "with calls", "named", "same calls", "wrong", "right", "without calls", "wrong")
	line := func(name string, c *count) {
		right := 100 * float64(c.named+c.same) / float64(max(c.calls, 1))
		fmt.Fprintf(out, "%-20s %10d %6d %11d %6d %6.1f %% %14d %6d\n", name, c.calls, c.named, c.same, c.wrong, right, c.none+c.phantom, c.phantom)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		line(name, table[name])
	}
	line("all", all)
}

// printRounds prints how many calls come back as they were written, and returns
// how many do not.
func (p *report) printRounds(out io.Writer) (failures int) {
	type count struct{ cases, equal, unsaid int }
	table, all := map[string]*count{}, count{}
	for _, x := range p.rounds {
		if table[x.dialect] == nil {
			table[x.dialect] = &count{}
		}
		table[x.dialect].cases++
		switch {
		case x.ok:
			table[x.dialect].equal++
			all.equal++
		case x.unsaid:
			table[x.dialect].unsaid++
			all.unsaid++
		default:
			failures++
		}
	}
	if len(table) == 0 {
		return 0
	}
	fmt.Fprintf(out, "\n%-20s %6s %6s %6s %6s\n", "round trip", "cases", "equal", "failed", "unsaid")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		c := table[name]
		fmt.Fprintf(out, "%-20s %6d %6d %6d %6d\n", name, c.cases, c.equal, c.cases-c.equal-c.unsaid, c.unsaid)
	}
	fmt.Fprintf(out, "%-20s %6d %6d %6d %6d\nunsaid: the dialect has no way to write the call, and says so.\n", "all", len(p.rounds), all.equal, failures, all.unsaid)
	return failures
}

// printReasons prints why rows are not applicable.
func (p *report) printReasons(out io.Writer) {
	reasons := map[string]int{}
	for _, o := range p.outcomes {
		if o.verdict == notApplicable {
			reasons[cmp.Or(o.Kind, o.Dialect)+": "+o.why]++
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintln(out, "\nnot applicable")
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(out, "%5d  %s\n", reasons[why], why)
	}
}
