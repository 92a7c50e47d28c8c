package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// Functions that only Linux has, or has in this form.

// pendingBytes returns how many bytes a pipe holds.
func pendingBytes(pipe *os.File) (int, error) {
	return unix.IoctlGetInt(int(descriptor(pipe)), unix.TIOCINQ)
}

// flushInput discards unread terminal input.
func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
