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

	"oneshot/pkg/atomicfile"
)

// Names of temporary folders: a prefix followed by [rand.Text].
const (
	tempPrefix    = "oneshot-program-"
	tempRandomLen = 26
)

// makeTemp creates a temporary folder for one program. It stays open, so that removal is not redirected to a folder that
// the program has put in its place. It also stays locked while this process or the supervisor, which inherits the
// descriptor, can remove it; see removeStaleTemps.
func makeTemp() (path string, dir *os.File, err error) {
	place, err := filepath.Abs(os.TempDir()) // the program has another working directory
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
		return "", nil, fmt.Errorf("cannot create a temporary folder: %w", err)
	}
	_ = atomicfile.Lock(dir) // without locks, stale folders remain
	return path, dir, nil
}

func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// minStaleAge is the minimum age of a stale folder: a younger one may not be locked yet.
const minStaleAge = 10 * time.Minute

// removeStaleTemps removes the temporary folders of programs whose process and supervisor were both killed, or whose
// process was killed before it had a supervisor.
func removeStaleTemps() {
	place, err := os.Open(os.TempDir())
	if err != nil {
		return // makeTemp reports it
	}
	defer place.Close()
	names, _ := place.Readdirnames(-1)
	for _, name := range names {
		if random, ours := strings.CutPrefix(name, tempPrefix); ours && len(random) == tempRandomLen {
			removeStaleTemp(filepath.Join(place.Name(), name))
		}
	}
}

// removeStaleTemp removes a folder if it belongs to this user, has its original mode, is old, and is not locked.
func removeStaleTemp(path string) {
	dir, err := openFolder(path)
	if err != nil {
		return
	}
	defer dir.Close()
	var info, named unix.Stat_t
	if unix.Fstat(int(dir.Fd()), &info) != nil || int(info.Uid) != os.Geteuid() || info.Mode&0o777 != 0o700 ||
		time.Since(time.Unix(info.Mtim.Unix())) < minStaleAge || atomicfile.Lock(dir) != nil {
		return
	}
	// The previous holder of the lock may have removed it.
	if unix.Lstat(path, &named) == nil && named.Dev == info.Dev && named.Ino == info.Ino {
		removeTemp(path, openFolderPath(path, dir))
	}
}

// removeTemp removes the folder and its contents as far as permitted. It needs one step per entry and few descriptors,
// however deep the tree is: it moves the contents of a folder up before it removes the folder.
func removeTemp(path, self string) {
	_ = os.Chmod(self, 0o700)
	top, err := os.OpenRoot(self)
	if err != nil {
		return // already removed
	}
	defer top.Close()
	r := remover{top: top, queue: listFolder(top, ".")}
	for len(r.queue) > 0 {
		name := r.queue[0]
		r.queue = r.queue[1:]
		r.remove(name)
	}
	_ = os.Remove(path)
}

// A remover removes the contents of a folder.
type remover struct {
	top   *os.Root
	queue []string // entries of the folder itself still to be removed
	moved int
}

// remove removes an entry and queues the folders below it.
func (r *remover) remove(name string) {
	if !r.removeUnlessNonempty(name) {
		return
	}
	for _, child := range listFolder(r.top, name) {
		child = name + "/" + child
		if r.removeUnlessNonempty(child) {
			r.moveUp(child)
		}
	}
	_ = r.top.Remove(name)
}

// removeUnlessNonempty removes a file or an empty folder. It reports whether the entry is a nonempty folder.
func (r *remover) removeUnlessNonempty(name string) bool {
	if r.top.Remove(name) == nil {
		return false
	}
	info, err := r.top.Lstat(name)
	return err == nil && info.IsDir() && r.top.Chmod(name, 0o700) == nil
}

// moveUp moves a folder to the top under an unused name.
func (r *remover) moveUp(from string) {
	for {
		r.moved++
		to := strconv.Itoa(r.moved)
		err := r.top.Rename(from, to)
		if err == nil {
			r.queue = append(r.queue, to)
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.ENOTDIR) {
			return
		}
	}
}

// listFolder lists a folder.
func listFolder(top *os.Root, name string) []string {
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
