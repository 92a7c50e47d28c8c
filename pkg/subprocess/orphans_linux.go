package subprocess

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes this process the parent of its orphaned descendants, and reports whether it succeeded. The
// descendants of a killed supervisor then become children of this process, not of init. A process with children that
// were not started by this package must not set [Confinement.ReapsOrphans].
func BecomeSubreaper() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// reapOrphans kills the orphans of a supervisor with this start time until none is left. It gives up on processes that
// even the kernel cannot kill.
func (r *Running) reapOrphans(born uint64) {
	if r == nil {
		return
	}
	for deadline := time.Now().Add(killTimeout); r.killOrphans(born) && time.Now().Before(deadline); {
		sleep(time.Millisecond)
	}
}

// killOrphans kills and reaps orphans, and reports whether there were any. Their PIDs cannot be reused in between: they
// are children, and only this function reaps them, one call at a time.
func (r *Running) killOrphans(born uint64) (found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, pid := range childPIDs(os.Getpid()) {
		if !r.isOrphan(pid, born) {
			continue
		}
		found = true
		killGroup(pid)
		_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // the next call reaps the rest
	}
	return found
}

// isOrphan reports whether a child of this process descends from a killed supervisor. It excludes processes started here
// and descendants of unconfined programs such as a browser. Programs below a supervisor and all their descendants have
// no_new_privs set for good.
func (r *Running) isOrphan(pid int, born uint64) bool {
	for _, p := range r.all {
		if p.pid() == pid {
			return false
		}
	}
	if readProcessState(pid).startTicks < born {
		return false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && bytes.Contains(status, []byte("\nNoNewPrivs:\t1\n"))
}
