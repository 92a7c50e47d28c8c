//go:build unix

// Command bench measures what starting oneshot costs (B1), how soon a read starts
// (B5), what a run adds to the time of its model (B6), and how long independent
// reads take together (B7). It prints one Markdown table and writes the same
// as JSON. Whatever is compared runs in turn, A B A B, so that what else the
// machine does hits both alike; numbers are medians.
//
// The measures within the process are Go benchmarks beside the code.
//
//	go run ./scripts/bench [-n RUNS] [-o bench.json] [-peers=false]
//
// It is run in the folder of the project.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	runs := flags.Int("n", 21, "how often each program is `run`")
	file := flags.String("o", "bench.json", "`file` for the numbers")
	peers := flags.Bool("peers", true, "install other programs and compare with them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 1 {
		return errors.New("-n must be at least 1")
	}
	dir, err := os.MkdirTemp("", "oneshot-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &Bench{Dir: dir, Runs: *runs, Peers: *peers, log: stderr}
	report, err := b.Report(ctx)
	if err != nil {
		return err
	}
	if err := report.Save(*file); err != nil {
		return err
	}
	return report.Print(stdout)
}

// A Bench measures.
type Bench struct {
	Dir   string // for everything that is built and written
	Runs  int
	Peers bool
	log   io.Writer
}

// note says something to the person who waits.
func (b *Bench) note(format string, args ...any) {
	fmt.Fprintf(b.log, "bench: "+format+"\n", args...)
}

// Report builds the programs and makes all measures.
func (b *Bench) Report(ctx context.Context) (*Report, error) {
	built, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	report := newReport(b.Runs)
	for _, measure := range []func(context.Context, programs) ([]Row, error){b.sizes, b.coldStart, b.earlyStart, b.overhead, b.parallelReads} {
		rows, err := measure(ctx, built)
		if err != nil {
			return nil, err
		}
		report.Rows = append(report.Rows, rows...)
	}
	return report, nil
}
