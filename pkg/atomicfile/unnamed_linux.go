package atomicfile

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openUnnamed creates an unnamed file in a directory, readable for a copy of it. Not every file system supports this.
func openUnnamed(dir string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, mode)
}

// linkUnnamed gives an unnamed file a name.
func linkUnnamed(f *os.File, name string) error {
	self := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	return unix.Linkat(unix.AT_FDCWD, self, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
