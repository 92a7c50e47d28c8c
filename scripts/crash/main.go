//go:build unix

// Command crash kills oneshot wherever it writes, resumes it, and checks the guarantees:
// no effect happens twice, no step is lost, no answer is delivered twice, and no run ends
// without an explanation. It prints one Markdown table, and for each
// violation a command that reproduces it; with any, or without a state, it exits with 1.
//
//	make crash ARGS="[-only kill,eio] [-scenario keyed] [-at 17] [-seed 1] [-short] [-keep]"
//
// Run it in the folder of the project. It builds the program with the tag crash: see package
// failpoint. Folders are in memory if possible, because the state after a kill does not depend
// on the disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"oneshot/scripts/command"

	"golang.org/x/sys/unix"
)

func main() { command.Main("crash", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	s := newSweep(stderr)
	flags := flag.NewFlagSet("crash", flag.ContinueOnError)
	flags.SetOutput(stderr)
	short := flags.Bool("short", false, "try a part of the states only")
	only := flags.String("only", "", "the `ways` to disturb runs, with commas between them: "+command.IDs(disturbances(), disturbance.name))
	name := flags.String("scenario", "", "the only `scenario` that is disturbed")
	at := flags.String("at", "", "the only `state` that is tried, as a violation names it")
	flags.Uint64Var(&s.seed, "seed", 1, "of the random moments")
	flags.IntVar(&s.random, "random", s.random, "how often each scenario is killed at random moments")
	flags.IntVar(&s.calls, "calls", s.calls, "`calls` of the long run")
	flags.IntVar(&s.legs, "legs", s.legs, "how often the long run is killed")
	flags.BoolVar(&s.keep, "keep", false, "leave the folders, and say where they are")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *short {
		s.useShortSettings()
	}
	chosen, err := command.Choose("way", disturbances(), disturbance.name, *only)
	if err != nil {
		return err
	}
	if s.at, err = parseStateNumbers(*at); err != nil {
		return err
	}
	if len(s.at) > 0 {
		s.stride, s.every = 1, 1
	}
	dir, err := os.MkdirTemp(memoryFolder(), "oneshot-crash-")
	if err != nil {
		return err
	}
	s.dir = dir
	if s.keep {
		fmt.Fprintln(stderr, "crash: the folders are in", dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	return s.tryAndPrint(ctx, chosen, *name, stdout)
}

// tryAndPrint tries the chosen disturbances and prints the results.
func (s *sweep) tryAndPrint(ctx context.Context, chosen []disturbance, scenario string, stdout io.Writer) error {
	failure := s.run(ctx, chosen, scenario)
	if err := errors.Join(failure, s.print(stdout, chosen)); err != nil {
		return err
	}
	return s.verdict(chosen)
}

// verdict returns an error if there was a violation, or if no state was tried.
func (s *sweep) verdict(chosen []disturbance) error {
	if n := len(s.violations); n > 0 {
		return fmt.Errorf("%d violations", n)
	}
	if !slices.ContainsFunc(chosen, func(d disturbance) bool { return s.tallies[d.id].states > 0 }) {
		return errors.New("no state was tried")
	}
	return nil
}

// memoryFolder returns a folder in memory, or "" for the default one.
func memoryFolder() string {
	const dir = "/dev/shm"
	if unix.Access(dir, unix.W_OK) != nil {
		return ""
	}
	return dir
}

func (d disturbance) name() string { return d.id }

// parseStateNumbers parses the numbers of a state.
func parseStateNumbers(text string) (at []int, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-at %s: a state is numbers with commas between them", text)
		}
		at = append(at, n)
	}
	return at, nil
}
