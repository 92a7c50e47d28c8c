package runfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// reserve gets room on the disk behind the end of a file. A file system that cannot do that gives
// none, and no error.
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
