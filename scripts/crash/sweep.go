//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"oneshot/pkg/runfile"
)

// A sweep tries ways to disturb runs, and counts.
type sweep struct {
	dir     string // for everything that is built and written
	program string
	seed    uint64
	random  int   // kills at random moments, of each scenario
	calls   int   // of the long run
	legs    int   // how often it is killed
	every   int   // of so many distinct states one is disturbed again
	stride  int   // of so many places one is tried
	bytes   int   // of so many bytes of a run file one is cut off or flipped
	at      []int // the only state that is tried, if there is one
	brief   bool  // a slow way has one scenario and no more than a few states
	keep    bool
	log     io.Writer

	mu         sync.Mutex
	tallies    map[string]*tally
	violations []violation
	skipped    []string
}

func newSweep(log io.Writer) *sweep {
	return &sweep{seed: 1, random: 40, calls: 200, legs: 50, every: 8, stride: 1, bytes: 1, log: log, tallies: map[string]*tally{}}
}

// shorten leaves so much that it takes some seconds.
func (s *sweep) shorten() {
	s.brief = true
	s.random, s.calls, s.legs, s.every, s.stride, s.bytes = 1, 12, 3, 4, 9, 197
}

// A tally counts the results of one way.
type tally struct {
	states int
	guilty map[guilt]int
}

// A violation is a state from which a run did what it must not.
type violation struct {
	way      string
	scenario string
	at       []int
	place    string
	charge
}

// run tries ways with the scenario of a name, or with all, some at a time.
func (s *sweep) run(ctx context.Context, chosen []way, name string) error {
	all := s.tasks(chosen, name)
	if len(all) == 0 {
		return fmt.Errorf("there is no scenario %q", name)
	}
	queue := make(chan task)
	failures := make([]error, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i := range failures {
		workers.Go(func() {
			for t := range queue {
				if err := s.try(ctx, t.way, t.scenario); err != nil {
					failures[i] = errors.Join(failures[i], fmt.Errorf("%s, %s: %w", t.way.id, t.scenario.name, err))
				}
			}
		})
	}
	for _, t := range all {
		queue <- t
	}
	close(queue)
	workers.Wait()
	return errors.Join(failures...)
}

// try tries one way with one scenario, in a folder of its own.
func (s *sweep) try(ctx context.Context, w way, sc *scenario) (err error) {
	if sc.needsPrograms() && runtime.GOOS != "linux" {
		s.skip("%s: programs are run on Linux alone", sc.name)
		return nil
	}
	here := newWorld(filepath.Join(s.dir, w.id+"-"+sc.name), s.program, sc)
	here.way = w.id
	defer here.model.Close()
	if err := here.undisturbed(ctx); err != nil {
		return err
	}
	if err := w.try(s, ctx, here); err != nil {
		return err
	}
	if s.keep {
		return nil
	}
	return here.removeFolder()
}

// undisturbed makes the run once, to learn its answer.
func (w *world) undisturbed(ctx context.Context) error {
	if err := w.runFirstLeg(ctx); err != nil {
		return err
	}
	l, err := w.runFirst(ctx, "")
	if err != nil {
		return err
	}
	if w.whole = w.sc.handedOverAnswer(l); l.exit != exitOK || w.whole == "" {
		return fmt.Errorf("the undisturbed run: exit %d: %s%s", l.exit, l.stdout, l.stderr)
	}
	w.took = l.took
	log, err := w.readRunFile()
	isKind := func(r runfile.Record) bool { return r.Kind == w.sc.kind }
	if err == nil && w.sc.kind != "" && !slices.ContainsFunc(log.Records, isKind) {
		err = fmt.Errorf("the undisturbed run: it has no %s record", w.sc.kind)
	}
	return errors.Join(err, w.undisturbedError(&runHistory{legs: []leg{l}}))
}

// undisturbedError is an error for an undisturbed run that is not as it should be.
func (w *world) undisturbedError(st *runHistory) error {
	charges, err := w.judge(st)
	for _, c := range charges {
		err = errors.Join(err, fmt.Errorf("the undisturbed run: %s: %s", c.guilt, c.why))
	}
	return err
}

// skip notes once what is not tried.
func (s *sweep) skip(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.skipped, text) {
		s.skipped = append(s.skipped, text)
	}
}

// isWanted reports whether a state is to be tried, or one that begins so.
func (s *sweep) isWanted(at ...int) bool {
	n := min(len(s.at), len(at))
	return slices.Equal(s.at[:n], at[:n])
}

// recordVerdict counts a state and what is wrong with the history that began there, besides what is known already.
func (s *sweep) recordVerdict(w *world, st *runHistory, known []charge, at ...int) error {
	charges, err := w.judge(st)
	if err != nil {
		return err
	}
	place := ""
	for _, l := range st.legs {
		if l.place != "" {
			place += "; " + l.place
		}
	}
	s.countState(w.way, w.sc.name, place, at, append(charges, known...))
	return nil
}

func (s *sweep) countState(way, scenario, place string, at []int, charges []charge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tallies[way]
	t.states++
	for _, c := range charges {
		t.guilty[c.guilt]++
		s.violations = append(s.violations, violation{way, scenario, slices.Clone(at), place, c})
	}
}

// build builds the program with the places at which it can be made to fail.
func (s *sweep) build(ctx context.Context) error {
	fmt.Fprintln(s.log, "crash: building oneshot with the tag crash")
	s.program = filepath.Join(s.dir, "oneshot")
	cmd := exec.CommandContext(ctx, "go", "build", "-C", "scripts", "-tags", "crash", "-o", s.program, "oneshot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building oneshot: %w\n%s", err, out)
	}
	return nil
}
