package fileroot

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/failpoint"
)

// A location is a name in an open folder.
type location struct {
	dir  *os.Root
	name string
}

// A tempFile holds the new content of a file, next to it. Its name is derived from the file's name, so the
// next write finds the remains of a killed write. Only the holder of the lock on the file renames or removes
// it; the lock ends with its process.
type tempFile struct {
	target    location // the file to be written
	tempName  string
	file      *os.File
	committed bool
}

const (
	lockTimeout    = 2 * time.Second // for other writers of the same file
	lockRetryDelay = 2 * time.Millisecond

	tempPrefix, tempSuffix = ".oneshot-", ".tmp"
)

// errBusy means that another writer holds the temporary file, or did a moment ago.
var errBusy = errors.New("it is being written")

// isTempName reports whether a name, in lower case, is that of a temporary file.
func isTempName(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// tempNameOf returns the name of the temporary file of a file.
func tempNameOf(name string) string {
	sum := sha256.Sum256([]byte(Fold(name)))
	return tempPrefix + hex.EncodeToString(sum[:16]) + tempSuffix
}

// newTempFile creates an empty temporary file. It waits up to [lockTimeout] for another writer and then
// returns errBusy.
func newTempFile(at location, mode fs.FileMode) (*tempFile, error) {
	d := &tempFile{target: at, tempName: tempNameOf(at.name)}
	for end := time.Now().Add(lockTimeout); ; time.Sleep(lockRetryDelay) {
		err := d.create(mode)
		if errors.Is(err, fs.ErrExist) {
			err = d.removeStale()
		}
		if !errors.Is(err, errBusy) || time.Now().After(end) {
			return d, err
		}
	}
}

// create creates and locks the temporary file.
func (d *tempFile) create(mode fs.FileMode) error {
	f, err := d.target.dir.OpenFile(d.tempName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = d.lock(f)
	if err == nil || errors.Is(err, errBusy) {
		return d.setFile(f, err)
	}
	// The file system has no locks: use a random name that no other writer can take over.
	err = d.target.dir.Remove(d.tempName)
	f.Close()
	if err != nil {
		return err
	}
	d.tempName = tempPrefix + rand.Text() + tempSuffix
	f, err = d.target.dir.OpenFile(d.tempName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return d.setFile(f, err)
}

// setFile stores the open file, or closes it if there is an error.
func (d *tempFile) setFile(f *os.File, err error) error {
	if err != nil {
		f.Close()
		return err
	}
	d.file = f
	return nil
}

// lock locks a file. It returns errBusy if another process holds the lock or the file no longer has its name.
func (d *tempFile) lock(f *os.File) error {
	err := failpoint.Around("lock of a temp file", func() error { return atomicfile.Lock(f) })
	if errors.Is(err, atomicfile.ErrLocked) {
		return errBusy
	}
	if err != nil {
		return err
	}
	named, err := d.target.dir.Lstat(d.tempName)
	opened, statErr := f.Stat()
	if err != nil || statErr != nil || !os.SameFile(named, opened) {
		return errBusy
	}
	return nil
}

// removeStale removes a temporary file that no process holds. It returns errBusy if the caller should try
// again.
func (d *tempFile) removeStale() error {
	info, err := d.target.dir.Lstat(d.tempName)
	if err != nil {
		return busyIfGone(err)
	}
	if info.Mode().IsRegular() {
		f, err := d.target.dir.OpenFile(d.tempName, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return busyIfGone(err)
		}
		defer f.Close()
		if err := d.lock(f); err != nil {
			return err
		}
	}
	return busyIfGone(d.target.dir.Remove(d.tempName))
}

// busyIfGone returns errBusy for a missing file and for nil.
func busyIfGone(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return errBusy
	}
	return err
}

// write writes the content, durably.
func (d *tempFile) write(content []byte) error {
	if _, err := failpoint.Write("write of a temp file", d.file, content); err != nil {
		return err
	}
	return failpoint.Around("fsync of a temp file", d.file.Sync)
}

// commit renames the temporary file to its target, durably. If new is set and the target exists, the error is
// [fs.ErrExist]. The error is errNotDurable if the target has its new content nevertheless.
func (d *tempFile) commit(new bool) error {
	folder, err := d.target.dir.Open(".") // before the rename, so that it cannot fail after it for lack of descriptors
	if err != nil {
		return err
	}
	defer folder.Close()
	rename := d.target.dir.Rename
	if new {
		rename = func(from, to string) error { return d.renameNoReplace(folder, from, to) }
	}
	err = failpoint.Around("rename of a temp file", func() error { return rename(d.tempName, d.target.name) })
	if err != nil {
		return err
	}
	d.committed = true
	if err := syncFolder(folder); err != nil {
		return fmt.Errorf("%w: %w", errNotDurable, withoutPath(err))
	}
	return nil
}

// errNotDurable means that a write took effect but may not be durable.
var errNotDurable = errors.New("the file has its new content, but a power cut may revert it")

// renameByLink renames by link and remove, which fails if the new name exists.
func (d *tempFile) renameByLink(from, to string) error {
	if err := d.target.dir.Link(from, to); err != nil {
		return err
	}
	if err := failpoint.At("after link of a temp file"); err != nil {
		return fmt.Errorf("%w: %w", errNotDurable, withoutPath(err))
	}
	if err := d.target.dir.Remove(from); err != nil {
		return fmt.Errorf("%w: %w", errNotDurable, withoutPath(err))
	}
	return nil
}

// discard removes an uncommitted temporary file and releases the lock.
func (d *tempFile) discard() {
	if !d.committed {
		_ = d.target.dir.Remove(d.tempName) // the next write removes a file that is left
	}
	d.file.Close()
}

// syncDir makes the names in a folder durable.
func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(d), d.Close())
}

func syncFolder(f *os.File) error { return failpoint.Around("fsync of a folder", f.Sync) }
