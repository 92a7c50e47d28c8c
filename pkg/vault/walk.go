package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxEntries is how many names one walk looks at.
const maxEntries = 100_000

// Walk calls do with the path and the size of every file that [Root.Read] can
// read under the name it has, in the order of their paths. Links are not
// followed; names that begin with a dot and folders that may not be listed are
// left out. It ends with the first error of do, with the context's cause, or with
// a *[PathError].
//
// Unnamed, if it is not nil, is called with the path of every file and folder,
// that of a folder with a slash at its end, that is left out because [Clean]
// refuses its name, so that no tool could say which it means.
func (r *Root) Walk(ctx context.Context, do func(path string, size int64) error, unnamed func(path string)) error {
	w := walk{root: r, left: maxEntries, unnamed: unnamed}
	if err := w.push(""); err != nil {
		return err
	}
	for len(w.stack) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := w.step(do); err != nil {
			return err
		}
	}
	return nil
}

// A walk is under way. On its stack are the paths still to come, the next one on
// top; the path of a folder ends with a slash.
type walk struct {
	root  *Root
	stack []string
	left  int // names that may still be looked at

	unnamed func(path string)
}

func (w *walk) step(do func(string, int64) error) error {
	path := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	if strings.HasSuffix(path, "/") {
		return w.push(path)
	}
	info, err := w.root.root.Lstat(path)
	if err != nil {
		return unreadable(path, err)
	}
	if w.root.check(path, info) != nil {
		return nil
	}
	return do(path, info.Size())
}

// push puts the entries of a folder on the stack.
func (w *walk) push(folder string) error {
	entries, err := w.entries(folder)
	if err != nil {
		return err
	}
	var paths []string
	for _, e := range entries {
		path := folder + e.Name()
		_, err := Clean(path)
		switch {
		case strings.HasPrefix(e.Name(), "."), e.Type() != 0 && e.Type() != fs.ModeDir:
			continue
		case e.IsDir():
			path += "/"
		}
		if err == nil {
			paths = append(paths, path)
		} else if w.unnamed != nil {
			w.unnamed(path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(b, a) })
	w.stack = append(w.stack, paths...)
	return nil
}

// entries lists a folder.
func (w *walk) entries(folder string) ([]fs.DirEntry, error) {
	d, err := w.root.root.OpenFile(cmp.Or(folder, "."), os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, unreadable(folder, err)
	}
	defer d.Close()
	entries, err := d.ReadDir(w.left)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, failure(folder, err)
	}
	if w.left -= len(entries); w.left == 0 {
		return nil, &PathError{Kind: TooLarge, Path: folder, Reason: fmt.Sprintf("the root has %d files and folders or more", maxEntries)}
	}
	return entries, nil
}

// unreadable returns nil for what may not be looked at, or was there only a moment
// ago: a walk passes over it.
func unreadable(path string, err error) error {
	e := failure(path, err)
	if e.Kind != Failed || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return e
}
