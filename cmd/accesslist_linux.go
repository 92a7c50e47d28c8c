package cmd

import (
	"errors"

	"golang.org/x/sys/unix"
)

// mayHaveAccessList reports whether a file has a POSIX access list. It also returns true if this cannot be determined.
func mayHaveAccessList(path string) bool {
	_, err := unix.Getxattr(path, "system.posix_acl_access", nil)
	return !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.ENOTSUP)
}
