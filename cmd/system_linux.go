package cmd

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Functions that only Linux has, or has in this form.

// waiting returns how many bytes a pipe holds.
func waiting(pipe *os.File) (int, error) {
	return unix.IoctlGetInt(int(descriptor(pipe)), unix.TIOCINQ)
}

// nameless creates an unnamed file in a directory. Not every file system supports this.
func nameless(dir string, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_WRONLY, mode)
}

// link gives an unnamed file a name.
func link(f *os.File, name string) error {
	self := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	return unix.Linkat(unix.AT_FDCWD, self, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}

// flushTyped discards unread terminal input.
func flushTyped(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
