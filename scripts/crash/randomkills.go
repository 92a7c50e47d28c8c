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

// newRand returns the random source for one state of a disturbance: the same for the same seed.
func (s *sweep) newRand(n int) *rand.Rand { return rand.New(rand.NewPCG(s.seed, uint64(n))) }

// tryRandomKills kills a run and its resumes at random moments, several times, and resumes it.
func (s *sweep) tryRandomKills(ctx context.Context, w *workspace) error {
	for n := 1; n <= s.random; n++ {
		if !s.isStateChosen(n) {
			continue
		}
		chance := s.newRand(n)
		if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
			return err
		}
		st := &runHistory{}
		args := w.startArgs()
		for range 1 + chance.IntN(3) {
			l, err := w.runKilledAfter(ctx, time.Duration(chance.Int64N(int64(w.took)*5/4)), args)
			if err := w.addLeg(st, l, err); err != nil {
				return err
			}
			if !st.needsResume() {
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

// runKilledAfter runs the program and kills it after a while unless it has ended.
func (w *workspace) runKilledAfter(ctx context.Context, after time.Duration, args []string) (leg, error) {
	if err := os.RemoveAll(w.failpointFile()); err != nil {
		return leg{}, err
	}
	cmd := w.newCommand(ctx, "", append([]string{w.program}, args...)...)
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
	placesOfCall = 7                     // minimum failpoints of a call, so that every kill hits one
	startUp      = 20 * time.Millisecond // until a run does anything
)

// tryKillsOfLongRun kills a run of many calls repeatedly, at random failpoints and at random moments, and resumes
// it each time.
func (s *sweep) tryKillsOfLongRun(ctx context.Context, w *workspace) error {
	chance, reach := s.newRand(0), s.calls*placesOfCall/s.legs
	if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
		return err
	}
	st := &runHistory{}
	args := w.startArgs()
	for n := range s.legs {
		var l leg
		var err error
		if n%2 == 0 {
			l, err = w.run(ctx, fmt.Sprintf("%s %d", failpoint.Kill, 1+chance.IntN(2*reach)), args...)
		} else {
			l, err = w.runKilledAfter(ctx, time.Duration(chance.Int64N(int64(w.took)/int64(s.legs)))+startUp, args)
		}
		if err := w.addLeg(st, l, err); err != nil {
			return err
		}
		if n%2 == 1 && l.exit == exitOK { // on a busy machine other legs were faster than the undisturbed run
			s.noteSkipped(w.way, "%s: it ended before kill %d of %d", w.sc.name, n+1, s.legs)
			break
		}
		if !st.needsResume() {
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
