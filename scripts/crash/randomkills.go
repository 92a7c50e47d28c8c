//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"oneshot/pkg/failpoint"
)

// rand returns the chance of one state of a way: the same for the same seed.
func (s *sweep) rand(n int) *rand.Rand { return rand.New(rand.NewPCG(s.seed, uint64(n))) }

// randomKills kills a run and its resumes at random moments, some times, and lets it go on.
func (s *sweep) randomKills(ctx context.Context, w *world) error {
	for n := 1; n <= s.random; n++ {
		if !s.isWanted(n) {
			continue
		}
		chance := s.rand(n)
		if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
			return err
		}
		st := &runHistory{}
		args := w.firstArgs()
		for range 1 + chance.IntN(3) {
			l, err := w.runKilledAfter(ctx, time.Duration(chance.Int64N(int64(w.took)*5/4)), args)
			if err := w.add(st, l, err); err != nil {
				return err
			}
			if !st.isOpen() {
				break
			}
			args = w.resumeArgs()
		}
		if err := w.resumeToEnd(ctx, st); err != nil {
			return err
		}
		if err := s.recordVerdict(w, st, nil, n); err != nil {
			return err
		}
	}
	return nil
}

// runKilledAfter runs the program and kills it after a while, if it has not ended by then.
func (w *world) runKilledAfter(ctx context.Context, after time.Duration, args []string) (leg, error) {
	if err := os.RemoveAll(w.placeFile()); err != nil {
		return leg{}, err
	}
	cmd := w.command(ctx, "", append([]string{w.program}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return leg{}, err
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	err := cmd.Wait()
	return w.newLeg(cmd, args, stdout.String(), stderr.String(), err)
}

const (
	placesOfCall = 7                     // that a call has at least, so that all kills find one
	startUp      = 20 * time.Millisecond // before a run does anything
)

// killLongRun kills a run of many calls again and again, at random places and at random moments, and lets
// it go on each time.
func (s *sweep) killLongRun(ctx context.Context, w *world) error {
	chance, reach := s.rand(0), s.calls*placesOfCall/s.legs
	if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
		return err
	}
	st := &runHistory{}
	args := w.firstArgs()
	for n := range s.legs {
		var l leg
		var err error
		if n%2 == 0 {
			l, err = w.run(ctx, fmt.Sprintf("%s %d", failpoint.Kill, 1+chance.IntN(2*reach)), args...)
		} else {
			l, err = w.runKilledAfter(ctx, time.Duration(chance.Int64N(int64(w.took)/int64(s.legs)))+startUp, args)
		}
		if err := w.add(st, l, err); err != nil {
			return err
		}
		if !st.isOpen() {
			return fmt.Errorf("the run ended before kill %d of %d: exit %d: %s", n+1, s.legs, l.exit, l.stderr)
		}
		if log, err := w.readRunFile(); err == nil && len(log.Records) > 0 {
			args = w.resumeArgs()
		} else if err := w.restoreSnapshot(w.initialSnapshot()); err != nil { // there is nothing to resume yet
			return err
		}
		s.countState(w.way, w.sc.name, l.place, []int{n + 1}, nil)
	}
	if err := w.resumeToEnd(ctx, st); err != nil {
		return err
	}
	return s.recordVerdict(w, st, nil, s.legs+1)
}
