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

// writeOutput writes the document of a command to stdout, or to the file of -o.
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
		err = path.Err // the path may be that of the temporary file
	}
	if err != nil {
		return &outputError{fmt.Errorf("%s: %w", t.path, err)}
	}
	return nil
}

// An outputFile is the target of a flag such as -o. A document replaces a regular file atomically; other files are
// written directly.
type outputFile struct {
	path   string // with symbolic links followed
	direct bool   // a device, a pipe or an open file
}

// newOutputFile checks the file that a flag names and its directory. It opens nothing.
func newOutputFile(flag, name string) (*outputFile, error) {
	if err := checkLinks(name); err != nil {
		return nil, usagef("name the file itself", "%s: %w", flag, err)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("name a file inside it", "%s: %s is a directory", flag, name)
	case err == nil && (!info.Mode().IsRegular() || isDescriptor(name)):
		return &outputFile{name, true}, checkWritable(name)
	}
	if _, err := os.Lstat(name); err == nil { // replace the target of a link, not the link
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, usagef("", "%s: %v", flag, err)
		}
	}
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usagef("create it first", "%s: no such directory: %s", flag, dir)
	}
	return &outputFile{path: name}, checkWritable(dir)
}

// isDescriptor reports whether a path names an open descriptor of this process.
func isDescriptor(name string) bool {
	dir := filepath.Dir(filepath.Clean(name))
	return dir == "/dev/fd" || dir == "/proc/self/fd" || filepath.Clean(name) == "/dev/stderr"
}

// checkWritable refuses a path that is not writable, before the run produces its answer.
func checkWritable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &outputError{fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}

// write replaces the file with a document, durably. If it fails, the file is unchanged and no temporary file remains.
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
		_ = os.Remove(fresh) // if it exists
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

// writeTemp writes a document to a new file of that name, durably. Where the system supports it, the file gets its
// name only when it is complete, so that a killed process leaves no partial file.
func (t *outputFile) writeTemp(name string, doc []byte) error {
	if done, err := t.writeUnnamed(name, doc); done || err != nil {
		return err
	}
	return t.writeNamed(name, doc)
}

// newFileMode are the permissions of a new file, before the umask.
const newFileMode = 0o666

// writeUnnamed writes a file and then links it to its name. It reports false if the system does not support that.
func (t *outputFile) writeUnnamed(name string, doc []byte) (done bool, err error) {
	f, err := openUnnamed(filepath.Dir(name), newFileMode)
	if err != nil {
		return false, nil
	}
	defer f.Close() // the data has been synced, or is discarded
	if err := t.writeNew(f, doc); err != nil {
		return false, err
	}
	return failpoint.Around("link of the file for -o", func() error { return linkUnnamed(f, name) }) == nil, nil
}

// writeNamed writes a file under its name.
func (t *outputFile) writeNamed(name string, doc []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
	if err != nil {
		return err
	}
	return errors.Join(t.writeNew(f, doc), f.Close())
}

// writeNew writes a document to a new file with the permissions of the old one.
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

// tempName returns an unused name in the same directory.
func (t *outputFile) tempName() string {
	dir, name := filepath.Split(t.path)
	return dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil // writable but not readable: the system syncs it later
	case err != nil:
		return err
	}
	return errors.Join(failpoint.Around("fsync of the directory of -o", d.Sync), d.Close())
}
