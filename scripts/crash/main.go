//go:build unix

// Command crash kills oneshot wherever it writes, lets it go on, and looks whether it can be
// trusted: whether an effect happened twice, a step was lost, an answer was handed over twice, or a
// run came to nothing that anybody could explain. It prints one Markdown table, and for each
// violation the command that shows it again; with one it ends with exit 1.
//
//	make crash ARGS="[-only kill,eio] [-scenario keyed] [-at 17] [-seed 1] [-short] [-keep]"
//
// It is run in the folder of the project, and builds the program with the tag crash: see package
// fault. Folders are in memory where there is such a place, because what a kill leaves does not depend
// on the disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	s := newSweep(stderr)
	flags := flag.NewFlagSet("crash", flag.ContinueOnError)
	flags.SetOutput(stderr)
	short := flags.Bool("short", false, "try a part of the states only")
	only := flags.String("only", "", "the `ways` to disturb runs, with commas between them: "+strings.Join(wayIDs(), ","))
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
		s.shorten()
	}
	chosen, err := chosenWays(*only)
	if err != nil {
		return err
	}
	if s.at, err = parseAt(*at); err != nil {
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
	return s.report(ctx, chosen, *name, stdout)
}

// report tries the chosen ways and prints the results.
func (s *sweep) report(ctx context.Context, chosen []way, scenario string, stdout io.Writer) error {
	failure := s.run(ctx, chosen, scenario)
	if err := errors.Join(failure, s.print(stdout, chosen)); err != nil {
		return err
	}
	if n := len(s.violations); n > 0 {
		return fmt.Errorf("%d violations", n)
	}
	return nil
}

// memoryFolder returns a folder in memory, or "" for the usual one.
func memoryFolder() string {
	const dir = "/dev/shm"
	if unix.Access(dir, unix.W_OK) != nil {
		return ""
	}
	return dir
}

func wayIDs() []string {
	var all []string
	for _, w := range ways() {
		all = append(all, w.id)
	}
	return all
}

// chosenWays returns the ways of a list of ids, or all of them for none.
func chosenWays(list string) ([]way, error) {
	all := ways()
	if list == "" {
		return all, nil
	}
	var some []way
	for id := range strings.SplitSeq(list, ",") {
		i := slices.Index(wayIDs(), id)
		if i < 0 {
			return nil, fmt.Errorf("there is no way %q, only %s", id, strings.Join(wayIDs(), ", "))
		}
		some = append(some, all[i])
	}
	return some, nil
}

// parseAt reads the numbers of a state.
func parseAt(text string) (at []int, err error) {
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
