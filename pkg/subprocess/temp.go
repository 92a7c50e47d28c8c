package subprocess

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The names of temporary folders: what else would have such a one is ours. Behind the prefix stands [rand.Text].
const (
	tempPrefix = "oneshot-program-"
	tempRandom = 26
)

// makeTemp makes a temporary folder for one program. It is held open: what a program has put in
// the place of its name is not what is removed in the end. It is locked, too, for as long as this process
// or the supervisor, which gets the descriptor, is there to remove it; see removeLeftTemps.
func makeTemp() (path string, dir *os.File, err error) {
	place, err := filepath.Abs(os.TempDir()) // the program runs elsewhere
	if err == nil {
		path = filepath.Join(place, tempPrefix+rand.Text())
		err = os.Mkdir(path, 0o700)
	}
	if err == nil {
		if dir, err = openFolder(path); err != nil {
			_ = os.Remove(path)
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("no temporary folder can be made: %w", err)
	}
	_ = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) // a file system without locks keeps what is left
	return path, dir, nil
}

func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// tempAge is how old a folder is that may have been left: a younger one may not be locked yet.
const tempAge = 10 * time.Minute

// removeLeftTemps removes the temporary folders of programs whose process and supervisor were both killed,
// or whose process was killed before it had a supervisor.
func removeLeftTemps() {
	place, err := os.Open(os.TempDir())
	if err != nil {
		return // makeTemp says so
	}
	defer place.Close()
	names, _ := place.Readdirnames(-1)
	for _, name := range names {
		if random, ours := strings.CutPrefix(name, tempPrefix); ours && len(random) == tempRandom {
			removeLeftTemp(filepath.Join(place.Name(), name))
		}
	}
}

// removeLeftTemp removes a folder if it is this user's, as it was made, old, and nobody holds its lock.
func removeLeftTemp(path string) {
	dir, err := openFolder(path)
	if err != nil {
		return
	}
	defer dir.Close()
	var info, named unix.Stat_t
	if unix.Fstat(int(dir.Fd()), &info) != nil || int(info.Uid) != os.Geteuid() || info.Mode&0o777 != 0o700 ||
		time.Since(time.Unix(info.Mtim.Unix())) < tempAge || unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	// Who held the lock a moment ago may have removed it.
	if unix.Lstat(path, &named) == nil && named.Dev == info.Dev && named.Ino == info.Ino {
		removeTemp(path, heldFolder(path, dir))
	}
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
