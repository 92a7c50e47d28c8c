package subprocess

import "golang.org/x/sys/unix"

// Calls that only processors have for which Linux is old.
var (
	oldOwners        = []uint32{unix.SYS_CHOWN, unix.SYS_LCHOWN}
	oldModesAndTimes = []uint32{unix.SYS_CHMOD, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
)
