package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// A report holds the outcomes of all rows.
type report struct {
	request
	outcomes []outcome
	rounds   []roundTripResult
	stale    []stale
	took     time.Duration
}

// A tally counts rows.
type tally struct{ cases, equal, different, failed, notApplicable, ends, held, repaired, early, law int }

func (t *tally) add(o *outcome) {
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	t.cases++
	count(&t.equal, o.verdict == equal)
	count(&t.different, o.verdict == different)
	count(&t.failed, o.verdict == failed)
	count(&t.notApplicable, o.verdict == notApplicable)
	count(&t.ends, o.verdict == equal && o.ends)
	count(&t.held, o.verdict == equal && o.held)
	count(&t.repaired, o.verdict == equal && o.repaired)
	count(&t.early, o.verdict == equal && o.early)
	count(&t.law, o.law != "")
}

// percentage returns the share of a count among the applicable rows.
func (t tally) percentage(part int) float64 {
	return 100 * float64(part) / float64(max(t.cases-t.notApplicable, 1))
}

// head is the head of the table.
const head = "\n%-34s cases equal different failed  n/a |  ends held repaired early |  law   equal different failed\n"

// tableLine returns a line of the table.
func (t tally) tableLine(name string) string {
	return fmt.Sprintf("%-34s %5d %5d %9d %6d %4d | %5d %4d %8d %5d | %4d %5.1f %% %7.1f %% %4.1f %%\n",
		name, t.cases, t.equal, t.different, t.failed, t.notApplicable, t.ends, t.held, t.repaired, t.early, t.law, t.percentage(t.equal), t.percentage(t.different), t.percentage(t.failed))
}

// trusted are the expectations that count for the goals: written in a test, made
// by the reference in a test that passed, or a parameter of a test.
var trusted = []string{"assertion", "reference-run", "test-parameters"}

// print prints the report and returns the exit code.
func (p *report) print(stdout, stderr io.Writer) int {
	if p.verbose {
		p.printRows(stdout)
	}
	p.printReasons(stdout, "different on purpose, by reason: rows, of them goal rows", different)
	p.printReasons(stdout, "not applicable, by reason", notApplicable)
	p.printDetection(stdout)
	failedRounds := p.printRounds(stdout)
	calls, values := p.printTables(stdout)
	for _, s := range p.stale {
		fmt.Fprintf(stderr, "stale difference %s: %s\n", s.id, s.why)
	}
	laws := 0
	for _, o := range p.outcomes {
		if o.law != "" {
			laws++
		}
	}
	met := calls.percentage(calls.failed) <= p.failOver && values.percentage(values.failed) <= p.failOver && calls.percentage(calls.different) <= p.diffOver
	fmt.Fprintf(stdout, "%d rows and %d round trips in %.1f s. Failed: %.1f %% of calls, %.1f %% of values (goal %g %%). Different: %.1f %% of calls (goal %g %%), %.1f %% of values. %d breaks of the streaming law. Goals: %s.\n",
		len(p.outcomes), len(p.rounds), p.took.Seconds(), calls.percentage(calls.failed), values.percentage(values.failed), p.failOver,
		calls.percentage(calls.different), p.diffOver, values.percentage(values.different), laws, verdictWord(met && laws == 0))
	if !met || laws > 0 || float64(100*failedRounds) > p.failOver*float64(len(p.rounds)) || p.strict && len(p.stale) > 0 {
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

// aboutValues are the kinds of rows about JSON values, not
// calls in a response. They do not count for the goals: a repaired value is only
// suggested, never run.
var aboutValues = []string{"json-repair", "schema-acceptance"}

func (o *outcome) isAboutValue() bool { return slices.Contains(aboutValues, o.Kind) }

// isInGoal reports whether a row counts for the goals.
func (o *outcome) isInGoal() bool { return slices.Contains(trusted, o.From) }

// printTables prints tables of the rows about calls and of those about values,
// by source and by dialect. It returns the tallies of the rows in both that
// count for the goals.
func (p *report) printTables(out io.Writer) (calls, values tally) {
	calls = p.printTable(out, "calls in responses", func(o *outcome) bool { return !o.isAboutValue() })
	values = p.printTable(out, "values of JSON", (*outcome).isAboutValue)
	fmt.Fprint(out, `
goal rows: what is expected was asserted, returned by the reference in a test that passed, or a parameter of a test.
n/a: not about oneshot, left out of the percentages. Of the equal rows, not quite the same:
ends: blanks at the ends of texts. held: a call is not executed here, or was none there. repaired: refused there, repaired here.
early: read before the text has ended, as there, or sent in part there. law: another reading in pieces than whole.

`)
	return calls, values
}

// printTable prints a line for each dialect and each file of some rows, and
// their totals. It returns the tally of the rows that count for the goals.
func (p *report) printTable(out io.Writer, title string, fits func(o *outcome) bool) (goal tally) {
	sources, labels, all := map[string]*tally{}, map[string]*tally{}, tally{}
	for i := range p.outcomes {
		o := &p.outcomes[i]
		if !fits(o) {
			continue
		}
		counterAt(sources, o.source).add(o)
		counterAt(labels, canonicalDialect(o.dialectName())).add(o)
		if all.add(o); o.isInGoal() {
			goal.add(o)
		}
	}
	if all.cases == 0 {
		return goal
	}
	printTallies(out, title+", by dialect", labels)
	printTallies(out, title+", by source", sources)
	fmt.Fprint(out, all.tableLine("all of "+title), goal.tableLine("goal rows"))
	return goal
}

// printTallies prints a line for each tally.
func printTallies(out io.Writer, title string, tallies map[string]*tally) {
	fmt.Fprintf(out, head, title)
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		fmt.Fprint(out, tallies[name].tableLine(name))
	}
}

// counterAt returns the counter of a key.
func counterAt[K comparable, V any](m map[K]*V, key K) *V {
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

// A detectionCounts counts how often the dialect of a text was detected
// correctly.
type detectionCounts struct{ calls, named, same, wrong, none, phantom int }

func (c *detectionCounts) add(d *detection) {
	switch {
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

// printDetection prints these counts for all rows, and for the dialects with
// wrong detections.
func (p *report) printDetection(out io.Writer) {
	table, all := map[string]*detectionCounts{}, detectionCounts{}
	for _, o := range p.outcomes {
		if o.found != nil {
			counterAt(table, o.dialectName()).add(o.found)
			all.add(o.found)
		}
	}
	if len(table) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%-20s %10s %6s %11s %6s %8s %14s %6s\n", "dialect not named", "with calls", "named", "same calls", "wrong", "right", "without calls", "wrong")
	line := func(name string, c detectionCounts) {
		right := 100 * float64(c.named+c.same) / float64(max(c.calls, 1))
		fmt.Fprintf(out, "%-20s %10d %6d %11d %6d %6.1f %% %14d %6d\n", name, c.calls, c.named, c.same, c.wrong, right, c.none+c.phantom, c.phantom)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if c := *table[name]; p.full || c.wrong+c.phantom > 0 {
			line(name, c)
		}
	}
	line("all", all)
}

// printRounds prints how many calls are read back as rendered, for all dialects
// and for those with failures, and returns the number of failures.
func (p *report) printRounds(out io.Writer) (failures int) {
	type count struct{ cases, equal, unsaid int }
	table, all := map[string]*count{}, &count{}
	for _, x := range p.rounds {
		for _, c := range []*count{counterAt(table, x.dialect), all} {
			c.cases++
			switch {
			case x.ok:
				c.equal++
			case x.unsaid:
				c.unsaid++
			}
		}
	}
	if len(table) == 0 {
		return 0
	}
	fmt.Fprintf(out, "\n%-20s %6s %6s %6s %6s  unsaid: the dialect has no way to write the call, and says so\n", "round trip", "cases", "equal", "failed", "unsaid")
	line := func(name string, c *count) {
		fmt.Fprintf(out, "%-20s %6d %6d %6d %6d\n", name, c.cases, c.equal, c.cases-c.equal-c.unsaid, c.unsaid)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if c := table[name]; p.full || c.equal+c.unsaid < c.cases {
			line(name, c)
		}
	}
	line(fmt.Sprintf("%d dialects", len(table)), all)
	return all.cases - all.equal - all.unsaid
}

// printReasons prints the reasons for a verdict, the most frequent first.
func (p *report) printReasons(out io.Writer, title string, v verdict) {
	type reason struct {
		why        string
		rows, goal int
	}
	reasons := map[string]*reason{}
	for i := range p.outcomes {
		if o := &p.outcomes[i]; o.verdict == v {
			x := counterAt(reasons, o.why)
			x.why = o.why
			if x.rows++; o.isInGoal() {
				x.goal++
			}
		}
	}
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", title)
	for _, x := range slices.SortedFunc(maps.Values(reasons), func(a, b *reason) int { return cmp.Or(b.rows-a.rows, cmp.Compare(a.why, b.why)) }) {
		fmt.Fprintf(out, "%5d %4d  %s\n", x.rows, x.goal, x.why)
	}
}
