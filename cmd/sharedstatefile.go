package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/atomicfile"
)

// A stateFile is a file in the state directory that processes read and replace atomically under a lock.
type stateFile struct {
	dir, name   string
	what        string        // in messages
	most        int           // maximum size in bytes
	lockTimeout time.Duration // limit of the wait for the lock
}

func (s stateFile) path() string { return filepath.Join(s.dir, s.name) }

// lock waits for the lock, which processes hold only briefly.
func (s stateFile) lock() (release func(), err error) {
	const pause = 2 * time.Millisecond
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, s.wrapError(err)
	}
	for end := time.Now().Add(s.lockTimeout); ; time.Sleep(pause) {
		err := atomicfile.Lock(f)
		switch {
		case err == nil:
			return func() { _ = f.Close() }, nil // nothing to flush
		case !errors.Is(err, atomicfile.ErrLocked):
			return nil, errors.Join(s.wrapError(err), f.Close())
		case time.Now().After(end):
			return nil, errors.Join(s.wrapError(errors.New("another process has held the lock for "+s.lockTimeout.String())), f.Close())
		}
	}
}

// read returns the text and its modification time, or nil without a file. It reads at most one byte more than the
// maximum.
func (s stateFile) read() (text []byte, written time.Time, err error) {
	f, err := os.OpenFile(s.path(), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, written, nil
	}
	if err != nil {
		return nil, written, s.wrapError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // a pipe would block
		err = fmt.Errorf("%s is no regular file", s.path())
	}
	if err != nil {
		return nil, written, s.wrapError(err)
	}
	if text, err = io.ReadAll(io.LimitReader(f, int64(s.most)+1)); err != nil {
		return nil, written, s.wrapError(err)
	}
	return append([]byte{}, text...), info.ModTime(), nil
}

// write replaces the file.
func (s stateFile) write(text []byte) error {
	if err := atomicfile.Replace(s.path(), append(text, '\n'), 0o600, "a state file"); err != nil {
		return s.wrapError(err)
	}
	return nil
}

// wrapError returns an output error.
func (s stateFile) wrapError(err error) error { return &outputError{fmt.Errorf("%s: %w", s.what, err)} }
