//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"time"
)

// killsInProgram kills the run while one of its programs runs on after its effect: the first one, the second one,
// and so on.
func (s *sweep) killsInProgram(ctx context.Context, w *world) error {
	for i, step := range w.sc.steps {
		if !s.isWanted(i + 1) {
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
		if err := w.add(st, l, err); err != nil {
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

// runKilledAt begins the run, and kills it when a step has taken effect.
func (w *world) runKilledAt(ctx context.Context, step string) (leg, error) {
	cmd := w.command(ctx, "", append([]string{w.program}, w.firstArgs()...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return leg{}, err
	}
	for end := time.Now().Add(legLimit); len(w.currentEffects()[step]) == 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	_ = cmd.Process.Kill() // it may have ended, and its leg says so then
	err := cmd.Wait()
	return w.newLeg(cmd, w.firstArgs(), stdout.String(), stderr.String(), err)
}

// currentEffects returns what the programs have done so far.
func (w *world) currentEffects() map[string][]string {
	log, _ := os.ReadFile(w.path("work/effects.log")) // it may not be there yet
	return parseEffects(folderSnapshot{"work/effects.log": string(log)})
}
