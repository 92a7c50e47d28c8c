package subprocess

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Adopt makes this process the parent of those of its descendants that lose theirs, and reports
// whether it is. What a killed supervisor leaves comes to it then, and not to init. A process that has
// children which this package has not started must not set [Confinement.Adopts].
func Adopt() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// endOrphans ends the processes that a supervisor has left that was started at a time: it kills those
// that have become children of this process, until none is left. It gives up on what even the kernel cannot end.
func (r *Running) endOrphans(born uint64) {
	if r == nil {
		return
	}
	for deadline := time.Now().Add(overdue); r.killOrphans(born) && time.Now().Before(deadline); {
		nap(time.Millisecond)
	}
}

// killOrphans kills and buries orphans, and reports whether there were any. No number can become that of
// somebody else between a look and a kill: these are children, which nobody but this function buries, one call at a time.
func (r *Running) killOrphans(born uint64) (found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, pid := range children(os.Getpid()) {
		if !r.isOrphan(pid, born) {
			continue
		}
		found = true
		killGroup(pid)
		_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // what has not ended yet is there the next time
	}
	return found
}

// isOrphan reports whether a child of this process is what a supervisor has left: none that was started
// here, nor one of a program that was, such as a browser, which can do as it likes. Programs below a
// supervisor, and all that comes of them, have no_new_privs, for good.
func (r *Running) isOrphan(pid int, born uint64) bool {
	for _, p := range r.all {
		if p.number() == pid {
			return false
		}
	}
	if look(pid).born < born {
		return false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && bytes.Contains(status, []byte("\nNoNewPrivs:\t1\n"))
}
