package fileroot

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// accessListName is the extended attribute of a POSIX access list. The group permissions in the mode of such a file are the
// mask of the list, so the mode alone would give the group the permissions of every entry in the list.
const accessListName = "system.posix_acl_access"

// maxAccessList is the maximum size of an extended attribute.
const maxAccessList = 64 << 10

// accessList returns the access list of a file; nil for none.
func accessList(f *os.File) ([]byte, error) {
	list := make([]byte, maxAccessList)
	n, err := unix.Fgetxattr(int(f.Fd()), accessListName, list)
	switch {
	case errors.Is(err, unix.ENODATA), errors.Is(err, unix.ENOTSUP):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return list[:n], nil
}

// setAccessList sets the access list of a file, and with it the permissions; nil removes a list that is inherited from the
// folder.
func setAccessList(f *os.File, list []byte) error {
	if list != nil {
		return unix.Fsetxattr(int(f.Fd()), accessListName, list, 0)
	}
	err := unix.Fremovexattr(int(f.Fd()), accessListName)
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}
