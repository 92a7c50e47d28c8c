package cmd

import "golang.org/x/sys/unix"

// Harden protects the memory of this process, which contains keys: it writes no core file, and other processes of the
// user cannot read or trace it. Failures are ignored.
func Harden() {
	disableCoreDumps()
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
