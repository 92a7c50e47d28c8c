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
	s.random, s.calls, s.legs, s.every, s.stride, s.bytes = 1, 12, 3, 3, 9, 97
}

// A tally is what came of one way.
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

// A way is one way to disturb a run.
type way struct {
	id, what string
	try      func(*sweep, context.Context, *world) error
	own      func(*sweep) *scenario // the scenario of this way; the usual ones otherwise
	slow     bool                   // one scenario is enough for a short sweep
}

func ways() []way {
	return []way{
		{id: "kill", what: "killed at each place", try: (*sweep).kills},
		{id: "enospc", what: "no room at each place", try: (*sweep).full},
		{id: "eio", what: "an I/O error at each place", try: (*sweep).errors},
		{id: "short", what: "half of each write", try: (*sweep).shorts},
		{id: "kill2", what: "killed, and killed again at each place of the resume", try: (*sweep).killsAgain, slow: true},
		{id: "eio2", what: "killed, and an I/O error at each place of the resume", try: (*sweep).errorsAgain, slow: true},
		{id: "random", what: "killed at random moments", try: (*sweep).randomKills},
		{id: "power", what: "killed at each place, and what was not synced of the run file is lost", try: (*sweep).powerCuts, slow: true},
		{id: "amid", what: "killed while a program goes on", try: (*sweep).amidst},
		{id: "long", what: "a long run, killed and resumed again and again", try: (*sweep).longRun, own: func(s *sweep) *scenario { return long(s.calls) }},
		{id: "locked", what: "two resumes, one of which waits for its model", try: (*sweep).locked, slow: true},
		{id: "race", what: "four resumes at once", try: (*sweep).races, slow: true},
		{id: "prefix", what: "each prefix of a run file, with what can stand behind it", try: (*sweep).prefixes, own: typical},
		{id: "flip", what: "each bit of a run file", try: (*sweep).flips, own: typical},
		{id: "edit", what: "run files that no crash leaves", try: (*sweep).edited, own: typical},
		{id: "strace", what: "killed by strace at each call of the system", try: (*sweep).traced, slow: true},
	}
}

// typical is the scenario whose run file is taken apart, and that of slow ways in a short sweep: it has effects without
// a key, where programs can be run.
func typical(*sweep) *scenario {
	for _, sc := range scenarios() {
		if sc.name == "plain" && runtime.GOOS == "linux" || sc.name == "files" && runtime.GOOS != "linux" {
			return sc
		}
	}
	panic("there is no such scenario")
}

// A task is one way to disturb one scenario.
type task struct {
	way
	*scenario
}

// tasks lists what is to be done: a way with a scenario of its own, or with the usual ones.
func (s *sweep) tasks(chosen []way, name string) []task {
	var all []task
	for _, w := range chosen {
		s.tallies[w.id] = &tally{guilty: map[guilt]int{}}
		its := scenarios()
		if w.own != nil {
			its = []*scenario{w.own(s)}
		}
		if s.brief && w.slow {
			its = []*scenario{typical(s)}
		}
		for _, sc := range its {
			if name == "" || sc.name == name {
				all = append(all, task{w, sc})
			}
		}
	}
	return all
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
	if sc.runsPrograms() && runtime.GOOS != "linux" {
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
	return here.clear()
}

// undisturbed makes the run once, to learn its answer.
func (w *world) undisturbed(ctx context.Context) error {
	l, err := w.begin(ctx, "")
	if err != nil {
		return err
	}
	if w.whole = w.sc.answer(l); l.exit != exitOK || w.whole == "" {
		return fmt.Errorf("the undisturbed run: exit %d: %s%s", l.exit, l.stdout, l.stderr)
	}
	w.took = l.took
	return w.account(&story{legs: []leg{l}})
}

// account is an error for an undisturbed run that is not as it should be.
func (w *world) account(st *story) error {
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

// wanted reports whether a state is to be tried, or one that begins so.
func (s *sweep) wanted(at ...int) bool {
	n := min(len(s.at), len(at))
	return slices.Equal(s.at[:n], at[:n])
}

// verdict counts a state and what is wrong with the story that began there, besides what is known already.
func (s *sweep) verdict(w *world, st *story, known []charge, at ...int) error {
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
	s.count(w.way, w.sc.name, place, at, append(charges, known...))
	return nil
}

func (s *sweep) count(way, scenario, place string, at []int, charges []charge) {
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
	s.program = filepath.Join(s.dir, "oneshot")
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "crash", "-o", s.program, "oneshot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building oneshot: %w\n%s", err, out)
	}
	return nil
}
