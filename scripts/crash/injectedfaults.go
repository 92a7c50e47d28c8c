//go:build unix

package main

import (
	"context"
	"fmt"
	"os"

	"oneshot/pkg/failpoint"
)

// kills kills the run at each place, and lets it go on.
func (s *sweep) kills(ctx context.Context, w *world) error {
	return s.faultAtEachPlace(ctx, w, failpoint.Kill)
}

// powerCuts kills the run at each place, and takes from its file what was not synced, as a power cut could.
func (s *sweep) powerCuts(ctx context.Context, w *world) error {
	for n := s.firstPlace(); ; n += s.stride {
		if !s.isWanted(n) {
			continue
		}
		l, err := w.runFirst(ctx, fmt.Sprintf("%s %d", failpoint.Kill, n))
		if err != nil || l.place == "" {
			return err
		}
		if err := w.dropRecords(l.unsynced); err != nil {
			return err
		}
		if err := s.finishAndJudge(ctx, w, &runHistory{}, l, n); err != nil || len(s.at) > 0 {
			return err
		}
	}
}

// dropRecords takes whole records of that many bytes from the end of the run file, and what was half written behind them.
func (w *world) dropRecords(unsynced int64) error {
	log, err := w.readRunFile()
	if err != nil || log.Size == 0 {
		return err
	}
	return os.Truncate(w.path("run.jsonl"), log.Size-unsynced)
}

// diskFull lets each operation fail because there is no room.
func (s *sweep) diskFull(ctx context.Context, w *world) error {
	return s.faultAtEachPlace(ctx, w, failpoint.Full)
}

// ioErrors lets each operation fail because the disk does.
func (s *sweep) ioErrors(ctx context.Context, w *world) error {
	return s.faultAtEachPlace(ctx, w, failpoint.Error)
}

// shortWrites lets each write end in the middle.
func (s *sweep) shortWrites(ctx context.Context, w *world) error {
	return s.faultAtEachPlace(ctx, w, failpoint.Short)
}

// faultAtEachPlace runs a scenario with a fault at its first place, its second one, and so on until there is no
// such place.
func (s *sweep) faultAtEachPlace(ctx context.Context, w *world, kind string) error {
	for n := s.firstPlace(); ; n += s.stride {
		if !s.isWanted(n) {
			continue
		}
		l, err := w.runFirst(ctx, fmt.Sprintf("%s %d", kind, n))
		if err != nil || l.place == "" {
			return err
		}
		if err := s.finishAndJudge(ctx, w, &runHistory{tools: kind != failpoint.Kill}, l, n); err != nil || len(s.at) > 0 {
			return err
		}
	}
}

// firstPlace returns the first place that is tried.
func (s *sweep) firstPlace() int { return 1 + int(s.seed%uint64(s.stride)) }

// finishAndJudge ends a history whose last leg was disturbed, and judges it.
func (s *sweep) finishAndJudge(ctx context.Context, w *world, st *runHistory, l leg, at ...int) error {
	if err := w.add(st, l, nil); err != nil {
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

// validateRunFile holds what an I/O error has left against the checker of run files.
func (w *world) validateRunFile(ctx context.Context, st *runHistory) error {
	if _, err := os.Stat(w.path("run.jsonl")); err != nil {
		return nil // it could not be begun
	}
	l, err := w.run(ctx, "", "validate", "run.jsonl")
	if err == nil && l.exit != exitOK && st.broken == "" {
		st.broken = l.stdout + l.stderr
	}
	return err
}

// killsAgain kills the run, and then its resume at each place.
func (s *sweep) killsAgain(ctx context.Context, w *world) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		return s.faultAtEachResumePlace(ctx, w, failpoint.Kill, first, at, n)
	})
}

// errorsAgain kills the run, and lets each operation of the resume fail.
func (s *sweep) errorsAgain(ctx context.Context, w *world) error {
	return s.eachDistinctState(ctx, w, s.every, func(first leg, at folderSnapshot, n int) error {
		return s.faultAtEachResumePlace(ctx, w, failpoint.Error, first, at, n)
	})
}

// faultAtEachResumePlace disturbs the resume from one state at each of its places.
func (s *sweep) faultAtEachResumePlace(ctx context.Context, w *world, kind string, first leg, at folderSnapshot, n int) error {
	for m := s.firstPlace(); ; m += s.stride {
		if !s.isWanted(n, m) {
			continue
		}
		st := &runHistory{tools: kind != failpoint.Kill}
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		if err := w.add(st, first, nil); err != nil {
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

// eachDistinctState calls f with each state that a kill leaves and that differs from the one before it,
// or with one of every so many of them. Where the seed says the first one is.
func (s *sweep) eachDistinctState(ctx context.Context, w *world, every int, f func(first leg, at folderSnapshot, n int) error) error {
	last, count := "", int(s.seed%uint64(every))
	for n := s.firstPlace(); ; n += s.stride {
		if !s.isWanted(n) {
			continue
		}
		l, err := w.runFirst(ctx, fmt.Sprintf("%s %d", failpoint.Kill, n))
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

// stateFingerprint is what tells the states of one scenario apart: the kinds of the records, whether one is torn,
// and which files there are.
func (w *world) stateFingerprint(at folderSnapshot) string {
	log, err := w.readRunFile()
	shape := fmt.Sprint(err, log.Torn != nil, len(at), at["out/answer.json"] == fileBefore, len(parseEffects(at)))
	for _, r := range log.Records {
		shape += " " + string(r.Kind)
	}
	return shape
}
