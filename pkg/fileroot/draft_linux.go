package fileroot

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file in the folder, if nothing has the new name.
func (d *draft) renameNew(folder *os.File, from, to string) error {
	fd := int(folder.Fd())
	err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not on this file system, not with this kernel
		return d.linkNew(from, to)
	}
	return err
}
