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

// A sweep disturbs runs and counts the results.
type sweep struct {
	dir     string // of everything built and written
	program string
	seed    uint64
	random  int   // kills at random moments, of each scenario
	calls   int   // of the long run
	legs    int   // kills of the long run
	every   int   // one of this many distinct states is disturbed again
	stride  int   // one of this many failpoints is tried
	bytes   int   // one of this many bytes of a run file is a cut or gets a flipped bit
	at      []int // the only state to try; nil for all
	brief   bool  // a slow way has one scenario and no more than a few states
	keep    bool
	log     io.Writer

	mu         sync.Mutex
	tallies    map[string]*tally
	violations []violatingState
	skipped    []string
}

func newSweep(log io.Writer) *sweep {
	return &sweep{seed: 1, random: 40, calls: 200, legs: 50, every: 8, stride: 1, bytes: 1, log: log, tallies: map[string]*tally{}}
}

// useShortSettings reduces the sweep to a few seconds.
func (s *sweep) useShortSettings() {
	s.brief = true
	s.random, s.calls, s.legs, s.every, s.stride, s.bytes = 1, 12, 3, 4, 9, 197
}

// A tally counts the results of one disturbance.
type tally struct {
	states     int
	isSkipped  bool // some or all
	violations map[violationKind]int
}

// A violatingState is a state from which a run violated a guarantee.
type violatingState struct {
	disturbance string
	scenario    string
	at          []int
	place       string
	violation
}

// run tries disturbances with the named scenario, or with all, several at a time.
func (s *sweep) run(ctx context.Context, chosen []disturbance, name string) error {
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
				if err := s.try(ctx, t.disturbance, t.scenario); err != nil {
					failures[i] = errors.Join(failures[i], fmt.Errorf("%s, %s: %w", t.disturbance.id, t.scenario.name, err))
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

// try tries one disturbance with one scenario, in its own folder.
func (s *sweep) try(ctx context.Context, w disturbance, sc *scenario) (err error) {
	if sc.needsPrograms() && runtime.GOOS != "linux" {
		s.noteSkipped(w.id, "%s: programs are run on Linux alone", sc.name)
		return nil
	}
	here := newWorkspace(filepath.Join(s.dir, w.id+"-"+sc.name), s.program, sc)
	here.way = w.id
	defer here.model.Close()
	if err := here.runUndisturbed(ctx); err != nil {
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

// runUndisturbed runs the scenario once, to learn its answer.
func (w *workspace) runUndisturbed(ctx context.Context) error {
	if err := w.runFirstLeg(ctx); err != nil {
		return err
	}
	l, err := w.runFromStart(ctx, "")
	if err != nil {
		return err
	}
	if w.whole = w.sc.deliveredAnswer(l); l.exit != exitOK || w.whole == "" {
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

// undisturbedError returns an error if an undisturbed run is not as expected.
func (w *workspace) undisturbedError(st *runHistory) error {
	found, err := w.findViolations(st)
	for _, c := range found {
		err = errors.Join(err, fmt.Errorf("the undisturbed run: %s: %s", c.kind, c.why))
	}
	return err
}

// noteSkipped notes that cases of a disturbance are skipped. The reason is printed once.
func (s *sweep) noteSkipped(way, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tallies[way].isSkipped = true
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.skipped, text) {
		s.skipped = append(s.skipped, text)
	}
}

// isStateChosen reports whether a state, or one that begins with these numbers, is to be tried.
func (s *sweep) isStateChosen(at ...int) bool {
	n := min(len(s.at), len(at))
	return slices.Equal(s.at[:n], at[:n])
}

// recordVerdict counts a state and the violations in the run that began there, besides the known ones.
func (s *sweep) recordVerdict(w *workspace, st *runHistory, known []violation, at ...int) error {
	found, err := w.findViolations(st)
	if err != nil {
		return err
	}
	place := ""
	for _, l := range st.legs {
		if l.place != "" {
			place += "; " + l.place
		}
	}
	s.countState(w.way, w.sc.name, place, at, append(found, known...))
	return nil
}

func (s *sweep) countState(way, scenario, place string, at []int, found []violation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tallies[way]
	t.states++
	for _, c := range found {
		t.violations[c.kind]++
		s.violations = append(s.violations, violatingState{way, scenario, slices.Clone(at), place, c})
	}
}

// build builds the program with failpoints.
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
