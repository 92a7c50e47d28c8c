package subprocess

import (
	"slices"

	"golang.org/x/sys/unix"
)

// Landlock does not restrict changes of file metadata: owner, permissions, times. Seccomp filters cannot
// see paths, so a call is either allowed or denied for all files.

// chownCalls change the owner of a file. No tool program needs them.
var chownCalls = slices.Concat(oldChownCalls, []uint32{unix.SYS_FCHOWN, unix.SYS_FCHOWNAT})

// xattrCalls change extended attributes (including ACLs) and flags of a file.
var xattrCalls = []uint32{
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	unix.SYS_FILE_SETATTR,
}

// fileFlagRequests are ioctl(2) requests that change file flags or enable fs-verity.
var fileFlagRequests = []uint32{unix.FS_IOC_SETFLAGS, setFlags32, setAttributes, unix.FS_IOC_ENABLE_VERITY}

// FS_IOC32_SETFLAGS and FS_IOC_FSSETXATTR of linux/fs.h.
const (
	setFlags32    = 0x40046602
	setAttributes = 0x401c5820
)

// chmodAndTimeCalls change permissions and times of a file. Programs that write files need them (compilers, tar, git),
// others do not.
var chmodAndTimeCalls = slices.Concat(oldChmodAndTimeCalls, []uint32{unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_UTIMENSAT})

// denyFileMetadata denies changes of file metadata. Programs handle EOPNOTSUPP for attributes and flags, because some file
// systems have none.
func (f *filter) denyFileMetadata(writes bool) {
	f.denyCalls(unix.EPERM, chownCalls...)
	f.denyCalls(unix.EOPNOTSUPP, xattrCalls...)
	if !writes {
		f.denyCalls(unix.EPERM, chmodAndTimeCalls...)
	}
	f.denyValues(unix.SYS_IOCTL, atArg1, unix.EOPNOTSUPP, fileFlagRequests...)
}
