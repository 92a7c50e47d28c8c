package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"oneshot/pkg/events"
	"oneshot/pkg/runfile"
)

// eventsPath returns the path of a file that --events names: FILE, or /dev/fd/N for an open descriptor fd://N.
func eventsPath(name string) (string, error) {
	path := filepath.Clean(name)
	number, isNumber := strings.CutPrefix(name, "fd://")
	switch {
	case path == "/dev/stderr":
		number = "2"
	case path == "/dev/stdout", name == "-":
		number = "1"
	case isDescriptor(path):
		number = filepath.Base(path)
	case !isNumber:
		return name, nil
	}
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 0:
		return "", usagef("for example --events fd://3 3>events.jsonl", "--events: %q is not a descriptor", name)
	case n == 1:
		return "", usagef("use --output events", "--events cannot be %s: stdout carries the answer", name)
	}
	if mode, err := unix.FcntlInt(uintptr(n), unix.F_GETFL, 0); err != nil || mode&unix.O_ACCMODE == unix.O_RDONLY {
		return "", usagef("for example --events fd://3 3>events.jsonl", "--events %s: the descriptor is not open for writing", name)
	}
	return "/dev/fd/" + strconv.Itoa(n), nil
}

// isEmptyOrEvents reports whether a file is empty or begins like a file of events.
func isEmptyOrEvents(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || isDescriptor(path) {
		return err == nil || errors.Is(err, fs.ErrNotExist)
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	first, _, _ := bytes.Cut(events.FailedStart(runfile.End{}), []byte("\n"))
	text, err := io.ReadAll(io.LimitReader(f, int64(len(first))))
	return err == nil && (len(text) == 0 || bytes.Equal(text, first))
}

// eventsOpener returns the function that opens the file of --events. It never blocks: a pipe is opened once it has a reader. A
// regular file is truncated now, or at the first event if another run may be writing it.
func eventsOpener(path string, mayBeInUse bool) (func() (events.Sink, error), error) {
	if isDescriptor(path) {
		return descriptorOpener(path), nil
	}
	if err := checkStickyLinks(path); err != nil {
		return nil, usagef("name the file itself", "--events: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("name a file inside it", "--events: %s is a directory", path)
	case err == nil && info.Mode()&fs.ModeNamedPipe != 0:
		return fifoOpener(path), checkWritable(path)
	}
	flags := os.O_WRONLY | os.O_CREATE | unix.O_NONBLOCK | unix.O_CLOEXEC
	if !mayBeInUse {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("create it first", "--events: no such directory: %s", filepath.Dir(path))
	case err != nil:
		return nil, &outputError{fmt.Errorf("--events: %w", err)}
	}
	return func() (events.Sink, error) { return &eventsFile{f, !mayBeInUse}, nil }, nil
}

// An eventsFile is a file whose earlier content the first write removes.
type eventsFile struct {
	*os.File
	isReplaced bool
}

// Write writes events.
func (f *eventsFile) Write(p []byte) (int, error) {
	if !f.isReplaced {
		f.isReplaced = true
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if err := f.Truncate(0); err != nil {
				return 0, err
			}
		}
	}
	return f.File.Write(p)
}

// fifoOpener opens a named pipe as soon as a process reads it.
func fifoOpener(path string) func() (events.Sink, error) {
	return func() (events.Sink, error) {
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENXIO) {
			return nil, events.ErrNoReader
		}
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// descriptorOpener opens an inherited descriptor. A pipe is opened anew, so that it does not block and other processes that
// share the descriptor notice nothing.
func descriptorOpener(path string) func() (events.Sink, error) {
	return func() (events.Sink, error) {
		n, _ := strconv.Atoi(filepath.Base(path)) // eventsPath made it
		unix.CloseOnExec(n)
		var stat unix.Stat_t
		if err := unix.Fstat(n, &stat); err != nil {
			return nil, err
		}
		if stat.Mode&unix.S_IFMT == unix.S_IFIFO {
			switch sink, err := fifoOpener(path)(); {
			case err == nil:
				return sink, nil
			case errors.Is(err, events.ErrNoReader):
				return nil, events.ErrGone
			}
		}
		fd, err := unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(fd), path), nil
	}
}
