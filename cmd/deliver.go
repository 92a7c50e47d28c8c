package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"oneshot/pkg/failpoint"
)

// writeOutput hands over the document of a command: to stdout, or to the file of -o.
// It has been taken when there is no error.
func (t *console) writeOutput(doc []byte) error {
	to := t.file.Load()
	if to == nil {
		_, err := t.out.Write(doc)
		return err
	}
	return to.writeOutput(doc)
}

// writeOutput writes a document as write does. The error names the file.
func (t *outputFile) writeOutput(doc []byte) error {
	err := t.write(doc)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the file may have had another name, or none
	}
	if err != nil {
		return &outputError{fmt.Errorf("%s: %w", t.path, err)}
	}
	return nil
}

// A outputFile is a file that a flag such as -o names to be written. The document replaces it as a whole, or not at
// all; what is no regular file is written as it is.
type outputFile struct {
	path   string // with symbolic links followed
	direct bool   // a device, a pipe or an open file
}

// newOutputFile looks at the file that a flag names and at its directory. It opens
// nothing.
func newOutputFile(flag, name string) (*outputFile, error) {
	if err := checkLinks(name); err != nil {
		return nil, usagef("name the file itself", "%s: %w", flag, err)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("name a file inside it", "%s: %s is a directory", flag, name)
	case err == nil && (!info.Mode().IsRegular() || isDescriptor(name)):
		return &outputFile{name, true}, writable(name)
	}
	if _, err := os.Lstat(name); err == nil { // a link stays one: what it leads to is replaced
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, usagef("", "%s: %v", flag, err)
		}
	}
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usagef("create it first", "%s: no such directory: %s", flag, dir)
	}
	return &outputFile{path: name}, writable(dir)
}

// isDescriptor reports whether a name is that of an open file of this process.
func isDescriptor(name string) bool {
	dir := filepath.Dir(filepath.Clean(name))
	return dir == "/dev/fd" || dir == "/proc/self/fd" || filepath.Clean(name) == "/dev/stderr"
}

// writable refuses what the answer could not be written to, while there is none
// yet.
func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &outputError{fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}

// write puts a document in the place of the file, durably. When it fails, the
// file is as it was, and nothing is left beside it.
func (t *outputFile) write(doc []byte) error {
	if t.direct {
		return t.writeDevice(doc)
	}
	fresh := t.tempName()
	err := t.writeTemp(fresh, doc)
	if err == nil {
		err = failpoint.Around("rename to -o FILE", func() error { return os.Rename(fresh, t.path) })
	}
	if err != nil {
		_ = os.Remove(fresh) // it may be there or not
		return err
	}
	return syncDir(filepath.Dir(t.path))
}

// writeDevice writes a document to a device or a pipe.
func (t *outputFile) writeDevice(doc []byte) error {
	if err := checkLinks(t.path); err != nil {
		return err
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = failpoint.Write("write to -o FILE", f, doc)
	return errors.Join(err, f.Close())
}

// writeTemp writes a document to a new file of that name, durably. The file has no
// name before it is whole, so that no part of one is left if the process is
// killed; only where the system knows no such files it has one from the start. Between the name that it gets
// here and that of the file it stands beside it as a whole.
func (t *outputFile) writeTemp(name string, doc []byte) error {
	if done, err := t.writeUnnamed(name, doc); done || err != nil {
		return err
	}
	return t.writeNamed(name, doc)
}

// masked are the permissions of a new file, of which the umask takes some.
const masked = 0o666

// writeUnnamed writes a file and then gives it its name. It reports false where the
// system cannot do that.
func (t *outputFile) writeUnnamed(name string, doc []byte) (done bool, err error) {
	f, err := nameless(filepath.Dir(name), masked)
	if err != nil {
		return false, nil
	}
	defer f.Close() // what is in it has been synced, or does not count
	if err := t.writeNew(f, doc); err != nil {
		return false, err
	}
	return failpoint.Around("link of the file for -o", func() error { return link(f, name) }) == nil, nil
}

// writeNamed writes a file that has its name from the start.
func (t *outputFile) writeNamed(name string, doc []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, masked)
	if err != nil {
		return err
	}
	return errors.Join(t.writeNew(f, doc), f.Close())
}

// writeNew writes a document to a new file, which gets the permissions of the old
// one.
func (t *outputFile) writeNew(f *os.File, doc []byte) error {
	if _, err := failpoint.Write("write of the file for -o", f, doc); err != nil {
		return err
	}
	if old, err := os.Stat(t.path); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	return failpoint.Around("fsync of the file for -o", f.Sync)
}

// tempName returns a name in the same directory that nobody uses.
func (t *outputFile) tempName() string {
	dir, name := filepath.Split(t.path)
	return dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil // it can be written and not read: the system decides when
	case err != nil:
		return err
	}
	return errors.Join(failpoint.Around("fsync of the directory of -o", d.Sync), d.Close())
}
