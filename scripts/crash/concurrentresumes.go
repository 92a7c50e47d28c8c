//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// lockedResume lets a run that was killed go on while another does so, and waits for its model: it is refused.
func (s *sweep) lockedResume(ctx context.Context, w *world) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		asked, release := w.model.holdRequests()
		defer release()
		holds := w.startResume(ctx)
		select {
		case <-asked:
		case <-holds.over: // it did not ask its model
			return holds.err
		}
		second, err := w.resume(ctx, "")
		release()
		<-holds.over
		if err != nil || holds.err != nil {
			return errors.Join(err, holds.err)
		}
		st := &runHistory{}
		if err := w.add(st, first, nil); err != nil {
			return err
		}
		if err := w.add(st, holds.leg, nil); err != nil {
			return err
		}
		var more []charge
		if second.exit != exitLocked || !strings.Contains(second.stderr, "in use by another run") {
			more = append(more, charge{unfit, fmt.Sprintf("the second resume: exit %d: %s%s", second.exit, second.stdout, second.stderr)})
		}
		if err := w.resumeToEnd(ctx, st); err != nil {
			return err
		}
		return s.recordVerdict(w, st, more, n)
	})
}

// racingResumes lets a run that was killed go on four times at once: no more than one succeeds.
func (s *sweep) racingResumes(ctx context.Context, w *world) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		st := &runHistory{}
		if err := w.add(st, first, nil); err != nil {
			return err
		}
		var all [4]*started
		for i := range all {
			all[i] = w.startResume(ctx)
		}
		var more []charge
		var winner leg
		successes := 0
		for _, one := range all {
			<-one.over
			l := one.leg
			switch {
			case one.err != nil:
				return one.err
			case l.exit == exitOK:
				successes++
				winner = l
			case l.exit == exitUnknown || l.hasNoRecord() || successes == 0 && l.isAlreadyFinished():
				winner = l
			case l.exit != exitLocked && !l.isAlreadyFinished():
				more = append(more, charge{unfit, fmt.Sprintf("of four resumes one: exit %d: %s%s", l.exit, l.stdout, l.stderr)})
			}
		}
		if successes > 1 {
			more = append(more, charge{twice, fmt.Sprintf("%d of four resumes", successes)})
		}
		if err := w.add(st, winner, nil); err != nil {
			return err
		}
		if err := w.resumeToEnd(ctx, st); err != nil {
			return err
		}
		return s.recordVerdict(w, st, more, n)
	})
}

// A started is a resume in the background.
type started struct {
	over chan struct{} // closed at its end
	leg  leg
	err  error
}

func (w *world) startResume(ctx context.Context) *started {
	one := &started{over: make(chan struct{})}
	go func() {
		defer close(one.over)
		one.leg, one.err = w.resume(ctx, "")
	}()
	return one
}
