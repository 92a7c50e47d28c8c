//go:build !linux

package cmd

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// What Linux has in another form, or alone.

// waiting returns 1 if a pipe holds bytes. At the end of the other side some
// systems say so, too.
func waiting(pipe *os.File) (int, error) {
	fds := []unix.PollFd{{Fd: descriptor(pipe), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, 0)
	if fds[0].Revents&(unix.POLLIN|unix.POLLHUP) != unix.POLLIN {
		return 0, err
	}
	return 1, err
}

// Harden keeps the memory of this process, in which keys are, out of core files.
func Harden() { noCore() }

func nameless(string, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func link(*os.File, string) error { return errors.ErrUnsupported }

// flushTyped drops what was typed at a terminal and not read.
func flushTyped(fd int) error {
	const read = 1 // FREAD
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
