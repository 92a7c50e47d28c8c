//go:build !linux

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// Substitutes for functions of Linux.

// pendingBytes returns 1 if a pipe holds bytes. Some systems also do so when the writer has closed it.
func pendingBytes(pipe *os.File) (int, error) {
	fds := []unix.PollFd{{Fd: descriptor(pipe), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, 0)
	if fds[0].Revents&(unix.POLLIN|unix.POLLHUP) != unix.POLLIN {
		return 0, err
	}
	return 1, err
}

// flushInput discards unread terminal input.
func flushInput(fd int) error {
	const read = 1 // FREAD
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
