package cmd

import "golang.org/x/sys/unix"

// disableCoreDumps disables core files.
func disableCoreDumps() {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // lowering it is always allowed
	}
}
