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
)

// deliver hands over the document of a command: to stdout, or to the file of -o.
// It has been taken when there is no error.
func (t *talk) deliver(doc []byte) error {
	to := t.file.Load()
	if to == nil {
		_, err := t.out.Write(doc)
		return err
	}
	err := to.write(doc)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the file may have had another name, or none
	}
	if err != nil {
		return &outputError{fmt.Errorf("%s: %w", to.path, err)}
	}
	return nil
}

// A target is the file of -o. The document replaces it as a whole, or not at
// all; what is no regular file is written as it is.
type target struct {
	path   string // with symbolic links followed
	direct bool   // a device or a pipe
}

// newTarget looks at the file that -o names and at its directory. It opens
// nothing.
func newTarget(name string) (*target, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("name a file in it", "-o: %s is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		return &target{name, true}, writable(name)
	}
	if _, err := os.Lstat(name); err == nil { // a link stays one: what it leads to is replaced
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, usagef("", "-o: %v", err)
		}
	}
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usagef("make it first", "-o: there is no directory %s", dir)
	}
	return &target{path: name}, writable(dir)
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
func (t *target) write(doc []byte) error {
	if t.direct {
		return t.feed(doc)
	}
	f, named, err := t.create()
	if err != nil {
		return err
	}
	if err := t.replace(f, named, doc); err != nil {
		_ = f.Close() // nothing in it counts
		if named != "" {
			_ = os.Remove(named)
		}
		return err
	}
	return errors.Join(f.Close(), syncDir(filepath.Dir(t.path)))
}

// feed writes a document to a device or a pipe.
func (t *target) feed(doc []byte) error {
	f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	return errors.Join(err, f.Close())
}

// create makes a new file in the directory. It has no name, so that nothing is
// left of it whatever happens to the process; only where the file system knows
// no such files it is named.
func (t *target) create() (f *os.File, named string, err error) {
	const umask = 0o666
	f, err = nameless(filepath.Dir(t.path), umask)
	if err != nil {
		named = t.beside()
		f, err = os.OpenFile(named, os.O_WRONLY|os.O_CREATE|os.O_EXCL, umask)
	}
	return f, named, err
}

// replace fills the new file and gives it the name of the old one, and its
// permissions.
func (t *target) replace(f *os.File, named string, doc []byte) error {
	if _, err := f.Write(doc); err != nil {
		return err
	}
	if old, err := os.Stat(t.path); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if named != "" {
		return os.Rename(named, t.path)
	}
	if err := link(f, t.path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	named = t.beside() // a link replaces nothing, a renamed file does
	if err := link(f, named); err != nil {
		return err
	}
	if err := os.Rename(named, t.path); err != nil {
		_ = os.Remove(named)
		return err
	}
	return nil
}

// beside returns a name in the same directory that nobody uses.
func (t *target) beside() string {
	dir, name := filepath.Split(t.path)
	return dir + "." + name + "." + strconv.FormatUint(rand.Uint64(), 36)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
