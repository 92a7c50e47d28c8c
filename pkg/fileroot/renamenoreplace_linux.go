package fileroot

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNoReplace renames a file in the folder and fails if the new name exists.
func (d *tempFile) renameNoReplace(folder *os.File, from, to string) error {
	fd := int(folder.Fd())
	err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not supported by the file system or the kernel
		return d.renameByLink(from, to)
	}
	return err
}
