package cmd

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// stdinWait is the default of --stdin-wait.
const stdinWait = 3 * time.Second

// Origins of input in records.
const (
	originFile   = "file"
	originPipe   = "pipe"
	originSocket = "socket"
	originOther  = "device"
)

// originOf returns the origin for a file mode.
func originOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return originFile
	case mode&fs.ModeNamedPipe != 0:
		return originPipe
	case mode&fs.ModeSocket != 0:
		return originSocket
	}
	return originOther
}

// isStdin reports whether a path names stdin.
func isStdin(path string) bool {
	switch filepath.Clean(path) {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// A stdinState classifies a stdin that no flag names.
type stdinState int

const (
	stdinAbsent stdinState = iota // a terminal, a device, a closed descriptor: never input
	stdinSilent                   // nothing arrived in time
	stdinShared                   // a file that another process has partly read
	stdinReady                    // input
)

// pollStdin returns the state and origin of stdin. It waits for the first byte, but reads nothing.
func pollStdin(ctx context.Context, env Env, wait time.Duration) (stdinState, string, error) {
	f, ok := env.Stdin.(*os.File)
	if !ok || !isOpenForReading(f) {
		return stdinAbsent, "", nil
	}
	info, err := f.Stat()
	if err != nil {
		return stdinAbsent, "", nil
	}
	switch origin := originOf(info.Mode()); {
	case origin == originFile:
		offset, err := f.Seek(0, io.SeekCurrent)
		switch {
		case err != nil || offset == 0:
			return stdinReady, origin, nil
		case offset < info.Size():
			return stdinShared, origin, nil
		}
		return stdinAbsent, "", nil
	case origin == originPipe, origin == originSocket && isConnectedStreamSocket(f):
		return waitForByte(ctx, f, wait, origin)
	}
	return stdinAbsent, "", nil
}

// waitForByte waits for the first byte of a pipe or socket, or for its end.
func waitForByte(ctx context.Context, f *os.File, wait time.Duration, origin string) (stdinState, string, error) {
	state, err := interruptible(ctx, "-", func() (stdinState, error) {
		for deadline := time.Now().Add(wait); ; {
			fds := []unix.PollFd{{Fd: descriptor(f), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, int(max(0, time.Until(deadline)).Milliseconds()))
			switch {
			case err == unix.EINTR:
			case err != nil:
				return stdinAbsent, readError("-", err)
			case n > 0:
				return stdinReady, nil
			default:
				return stdinSilent, nil
			}
		}
	})
	return state, origin, err
}

// descriptor returns the descriptor of a file. Unlike Fd, it does not change the mode of a file that other processes
// may share.
func descriptor(f *os.File) (fd int32) {
	fd = -1
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(n uintptr) { fd = int32(n) }) // -1 if closed
	}
	return fd
}

// isOpenForReading reports whether a file is open for reading. nohup opens stdin for writing only.
func isOpenForReading(f *os.File) bool {
	flags, err := unix.FcntlInt(uintptr(descriptor(f)), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE != unix.O_WRONLY
}

// isConnectedStreamSocket reports whether a socket is a connected stream, which has an end.
func isConnectedStreamSocket(f *os.File) bool {
	fd := int(descriptor(f))
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_STREAM {
		return false
	}
	_, err = unix.Getpeername(fd)
	return err == nil
}

// hasUnread reports whether data waits on stdin. It reads nothing.
func hasUnread(env Env) bool {
	f, ok := env.Stdin.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	switch originOf(info.Mode()) {
	case originPipe, originSocket:
		n, err := pendingBytes(f)
		return err == nil && n > 0
	case originFile:
		offset, err := f.Seek(0, io.SeekCurrent)
		return err == nil && offset < info.Size()
	}
	return false
}

// noteUnusedStdin prints a note, once, if stdin holds data that no argument uses.
func (t *console) noteUnusedStdin(env Env, args ...string) {
	if t.noted || slices.ContainsFunc(args, isStdin) || !hasUnread(env) {
		return
	}
	t.noted = true
	t.note("stdin was ignored; name it with - to include it")
}
