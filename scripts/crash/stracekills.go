//go:build unix

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// traceable are the system calls at which strace kills. It counts them per thread, and also
// those of programs run by tools: a killed program is a failed call.
var traceable = []string{"write", "fsync", "flock", "ftruncate", "linkat", "renameat", "renameat2"}

// tryStraceKills kills the run with strace, independently of failpoints, at the first system call of each kind, at
// the second one, and so on. A state is the number of the kind, from 1, and that of the call.
func (s *sweep) tryStraceKills(ctx context.Context, w *workspace) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		s.noteSkipped(w.way, "strace: there is none")
		return nil
	}
	for i, name := range traceable {
		for n := s.firstFailpoint(); ; n += s.stride {
			if !s.isStateChosen(i+1, n) {
				continue
			}
			l, killed, err := w.runTraced(ctx, strace, name, n)
			if err != nil {
				return err
			}
			if !killed {
				if l.exit != exitOK {
					s.noteSkipped(w.way, "strace: it is not allowed: exit %d: %s", l.exit, l.stderr)
					return nil
				}
				break
			}
			if err := s.finishAndJudge(ctx, w, &runHistory{tools: true}, l, i+1, n); err != nil || len(s.at) > 0 {
				return err
			}
			if s.brief {
				break
			}
		}
	}
	return nil
}

// runTraced runs the scenario with a kill at a system call, and reports whether it was reached.
func (w *workspace) runTraced(ctx context.Context, strace, name string, n int) (l leg, killed bool, err error) {
	if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
		return l, false, err
	}
	report := w.dir + ".strace"
	inject := name + ":signal=KILL:when=" + strconv.Itoa(n)
	args := append([]string{strace, "-f", "-o", report, "-e", "trace=" + name, "-e", "inject=" + inject, w.program}, w.startArgs()...)
	if l, err = w.runCommandLine(ctx, "", args...); err != nil {
		return l, false, err
	}
	text, err := os.ReadFile(report)
	if errors.Is(err, fs.ErrNotExist) {
		return l, false, nil
	}
	return l, strings.Contains(string(text), "= ?\n"), err
}
