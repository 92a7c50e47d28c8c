//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// tryLockedResume resumes a killed run while another resume of it waits for its model: it is refused.
func (s *sweep) tryLockedResume(ctx context.Context, w *workspace) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		asked, release := w.model.holdRequests()
		defer release()
		holds := w.startResume(ctx)
		select {
		case <-asked:
		case <-holds.over: // it made no request
			return holds.err
		}
		second, err := w.resume(ctx, "")
		release()
		<-holds.over
		if err != nil || holds.err != nil {
			return errors.Join(err, holds.err)
		}
		st := &runHistory{}
		if err := w.addLeg(st, first, nil); err != nil {
			return err
		}
		if err := w.addLeg(st, holds.leg, nil); err != nil {
			return err
		}
		var more []violation
		if second.exit != exitLocked || !strings.Contains(second.stderr, "in use by another run") {
			more = append(more, violation{unfit, fmt.Sprintf("the second resume: exit %d: %s%s", second.exit, second.stdout, second.stderr)})
		}
		if err := w.resumeToEnd(ctx, st); err != nil {
			return err
		}
		return s.recordVerdict(w, st, more, n)
	})
}

// tryRacingResumes resumes a killed run four times at once: at most one succeeds.
func (s *sweep) tryRacingResumes(ctx context.Context, w *workspace) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		st := &runHistory{}
		if err := w.addLeg(st, first, nil); err != nil {
			return err
		}
		var all [4]*backgroundResume
		for i := range all {
			all[i] = w.startResume(ctx)
		}
		var more []violation
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
				more = append(more, violation{unfit, fmt.Sprintf("of four resumes one: exit %d: %s%s", l.exit, l.stdout, l.stderr)})
			}
		}
		if successes > 1 {
			more = append(more, violation{twice, fmt.Sprintf("%d of four resumes", successes)})
		}
		if err := w.addLeg(st, winner, nil); err != nil {
			return err
		}
		if err := w.resumeToEnd(ctx, st); err != nil {
			return err
		}
		return s.recordVerdict(w, st, more, n)
	})
}

// A backgroundResume is a resume in the background.
type backgroundResume struct {
	over chan struct{} // closed at its end
	leg  leg
	err  error
}

func (w *workspace) startResume(ctx context.Context) *backgroundResume {
	one := &backgroundResume{over: make(chan struct{})}
	go func() {
		defer close(one.over)
		one.leg, one.err = w.resume(ctx, "")
	}()
	return one
}
