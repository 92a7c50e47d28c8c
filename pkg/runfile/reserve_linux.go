package runfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// reserve allocates disk space after the end of a file. A file system without support reserves none and causes no error.
func reserve(fd uintptr, end, room int64) error {
	for {
		err := unix.Fallocate(int(fd), unix.FALLOC_FL_KEEP_SIZE, end, room)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ESPIPE), errors.Is(err, unix.ENODEV):
			return nil
		default:
			return err
		}
	}
}
