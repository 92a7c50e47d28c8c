package subprocess

import "golang.org/x/sys/unix"

// Legacy calls that newer architectures lack.
var (
	oldChownCalls        = []uint32{unix.SYS_CHOWN, unix.SYS_LCHOWN}
	oldChmodAndTimeCalls = []uint32{unix.SYS_CHMOD, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
)
