package subprocess

import (
	"slices"

	"golang.org/x/sys/unix"
)

// What Landlock does not keep from a program is what a file is said to be: whose it is, who may
// use it, when it was changed. The kernel's filter sees no paths, so that a call is there or it is not.

// owners are the calls by which a file gets another owner. No program that is run for a tool has to.
var owners = slices.Concat(oldOwners, []uint32{unix.SYS_FCHOWN, unix.SYS_FCHOWNAT})

// attributes are the calls that change extended attributes, lists of access among them, and flags
// of a file.
var attributes = []uint32{
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	unix.SYS_FILE_SETATTR,
}

// flagging are the requests of ioctl(2) that change flags of a file, or seal it.
var flagging = []uint32{unix.FS_IOC_SETFLAGS, setFlags32, setAttributes, unix.FS_IOC_ENABLE_VERITY}

// FS_IOC32_SETFLAGS and FS_IOC_FSSETXATTR of linux/fs.h.
const (
	setFlags32    = 0x40046602
	setAttributes = 0x401c5820
)

// modesAndTimes are the calls that change who may use a file, and its times. What writes files needs
// them (compilers, tar, git), and what writes none does not.
var modesAndTimes = slices.Concat(oldModesAndTimes, []uint32{unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_UTIMENSAT})

// keepMetadata keeps from a program to change what files are said to be. That there are no
// attributes and flags programs know from file systems that have none, and go on.
func (f *filter) keepMetadata(writes bool) {
	f.refuse(unix.EPERM, owners...)
	f.refuse(unix.EOPNOTSUPP, attributes...)
	if !writes {
		f.refuse(unix.EPERM, modesAndTimes...)
	}
	f.not(unix.SYS_IOCTL, atSecond, unix.EOPNOTSUPP, flagging...)
}
