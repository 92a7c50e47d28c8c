//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"oneshot/pkg/failpoint"
)

// tryKills kills the run at each failpoint, and resumes it.
func (s *sweep) tryKills(ctx context.Context, w *workspace) error {
	return s.injectFaultAtEachFailpoint(ctx, w, failpoint.Kill)
}

// tryPowerCuts kills the run at each failpoint, and drops unsynced records from its file, as a power cut could.
func (s *sweep) tryPowerCuts(ctx context.Context, w *workspace) error {
	for n := s.firstFailpoint(); ; n += s.stride {
		if !s.isStateChosen(n) {
			continue
		}
		l, err := w.runFromStart(ctx, fmt.Sprintf("%s %d", failpoint.Kill, n))
		if err != nil || l.place == "" {
			return err
		}
		if err := w.dropUnsynced(l.unsynced); err != nil {
			return err
		}
		if err := s.finishAndJudge(ctx, w, &runHistory{}, l, n); err != nil || len(s.at) > 0 {
			return err
		}
	}
}

// dropUnsynced drops complete records of that many bytes from the end of the run file, and any incomplete record
// after them.
func (w *workspace) dropUnsynced(unsynced int64) error {
	log, err := w.readRunFile()
	if err != nil || log.Size == 0 {
		return err
	}
	return os.Truncate(w.path("run.jsonl"), log.Size-unsynced)
}

// tryDiskFull makes each operation fail for lack of disk space.
func (s *sweep) tryDiskFull(ctx context.Context, w *workspace) error {
	return s.injectFaultAtEachFailpoint(ctx, w, failpoint.Full)
}

// tryIOErrors makes each operation fail with an I/O error.
func (s *sweep) tryIOErrors(ctx context.Context, w *workspace) error {
	return s.injectFaultAtEachFailpoint(ctx, w, failpoint.Error)
}

// tryShortWrites cuts each write in half.
func (s *sweep) tryShortWrites(ctx context.Context, w *workspace) error {
	return s.injectFaultAtEachFailpoint(ctx, w, failpoint.Short)
}

// injectFaultAtEachFailpoint runs a scenario with a fault at its first failpoint, its second one, and so on until there
// are no more.
func (s *sweep) injectFaultAtEachFailpoint(ctx context.Context, w *workspace, kind string) error {
	for n := s.firstFailpoint(); ; n += s.stride {
		if !s.isStateChosen(n) {
			continue
		}
		l, err := w.runFromStart(ctx, fmt.Sprintf("%s %d", kind, n))
		if err != nil || l.place == "" {
			return err
		}
		if err := s.finishAndJudge(ctx, w, &runHistory{tools: kind != failpoint.Kill}, l, n); err != nil || len(s.at) > 0 {
			return err
		}
	}
}

// firstFailpoint returns the number of the first failpoint to try.
func (s *sweep) firstFailpoint() int { return 1 + int(s.seed%uint64(s.stride)) }

// finishAndJudge resumes a run whose last leg was disturbed to its end, and judges it.
func (s *sweep) finishAndJudge(ctx context.Context, w *workspace, st *runHistory, l leg, at ...int) error {
	if err := w.addLeg(st, l, nil); err != nil {
		return err
	}
	if l.exit == exitIO {
		if err := w.validateRunFile(ctx, st); err != nil {
			return err
		}
	}
	if err := w.resumeToEnd(ctx, st); err != nil {
		return err
	}
	return s.recordVerdict(w, st, nil, at...)
}

// validateRunFile checks the run file after an I/O error with the program's own checker.
func (w *workspace) validateRunFile(ctx context.Context, st *runHistory) error {
	if _, err := os.Stat(w.path("run.jsonl")); err != nil {
		return nil // nothing was recorded
	}
	l, err := w.run(ctx, "", "validate", "run.jsonl")
	if err == nil && l.exit != exitOK && st.broken == "" {
		st.broken = l.stdout + l.stderr
	}
	return err
}

// tryKillsOfResume kills the run, and then its resume at each failpoint.
func (s *sweep) tryKillsOfResume(ctx context.Context, w *workspace) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		return s.injectFaultAtEachResumeFailpoint(ctx, w, failpoint.Kill, first, at, n)
	})
}

// tryErrorsOfResume kills the run, and makes each operation of its resume fail.
func (s *sweep) tryErrorsOfResume(ctx context.Context, w *workspace) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		return s.injectFaultAtEachResumeFailpoint(ctx, w, failpoint.Error, first, at, n)
	})
}

// injectFaultAtEachResumeFailpoint disturbs the resume from one state at each of its failpoints.
func (s *sweep) injectFaultAtEachResumeFailpoint(ctx context.Context, w *workspace, kind string, first leg, at folderSnapshot, n int) error {
	for m := s.firstFailpoint(); ; m += s.stride {
		if !s.isStateChosen(n, m) {
			continue
		}
		st := &runHistory{tools: kind != failpoint.Kill}
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		if err := w.addLeg(st, first, nil); err != nil {
			return err
		}
		l, err := w.resume(ctx, fmt.Sprintf("%s %d", kind, m))
		if err != nil || l.place == "" {
			return err
		}
		if err := s.finishAndJudge(ctx, w, st, l, n, m); err != nil || len(s.at) > 0 {
			return err
		}
	}
}

// eachDistinctState calls f with each state after a kill that differs from the one before, or with every n-th of
// them. The seed selects the first one.
func (s *sweep) eachDistinctState(ctx context.Context, w *workspace, every int, f func(first leg, at folderSnapshot, n int) error) error {
	last, count := "", int(s.seed%uint64(every))
	for n := s.firstFailpoint(); ; n += s.stride {
		if !s.isStateChosen(n) {
			continue
		}
		l, err := w.runFromStart(ctx, fmt.Sprintf("%s %d", failpoint.Kill, n))
		if err != nil || l.place == "" {
			return err
		}
		at, err := w.takeSnapshot()
		if err != nil {
			return err
		}
		if now := w.stateFingerprint(at); now != last {
			last = now
			if count++; len(s.at) > 0 || count%every == 0 {
				if err := f(l, at, n); err != nil {
					return err
				}
			}
		}
		if len(s.at) > 0 {
			return nil
		}
	}
}

// stateFingerprint identifies a state of a scenario: the kinds of the records, whether the last one is torn, and
// the names of the files.
func (w *workspace) stateFingerprint(at folderSnapshot) string {
	log, err := w.readRunFile()
	shape := fmt.Sprint(err, log.Torn != nil, len(at), at["out/answer.json"] == fileBefore, strings.Count(at["out/answer.json"], "\n"), len(parseEffects(at)))
	for _, r := range log.Records {
		shape += " " + string(r.Kind)
	}
	return shape
}
