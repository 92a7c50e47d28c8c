//go:build unix

// Command bench measures the start of oneshot (B1), the speed of reading responses (B2) and files of many records (B3), the
// growth of the time for hostile responses (B4), the delay before a read starts (B5), the time that a run adds to that of
// its model (B6), the time of independent reads together (B7), the length of the tools in a prompt (B8), the runs per second
// of a batch (B9), the cost of durability (B10), the time that a call of a program adds to the program (B11), the cost of a
// long run (B12), the time to list runs (B13), the cost of unread events (events), and the time that rules about
// files add to a search (files). It prints one Markdown table and writes the same as JSON. Compared programs run in turn, A
// B A B, so that other load on the machine affects both alike. Numbers are medians; those of B2 and B4, which measure within
// the process, are the best of all rounds, in CPU time.
//
//	make bench ARGS="[-only B2,B4] [-n RUNS] [-patience 400ms] [-records 1000] [-oneshot FILE] [-o bench.json] [-peers=false]"
//
// Run it in the folder of the project.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"oneshot/scripts/command"
)

func main() { command.Main("bench", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	runs := flags.Int("n", 21, "how often each program is `run`")
	file := flags.String("o", "bench.json", "`file` for the numbers")
	peers := flags.Bool("peers", true, "install other programs and compare with them")
	patience := flags.Duration("patience", 400*time.Millisecond, "no hostile text is doubled again that takes `longer`")
	megabytes := flags.Int64("records", 1000, "size in `MB` of the file of JSON Lines that is read")
	binary := flags.String("oneshot", "", "a `binary` to measure, instead of building one")
	only := flags.String("only", "", "the `measures` to make, with commas between them: "+command.IDs(measures, measure.name))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 1 || *megabytes < 1 {
		return errors.New("-n and -records must be at least 1")
	}
	dir, err := os.MkdirTemp("", "oneshot-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	chosen, err := command.Choose("measure", measures, measure.name, *only)
	if err != nil {
		return err
	}
	b := &Bench{Dir: dir, Runs: *runs, Peers: *peers, Patience: *patience, Megabytes: *megabytes, Binary: *binary, log: stderr}
	report, err := b.Report(ctx, chosen)
	if err != nil {
		return err
	}
	if err := report.Save(*file); err != nil {
		return err
	}
	return report.Print(stdout)
}

// A Bench runs measures.
type Bench struct {
	Dir   string // for everything built and written
	Runs  int
	Peers bool
	// Patience is the maximum time for a hostile text: if one takes longer, its length is not doubled again.
	Patience  time.Duration
	Megabytes int64  // size of the file of records
	Binary    string // of oneshot; built if ""
	log       io.Writer
}

// logProgress prints progress.
func (b *Bench) logProgress(format string, args ...any) {
	fmt.Fprintf(b.log, "bench: "+format+"\n", args...)
}

// A measure produces rows.
type measure struct {
	id      string
	process bool // it runs programs, which have to be built
	rows    func(*Bench, context.Context, programs) ([]Row, error)
}

var measures = []measure{
	{"size", true, (*Bench).measureSizes},
	{"B1", true, (*Bench).measureColdStart},
	{"B2", false, (*Bench).measureThroughput},
	{"B3", true, (*Bench).measureJSONLines},
	{"B4", false, (*Bench).measureGrowthByLength},
	{"findings", true, (*Bench).measureFindings},
	{"B5", true, (*Bench).measureEarlyStart},
	{"B6", true, (*Bench).measureOverhead},
	{"B7", true, (*Bench).measureParallelReadCalls},
	{"B8", false, (*Bench).measurePromptSize},
	{"B9", true, (*Bench).measureBatches},
	{"B10", true, (*Bench).measureDurability},
	{"B11", true, (*Bench).measureSandboxedCall},
	{"B12", true, (*Bench).measureLongRuns},
	{"B13", true, (*Bench).measureRunLists},
	{"events", true, (*Bench).measureStalledEventReaders},
	{"files", false, (*Bench).measureFileRules},
}

func (m measure) name() string { return m.id }

// Report builds the programs, if needed, and runs measures.
func (b *Bench) Report(ctx context.Context, chosen []measure) (*Report, error) {
	var built programs
	if slices.ContainsFunc(chosen, func(m measure) bool { return m.process }) {
		var err error
		if built, err = b.build(ctx); err != nil {
			return nil, err
		}
	}
	report := newReport(b.Runs)
	for _, m := range chosen {
		rows, err := m.rows(b, ctx, built)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.id, err)
		}
		report.Rows = append(report.Rows, rows...)
	}
	return report, nil
}
