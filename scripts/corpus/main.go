// Command corpus compares oneshot with other parsers on real
// responses: a folder of cases, one a line, that is not part of the project.
//
//	make corpus CORPUS=DIR ARGS="[-source vllm] [-dialect hermes] [-id TEXT] [-v]"
//
// It prints a table. Each case is equal, intentionally different, as explained in the list of
// differences, or failed. It exits with 1 if more rows fail or
// differ than the goals allow or one breaks the streaming law, and with 2 if there
// is nothing to read.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// A request holds the values of the command line.
type request struct {
	folder, list       string
	sources, labels    []string
	id                 string
	verbose, strict    bool
	full, update       bool
	failOver, diffOver float64
	findings           int    // number of findings to sample
	seed               uint64 // of the sample
}

// parseFlags parses the command line.
func parseFlags(args []string, stderr io.Writer) (request, error) {
	var q request
	var sources, labels string
	f := flag.NewFlagSet("corpus", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&q.folder, "corpus", "", "the `folder` with the cases, *.jsonl")
	f.StringVar(&q.list, "differences", "testdata/corpus/differences.jsonl", "the `file` with what is read differently on purpose")
	f.StringVar(&sources, "source", "", "only these `files`, without .jsonl, by comma")
	f.StringVar(&labels, "dialect", "", "only these `dialects`, or labels such as hermes#inner, by comma")
	f.StringVar(&q.id, "id", "", "only rows with this `text` in their id; with -v all of them are shown, whole")
	f.BoolVar(&q.verbose, "v", false, "show every failed row")
	f.BoolVar(&q.strict, "strict", false, "exit 1 also when an entry of the list of differences is stale")
	f.BoolVar(&q.full, "full", false, "print also the dialects of which every detection and round trip is right")
	f.BoolVar(&q.update, "update", false, "write into the list of differences what its rows are read as now")
	f.Float64Var(&q.failOver, "fail-over", 1, "exit 1 when more than this `percent` fail")
	f.Float64Var(&q.diffOver, "different-over", 5, "exit 1 when more than this `percent` of calls are different on purpose")
	f.IntVar(&q.findings, "findings", 0, "check nothing, and print this `number` of findings for a person to judge")
	f.Uint64Var(&q.seed, "seed", 1, "the `number` that findings are drawn with")
	if err := f.Parse(args); err != nil {
		return q, err
	}
	if f.NArg() > 0 {
		return q, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	q.sources, q.labels = splitList(sources), splitList(labels)
	return q, nil
}

func splitList(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return s == "" })
}

// matches reports whether a row is selected.
func (q request) matches(r *row) bool {
	return (len(q.sources) == 0 || slices.Contains(q.sources, r.source)) &&
		(len(q.labels) == 0 || slices.Contains(q.labels, r.Dialect) || slices.Contains(q.labels, r.dialectName())) &&
		strings.Contains(r.ID, q.id)
}

// isUnfiltered reports whether no filter excludes rows.
func (q request) isUnfiltered() bool { return len(q.sources)+len(q.labels)+len(q.id) == 0 }

// run runs the command and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	q, err := parseFlags(args, stderr)
	if err == nil && q.folder == "" {
		err = fmt.Errorf("-corpus must name the folder with the cases")
	}
	var rows []*row
	var list diffList
	if err == nil {
		rows, err = loadRows(q.folder)
	}
	if err == nil {
		list, err = loadDifferences(q.list)
	}
	if err != nil {
		fmt.Fprintln(stderr, "corpus:", err)
		return 2
	}
	if q.findings > 0 {
		q.printSampledFindings(slices.DeleteFunc(rows, func(r *row) bool { return !q.matches(r) }), stdout)
		return 0
	}
	rep := checkRows(q, rows, list)
	if q.update {
		if err := list.save(q.list, rep.outcomes); err != nil {
			fmt.Fprintln(stderr, "corpus:", err)
			return 2
		}
	}
	return rep.print(stdout, stderr)
}

// checkRows checks the selected rows.
func checkRows(q request, rows []*row, list diffList) *report {
	began := time.Now()
	seeds := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.Kind != "seed" || !q.matchesSeed(r) })
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.Kind == "seed" || !q.matches(r) })
	rep := &report{request: q, outcomes: make([]outcome, len(rows))}
	inParallel(len(rows), func(i int) { rep.outcomes[i] = checkWithTimeout(rows[i], patience) })
	trips := make([][]roundTripResult, len(seeds))
	inParallel(len(seeds), func(i int) { trips[i] = roundTrips(seeds[i], q.roundTripDialects()) })
	rep.rounds = slices.Concat(trips...)
	list.markKnown(rep.outcomes)
	rep.stale = list.staleEntries(rep.outcomes, q.isUnfiltered())
	rep.took = time.Since(began)
	return rep
}

// matchesSeed reports whether a seed is selected. Seeds have no dialect of
// their own.
func (q request) matchesSeed(r *row) bool {
	q.labels = nil
	return q.matches(r)
}

// roundTripDialects returns the dialects in which seeds are rendered.
func (q request) roundTripDialects() []string {
	return slices.DeleteFunc(dialectNames(), func(name string) bool {
		return len(q.labels) > 0 && !slices.ContainsFunc(q.labels, func(label string) bool { return isSameDialect(label, name) })
	})
}

// inParallel calls do for every index below n, on all processors.
func inParallel(n int, do func(i int)) {
	next := make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}
