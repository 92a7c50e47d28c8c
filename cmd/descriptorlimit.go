package cmd

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// spareDescriptors is the number of file descriptors that a command needs besides the standard streams. With fewer, Go's
// runtime aborts the process.
const spareDescriptors = 16

// checkDescriptorLimit refuses to start with too few file descriptors.
func checkDescriptorLimit() error {
	var spare []int
	defer func() {
		for _, fd := range spare {
			_ = unix.Close(fd) // it was only a copy
		}
	}()
	for range spareDescriptors {
		fd, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return &hintedError{&outputError{fmt.Errorf("%d file descriptors are needed: %w", 3+spareDescriptors, err)}, "raise the limit with ulimit -n 64"}
		}
		spare = append(spare, fd)
	}
	return nil
}
