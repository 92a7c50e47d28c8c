package cmd

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// detectClosedStdout returns stdout, as a closedStdout if it is closed. Go's runtime replaces a closed stdout by /dev/null,
// opened for reading and writing. A shell opens /dev/null for writing only, but Python's subprocess.DEVNULL and Node's "ignore"
// open it as the runtime does. So only a run, which would lose its answer, refuses it: see checkOutput.
func detectClosedStdout() io.Writer {
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return os.Stdout
	}
	var out, null unix.Stat_t
	if unix.Fstat(1, &out) != nil || unix.Stat(os.DevNull, &null) != nil || out.Rdev != null.Rdev || out.Mode&unix.S_IFMT != unix.S_IFCHR {
		return os.Stdout
	}
	return closedStdout{os.Stdout}
}

// closedStdout is a stdout that was closed at start, or looks the same.
type closedStdout struct{ io.Writer }

// checkOutput refuses to start a run whose answer would be lost.
func (t *console) checkOutput() error {
	if _, closed := t.out.w.(closedStdout); closed && t.file.Load() == nil {
		return &hintedError{&outputError{os.ErrClosed}, "stdout is closed, or is /dev/null opened for reading and writing; write the answer with -o FILE, or discard it with -o /dev/null"}
	}
	return nil
}
