package program

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// makeTemp makes a temporary folder for one program. It is held open: what a program has put in
// the place of its name is not what is removed in the end.
func makeTemp() (path string, dir *os.File, err error) {
	place, err := filepath.Abs(os.TempDir()) // the program runs elsewhere
	if err == nil {
		path, err = os.MkdirTemp(place, "oneshot-")
	}
	if err != nil {
		return "", nil, fmt.Errorf("no temporary folder can be made: %w", err)
	}
	dir, err = os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	return path, dir, err
}

// removeTemp removes the folder with all that is in it, as far as it may. It takes a step for
// each entry and few descriptors, however deep a program has made it: what is in a folder
// is moved up before the folder is removed.
func removeTemp(path, self string) {
	_ = os.Chmod(self, 0o700)
	top, err := os.OpenRoot(self)
	if err != nil {
		return // it is gone
	}
	defer top.Close()
	r := remover{top: top, row: entries(top, ".")}
	for len(r.row) > 0 {
		name := r.row[0]
		r.row = r.row[1:]
		r.remove(name)
	}
	_ = os.Remove(path)
}

// A remover removes what is in a folder.
type remover struct {
	top   *os.Root
	row   []string // in the folder itself, and still there
	moved int
}

// remove removes an entry, and puts what is below it into the row.
func (r *remover) remove(name string) {
	if !r.folder(name) {
		return
	}
	for _, child := range entries(r.top, name) {
		child = name + "/" + child
		if r.folder(child) {
			r.raise(child)
		}
	}
	_ = r.top.Remove(name)
}

// folder removes what is a file or empty. It reports whether it is a folder that is not.
func (r *remover) folder(name string) bool {
	if r.top.Remove(name) == nil {
		return false
	}
	info, err := r.top.Lstat(name)
	return err == nil && info.IsDir() && r.top.Chmod(name, 0o700) == nil
}

// raise moves a folder up, under a name that nobody has.
func (r *remover) raise(from string) {
	for {
		r.moved++
		to := strconv.Itoa(r.moved)
		err := r.top.Rename(from, to)
		if err == nil {
			r.row = append(r.row, to)
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.ENOTDIR) {
			return
		}
	}
}

// entries lists what is in a folder.
func entries(top *os.Root, name string) []string {
	dir, err := top.Open(name)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return names
}
