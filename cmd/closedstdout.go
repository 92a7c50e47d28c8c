package cmd

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// standardOutput returns stdout. Go's runtime opens /dev/null in the place of a stdout that is closed, for
// reading and writing; a shell opens it for writing only. Programs that hand on a /dev/null that can be read, too, have to
// say -o /dev/null.
func standardOutput() io.Writer {
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return os.Stdout
	}
	var out, null unix.Stat_t
	if unix.Fstat(1, &out) != nil || unix.Stat(os.DevNull, &null) != nil || out.Rdev != null.Rdev || out.Mode&unix.S_IFMT != unix.S_IFCHR {
		return os.Stdout
	}
	return closedOutput{}
}

// A closedOutput is a stdout that was closed when the program started.
type closedOutput struct{}

// Write fails as a write to a closed descriptor does.
func (closedOutput) Write([]byte) (int, error) { return 0, os.ErrClosed }

// checkOutput refuses to begin a run whose answer has no place to go.
func (t *talk) checkOutput() error {
	if _, closed := t.out.w.(closedOutput); closed && t.file.Load() == nil {
		return &hintedError{&outputError{os.ErrClosed}, "stdout is closed; write the answer to a file with -o FILE, or drop it with -o /dev/null"}
	}
	return nil
}
