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

// traceable are the calls of the system at which strace kills. It counts them for each thread, and also
// those of what a tool runs: a program that is killed is a call that failed.
var traceable = []string{"write", "fsync", "flock", "ftruncate", "linkat", "renameat", "renameat2"}

// straceKills kills the run by means of strace, which knows nothing of the places in the program, at the first
// call of each kind, at the second one, and so on. A state is the number of the kind, from 1, and that of
// the call.
func (s *sweep) straceKills(ctx context.Context, w *world) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		s.skip("strace: there is none")
		return nil
	}
	for i, name := range traceable {
		for n := s.firstPlace(); ; n += s.stride {
			if !s.isWanted(i+1, n) {
				continue
			}
			l, killed, err := w.runTraced(ctx, strace, name, n)
			if err != nil {
				return err
			}
			if !killed {
				if l.exit != exitOK {
					s.skip("strace: it is not allowed: exit %d: %s", l.exit, l.stderr)
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

// runTraced runs the scenario with a kill at a call of the system, and reports whether there was one.
func (w *world) runTraced(ctx context.Context, strace, name string, n int) (l leg, killed bool, err error) {
	if err := w.restoreSnapshot(w.initialSnapshot()); err != nil {
		return l, false, err
	}
	report := w.dir + ".strace"
	inject := name + ":signal=KILL:when=" + strconv.Itoa(n)
	args := append([]string{strace, "-f", "-o", report, "-e", "trace=" + name, "-e", "inject=" + inject, w.program}, w.firstArgs()...)
	if l, err = w.runAs(ctx, "", args...); err != nil {
		return l, false, err
	}
	text, err := os.ReadFile(report)
	if errors.Is(err, fs.ErrNotExist) {
		return l, false, nil
	}
	return l, strings.Contains(string(text), "= ?\n"), err
}
