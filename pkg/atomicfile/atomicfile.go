// Package atomicfile replaces files atomically and durably, and locks them.
//
// It names files by path. Package fileroot replaces files below a root by directory descriptors and takes over the
// temporary files of killed writers; the two have only the lock in common.
package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"oneshot/pkg/failpoint"
)

// ErrLocked reports that another process, or another open file of this one, holds the lock.
var ErrLocked = errors.New("locked by another process")

// Lock takes the exclusive advisory lock of an open file without waiting. The lock ends when the file is closed by this
// process and those that inherited it. The error is [ErrLocked], or that of the system, which may not support locks.
func Lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		case !errors.Is(err, unix.EINTR):
			return err
		}
	}
}

// SyncDir makes the names in a directory durable. Its failpoint is "fsync of", followed by the second argument.
func SyncDir(dir, what string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(failpoint.Around("fsync of "+what, d.Sync), d.Close())
}

// Replace replaces or creates a file, durably. A file that it replaces keeps its permissions; a new one has mode before the
// umask. If it fails, no temporary file remains, and the file is unchanged unless only the sync of its directory failed. Its
// failpoints are "write of", "fsync of", "link of", "rename of" and "fsync of the directory of", each followed by the last
// argument.
func Replace(path string, content []byte, mode fs.FileMode, what string) error {
	w := writer{path, content, mode, what}
	temp := w.tempName()
	err := w.writeTemp(temp)
	if err == nil {
		err = failpoint.Around("rename of "+what, func() error { return os.Rename(temp, path) })
	}
	if err != nil {
		_ = os.Remove(temp) // if it exists
		return err
	}
	err = SyncDir(filepath.Dir(path), "the directory of "+what)
	if errors.Is(err, fs.ErrPermission) {
		return nil // writable but not readable: the system syncs it later
	}
	return err
}

// A writer replaces one file.
type writer struct {
	path    string
	content []byte
	mode    fs.FileMode
	what    string
}

// writeTemp writes the content to a new file of that name, durably. Where the system supports it, the file gets its name
// only when it is complete, so that a killed process leaves no partial file.
func (w *writer) writeTemp(name string) error {
	if done, err := w.writeUnnamed(name); done || err != nil {
		return err
	}
	return w.writeNamed(name)
}

// writeUnnamed writes a file and then links it to its name. It reports false if the system does not support that.
func (w *writer) writeUnnamed(name string) (done bool, err error) {
	f, err := openUnnamed(filepath.Dir(name), w.mode)
	if err != nil {
		return false, nil
	}
	defer f.Close() // the data has been synced, or is discarded
	if err := w.writeNew(f); err != nil {
		return false, err
	}
	return failpoint.Around("link of "+w.what, func() error { return linkUnnamed(f, name) }) == nil, nil
}

// writeNamed writes a file under its name.
func (w *writer) writeNamed(name string) error {
	mode := w.mode
	if _, err := os.Stat(w.path); err == nil {
		mode = 0o600 // until it has the permissions of the old one
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return errors.Join(w.writeNew(f), f.Close())
}

// writeNew gives a new file the permissions of the old one, and then the content, which may be private.
func (w *writer) writeNew(f *os.File) error {
	if old, err := os.Stat(w.path); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err := failpoint.Write("write of "+w.what, f, w.content); err != nil {
		return err
	}
	return failpoint.Around("fsync of "+w.what, f.Sync)
}

// tempName returns an unused name in the same directory.
func (w *writer) tempName() string {
	dir, name := filepath.Split(w.path)
	return dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36)
}
