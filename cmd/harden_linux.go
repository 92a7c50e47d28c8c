package cmd

import "golang.org/x/sys/unix"

// Harden keeps the memory of this process, in which keys are, from others: no core file is
// written, and no process of the same user can read or trace it. It is as well as can be:
// what the system refuses is left.
func Harden() {
	noCore()
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
