package fileroot

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
// followed; names that begin with a dot, what a [Guard] denies, which is not even listed, and folders
// that may not be listed are left out. It ends with the first error of do, with the context's cause, or with
// a *[PathError].
//
// Unnamed, if it is not nil, is called with the path of every file and folder,
// that of a folder with a slash at its end, that is left out because [Clean]
// refuses its name, so that no tool could say which it means.
func (r *Root) Walk(ctx context.Context, do func(path string, size int64) error, unnamed func(path string)) error {
	w := walk{root: r, left: maxEntries, unnamed: unnamed}
	if err := w.push(entry{"", r.guards}); err != nil {
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

// A walk is under way. On its stack is what is still to come, the next one on top.
type walk struct {
	root  *Root
	stack []entry
	left  int // names that may still be looked at

	unnamed func(path string)
}

// An entry is a path to come; that of a folder ends with a slash and has its guards.
type entry struct {
	path   string
	guards []Guard
}

func (w *walk) step(do func(string, int64) error) error {
	next := w.stack[len(w.stack)-1]
	path := next.path
	w.stack = w.stack[:len(w.stack)-1]
	if strings.HasSuffix(path, "/") {
		return w.push(next)
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
func (w *walk) push(folder entry) error {
	entries, err := w.entries(folder.path)
	if err != nil {
		return err
	}
	var found []entry
	for _, e := range entries {
		path := folder.path + e.Name()
		_, err := Clean(path)
		switch {
		case strings.HasPrefix(e.Name(), "."), e.Type() != 0 && e.Type() != fs.ModeDir:
			continue
		case e.IsDir():
			path += "/"
		}
		below, denied := enter(folder.guards, e.Name())
		switch {
		case denied != nil:
		case err == nil:
			found = append(found, entry{path, below})
		case w.unnamed != nil:
			w.unnamed(path)
		}
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Compare(b.path, a.path) })
	w.stack = append(w.stack, found...)
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
