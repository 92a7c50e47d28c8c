// Package atomicfile replaces files atomically and durably, and locks them.
//
// It names files by path. Package fileroot replaces files below a root by directory descriptors and takes over the
// temporary files of killed writers; the two have only the lock in common.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"math"
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

// Replace replaces or creates a file with the content, as a [PendingFile] does.
func Replace(path string, content []byte, mode fs.FileMode, what string) error {
	p, err := NewPendingFile(path, mode, what)
	if err != nil {
		return err
	}
	defer p.Discard()
	if _, err := p.Write(content); err != nil {
		return err
	}
	return p.Commit(nil)
}

// A PendingFile takes the new content of a file, and replaces or creates the file when the content is complete. Where the
// system supports it, it has no name until then, so that a killed process leaves no partial file.
type PendingFile struct {
	path    string
	mode    fs.FileMode
	what    string
	temp    string // its name in the same directory, once it has one
	isNamed bool
	f       *os.File
}

// NewPendingFile opens a pending file. It has the permissions of the file at path; a new file has mode before the umask. Its
// failpoints are "write of", "fsync of", "link of", "rename of" and "fsync of the directory of", each followed by the last
// argument.
func NewPendingFile(path string, mode fs.FileMode, what string) (*PendingFile, error) {
	p := newPendingFile(path, mode, what)
	if err := p.open(); err != nil {
		p.Discard()
		return nil, err
	}
	return p, nil
}

// newPendingFile returns a pending file that is not open yet, with an unused name in the directory of path.
func newPendingFile(path string, mode fs.FileMode, what string) *PendingFile {
	dir, name := filepath.Split(path)
	return &PendingFile{path: path, mode: mode, what: what, temp: dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36)}
}

// open opens the file without a name if the system supports that.
func (p *PendingFile) open() error {
	f, err := openUnnamed(filepath.Dir(p.path), p.mode)
	if err != nil {
		return p.openNamed()
	}
	p.f = f
	return p.copyMode()
}

// openNamed opens the file under its name.
func (p *PendingFile) openNamed() error {
	mode := p.mode
	if _, err := os.Stat(p.path); err == nil {
		mode = 0o600 // until it has the permissions of the old one
	}
	f, err := os.OpenFile(p.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	p.f, p.isNamed = f, true
	return p.copyMode()
}

// copyMode gives the file the permissions of the old one, before it has content, which may be private.
func (p *PendingFile) copyMode() error {
	old, err := os.Stat(p.path)
	if err != nil {
		return nil // there is none
	}
	return p.f.Chmod(old.Mode().Perm())
}

// Write appends to the content.
func (p *PendingFile) Write(content []byte) (int, error) {
	return failpoint.Write("write of "+p.what, p.f, content)
}

// Commit puts the file in its place, durably. Once the content is durable it calls check, unless that is nil; an error of
// check prevents the replacement. If Commit fails, the old file is unchanged unless only the sync of its directory failed.
func (p *PendingFile) Commit(check func() error) error {
	if err := p.sync(); err != nil {
		return err
	}
	if err := p.link(); err != nil {
		return err
	}
	if check != nil {
		if err := check(); err != nil {
			return err
		}
	}
	if err := failpoint.Around("rename of "+p.what, func() error { return os.Rename(p.temp, p.path) }); err != nil {
		return err
	}
	p.isNamed = false
	err := SyncDir(filepath.Dir(p.path), "the directory of "+p.what)
	if errors.Is(err, fs.ErrPermission) {
		return nil // writable but not readable: the system syncs it later
	}
	return err
}

// Discard closes the file. Unless it was committed, nothing remains of it.
func (p *PendingFile) Discard() {
	_ = p.f.Close() // the data has been synced, or is discarded
	if p.isNamed {
		_ = os.Remove(p.temp) // a temporary file that cannot be removed does no harm
		p.isNamed = false
	}
}

func (p *PendingFile) sync() error { return failpoint.Around("fsync of "+p.what, p.f.Sync) }

// link gives the file its name. If the system cannot do that, a copy of the file gets it.
func (p *PendingFile) link() error {
	if p.isNamed {
		return nil
	}
	if failpoint.Around("link of "+p.what, func() error { return linkUnnamed(p.f, p.temp) }) == nil {
		p.isNamed = true
		return nil
	}
	unnamed := p.f
	defer unnamed.Close() // it was only read
	if err := p.openNamed(); err != nil {
		return err
	}
	if _, err := io.Copy(p, io.NewSectionReader(unnamed, 0, math.MaxInt64)); err != nil {
		return err
	}
	return p.sync()
}
