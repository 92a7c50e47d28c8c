package cmd

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Functions that only Linux has, or has in this form.

// pendingBytes returns how many bytes a pipe holds.
func pendingBytes(pipe *os.File) (int, error) {
	return unix.IoctlGetInt(int(descriptor(pipe)), unix.TIOCINQ)
}

// openUnnamed creates an unnamed file in a directory. Not every file system supports this.
func openUnnamed(dir string, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_WRONLY, mode)
}

// linkUnnamed gives an unnamed file a name.
func linkUnnamed(f *os.File, name string) error {
	self := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	return unix.Linkat(unix.AT_FDCWD, self, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}

// flushInput discards unread terminal input.
func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
