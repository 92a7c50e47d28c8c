//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"time"
)

// tryKillsDuringTool kills the run while one of its programs is still running after its effect: the first program,
// the second one, and so on.
func (s *sweep) tryKillsDuringTool(ctx context.Context, w *workspace) error {
	for i, step := range w.sc.steps {
		if !s.isStateChosen(i + 1) {
			continue
		}
		at := w.initialSnapshot()
		at["work/linger"] = step.name + "\n"
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		l, err := w.runKilledAt(ctx, step.name)
		if err == nil {
			err = os.Remove(w.path("work/linger"))
		}
		st := &runHistory{}
		if err := w.addLeg(st, l, err); err != nil {
			return err
		}
		if err := w.resumeToEnd(ctx, st); err != nil {
			return err
		}
		if err := s.recordVerdict(w, st, nil, i+1); err != nil {
			return err
		}
	}
	return nil
}

// runKilledAt starts the run, and kills it once a step has taken effect.
func (w *workspace) runKilledAt(ctx context.Context, step string) (leg, error) {
	cmd := w.newCommand(ctx, "", append([]string{w.program}, w.startArgs()...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return leg{}, err
	}
	for end := time.Now().Add(legLimit); len(w.currentEffects()[step]) == 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	_ = cmd.Process.Kill() // it may have ended, which its leg reports
	err := cmd.Wait()
	return w.newLeg(cmd, w.startArgs(), stdout.String(), stderr.String(), err)
}

// currentEffects returns the effects so far.
func (w *workspace) currentEffects() map[string][]string {
	log, _ := os.ReadFile(w.path("work/effects.log")) // it may not exist yet
	return parseEffects(folderSnapshot{"work/effects.log": string(log)})
}
