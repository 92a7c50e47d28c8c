//go:build unix

package main

import (
	"context"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/runfile"
)

// A runHistory is a run from its beginning to where it cannot go on, however often it was disturbed.
type runHistory struct {
	legs   []leg
	done   map[string]bool // the calls of changes that were on record as done before the last leg
	tools  bool            // a tool may have failed, because what it does was disturbed, too
	broken string          // what was wrong with the run file before the last leg
}

// exitOK and its like are exit codes.
const (
	exitOK       = 0
	exitUsage    = 2
	exitInput    = 3
	exitLocked   = 5
	exitNeeds    = 8
	exitNoAnswer = 9
	exitUnknown  = 10
	exitRejected = 11
	exitIO       = 74
)

func (s *runHistory) last() leg { return s.legs[len(s.legs)-1] }

// isOpen reports whether the run was disturbed, so that it is to go on.
func (s *runHistory) isOpen() bool { return s.last().exit == -1 || s.last().exit == exitIO }

// add adds a leg, and notes what was on record after those before it.
func (w *world) add(s *runHistory, l leg, err error) error {
	if err != nil {
		return err
	}
	s.legs = append(s.legs, l)
	log, err := w.readRunFile()
	if err != nil {
		if s.broken == "" {
			s.broken = err.Error()
		}
		return nil
	}
	if s.isOpen() {
		s.done = completedChanges(log)
	}
	return nil
}

// resumeToEnd lets a run that was disturbed go on to its end, and then once more: what has succeeded
// must not succeed again.
func (w *world) resumeToEnd(ctx context.Context, s *runHistory) error {
	if s.isOpen() {
		l, err := w.resume(ctx, "")
		if err := w.add(s, l, err); err != nil {
			return err
		}
	}
	if s.last().exit != exitOK {
		return nil
	}
	l, err := w.resume(ctx, "")
	return w.add(s, l, err)
}

// completedChanges returns the calls that changed something and whose result is on record.
func completedChanges(log *runfile.Log) map[string]bool {
	begun, done := map[string]bool{}, map[string]bool{}
	for _, r := range log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Intent:
			begun[b.Call] = true
		case runfile.Result:
			if begun[b.Call] {
				done[b.Call] = true
			}
		}
	}
	return done
}

// handedOverAnswer returns the answer that a leg has handed over, or "".
func (sc *scenario) handedOverAnswer(l leg) string {
	switch {
	case sc.file && l.file == fileBefore:
		return ""
	case sc.file:
		return l.file
	case sc.wrapped && !gjson.Valid(l.stdout):
		return ""
	case sc.wrapped:
		answer := gjson.Get(l.stdout, "answer")
		if answer.Type == gjson.Null {
			return ""
		}
		return answer.Raw + "\n"
	}
	return l.stdout
}

// isAlreadyFinished reports whether a leg says that the run has already finished.
func (l leg) isAlreadyFinished() bool {
	return l.exit == exitUsage && strings.Contains(l.stderr, "the run has already finished")
}

// hasUnrecordedEnd reports whether a leg has delivered its answer and warns that its record does not say so (D3).
func (l leg) hasUnrecordedEnd() bool {
	return l.exit == exitOK && strings.Contains(l.stderr, "the end of the run was not recorded")
}

// hasNoRecord reports whether a leg says that there is nothing on record.
func (l leg) hasNoRecord() bool {
	return l.exit == exitInput && (strings.Contains(l.stderr, "before its first record was written") || strings.Contains(l.stderr, " not found"))
}
