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

	"oneshot/pkg/failpoint"
)

// A place is a name in an open folder.
type place struct {
	dir  *os.Root
	name string
}

// A draft is the new content of a file, in a file beside it. Its name is made from that of the file,
// so that what a killed write has left is found by the next one. Only who holds the lock on the file
// that has this name renames or removes it; a lock ends with the process that holds it.
type draft struct {
	at   place // of the file
	own  string
	file *os.File
	kept bool
}

const (
	draftWait  = 2 * time.Second // for others that write the same file
	draftPause = 2 * time.Millisecond

	draftBegin, draftEnd = ".oneshot-", ".tmp"
)

// errBusy says that a draft belongs to somebody else, or did a moment ago.
var errBusy = errors.New("it is being written")

// isDraft reports whether a name, in lower case, is one that drafts have.
func isDraft(name string) bool {
	return strings.HasPrefix(name, draftBegin) && strings.HasSuffix(name, draftEnd)
}

// draftOfName returns the name of the draft of a file.
func draftOfName(name string) string {
	sum := sha256.Sum256([]byte(Fold(name)))
	return draftBegin + hex.EncodeToString(sum[:16]) + draftEnd
}

// newDraft makes an empty draft of a file. If another one is under way it waits for a while; the
// error is errBusy then.
func newDraft(at place, mode fs.FileMode) (*draft, error) {
	d := &draft{at: at, own: draftOfName(at.name)}
	for end := time.Now().Add(draftWait); ; time.Sleep(draftPause) {
		err := d.claim(mode)
		if errors.Is(err, fs.ErrExist) {
			err = d.clear()
		}
		if !errors.Is(err, errBusy) || time.Now().After(end) {
			return d, err
		}
	}
}

// claim makes the file of a draft and locks it.
func (d *draft) claim(mode fs.FileMode) error {
	f, err := d.at.dir.OpenFile(d.own, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = d.lock(f)
	if err == nil || errors.Is(err, errBusy) {
		return d.take(f, err)
	}
	// This file system has no locks, and so no drafts with a name that others could find.
	err = d.at.dir.Remove(d.own)
	f.Close()
	if err != nil {
		return err
	}
	d.own = draftBegin + rand.Text() + draftEnd
	f, err = d.at.dir.OpenFile(d.own, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return d.take(f, err)
}

// take makes a file that of the draft, unless there is an error.
func (d *draft) take(f *os.File, err error) error {
	if err != nil {
		f.Close()
		return err
	}
	d.file = f
	return nil
}

// lock locks a file and returns errBusy if another holds its lock, or if it does not have the name of
// the draft any more.
func (d *draft) lock(f *os.File) error {
	err := failpoint.Around("lock of a draft", func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errBusy
	}
	if err != nil {
		return err
	}
	named, err := d.at.dir.Lstat(d.own)
	opened, statErr := f.Stat()
	if err != nil || statErr != nil || !os.SameFile(named, opened) {
		return errBusy
	}
	return nil
}

// clear removes what has the name of the draft and belongs to nobody. It returns errBusy if it is
// worth to try again.
func (d *draft) clear() error {
	info, err := d.at.dir.Lstat(d.own)
	if err != nil {
		return retry(err)
	}
	if info.Mode().IsRegular() {
		f, err := d.at.dir.OpenFile(d.own, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return retry(err)
		}
		defer f.Close()
		if err := d.lock(f); err != nil {
			return err
		}
	}
	return retry(d.at.dir.Remove(d.own))
}

// retry returns errBusy for what is gone.
func retry(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return errBusy
	}
	return err
}

// fill makes content the content of a draft, durably.
func (d *draft) fill(content []byte) error {
	if _, err := failpoint.Write("write of a draft", d.file, content); err != nil {
		return err
	}
	return failpoint.Around("fsync of a draft", d.file.Sync)
}

// keep gives a draft the name of its file, durably. If it is to be new and something has the name,
// the error is [fs.ErrExist]; it is errReplaced if the file has its new content nevertheless.
func (d *draft) keep(new bool) error {
	folder, err := d.at.dir.Open(".") // before the rename: later there may be no descriptor left
	if err != nil {
		return err
	}
	defer folder.Close()
	rename := d.at.dir.Rename
	if new {
		rename = func(from, to string) error { return d.renameNew(folder, from, to) }
	}
	err = failpoint.Around("rename of a draft", func() error { return rename(d.own, d.at.name) })
	if err != nil {
		return err
	}
	d.kept = true
	if err := syncFolder(folder); err != nil {
		return fmt.Errorf("%w: %w", errReplaced, cause(err))
	}
	return nil
}

// errReplaced says that a write has taken effect, and what failed behind it.
var errReplaced = errors.New("the file has its new content, but a power cut may revert it")

// linkNew gives the draft a second name, if nothing has it, and takes its own away.
func (d *draft) linkNew(from, to string) error {
	if err := d.at.dir.Link(from, to); err != nil {
		return err
	}
	if err := failpoint.At("behind link of a draft"); err != nil {
		return fmt.Errorf("%w: %w", errReplaced, cause(err))
	}
	if err := d.at.dir.Remove(from); err != nil {
		return fmt.Errorf("%w: %w", errReplaced, cause(err))
	}
	return nil
}

// discard removes what was not kept, and ends the lock.
func (d *draft) discard() {
	if !d.kept {
		_ = d.at.dir.Remove(d.own) // what cannot be removed the next write finds
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
