package cmd

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// What only Linux has, or has in this form.

// waiting returns how many bytes a pipe holds.
func waiting(pipe *os.File) (int, error) {
	return unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
}

// nameless makes a file without a name in a directory. Not every file system
// knows such files.
func nameless(dir string, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_WRONLY, mode)
}

// link gives a file without a name one.
func link(f *os.File, name string) error {
	self := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	return unix.Linkat(unix.AT_FDCWD, self, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}

// landlockABI asks the kernel for the version of its Landlock, as
// landlock_create_ruleset(2) says.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}
