package vault

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameNew renames a file if nothing has the new name.
func (d *draft) renameNew(from, to string) error {
	f, err := d.at.dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	folder := int(f.Fd())
	err = unix.Renameat2(folder, from, folder, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not on this file system, not with this kernel
		return d.linkNew(from, to)
	}
	return err
}
