//go:build unix

package main

import (
	"context"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/runfile"
)

// A runHistory is a run with all its legs until it cannot be resumed, however often it was disturbed.
type runHistory struct {
	legs   []leg
	done   map[string]bool // the changes recorded as done before the last leg, by call
	tools  bool            // a tool may have failed because its own work was disturbed
	broken string          // fault of the run file before the last leg
}

// Exit codes.
const (
	exitOK       = 0
	exitFindings = 1
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

// needsResume reports whether the run was disturbed, so that it has to be resumed.
func (s *runHistory) needsResume() bool { return s.last().exit == -1 || s.last().exit == exitIO }

// addLeg adds a leg, with the changes recorded before it.
func (w *workspace) addLeg(s *runHistory, l leg, err error) error {
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
	if s.needsResume() {
		s.done = completedChanges(log)
	}
	return nil
}

// resumeToEnd resumes a disturbed run to its end, and then once more: a run that has succeeded must not succeed
// again.
func (w *workspace) resumeToEnd(ctx context.Context, s *runHistory) error {
	if s.needsResume() {
		l, err := w.resume(ctx, "")
		if err := w.addLeg(s, l, err); err != nil {
			return err
		}
	}
	if s.last().exit != exitOK {
		return nil
	}
	l, err := w.resume(ctx, "")
	return w.addLeg(s, l, err)
}

// completedChanges returns the calls with an effect whose result is recorded.
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

// deliveredAnswer returns the answer that a leg delivered, or "".
func (sc *scenario) deliveredAnswer(l leg) string {
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

// isAlreadyFinished reports whether a leg failed because the run has already finished.
func (l leg) isAlreadyFinished() bool {
	return l.exit == exitUsage && strings.Contains(l.stderr, "the run has already finished")
}

// hasUnrecordedEndWarning reports whether a leg delivered its answer and warned that this is not recorded (D3).
func (l leg) hasUnrecordedEndWarning() bool {
	return l.exit == exitOK && strings.Contains(l.stderr, "the end of the run was not recorded")
}

// hasNoRecord reports whether a leg failed because nothing is recorded.
func (l leg) hasNoRecord() bool {
	return l.exit == exitInput && (strings.Contains(l.stderr, "before its first record was written") || strings.Contains(l.stderr, " not found"))
}

// lacksAttachment reports whether a leg failed because the run was cut off before its attachment was recorded.
func (l leg) lacksAttachment() bool {
	return l.exit == exitInput && strings.Contains(l.stderr, "the record lacks the data of the attachment")
}
