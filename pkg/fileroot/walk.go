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

// maxEntries is the maximum number of names in one walk.
const maxEntries = 100_000

// Walk calls do with the path and the size of every file that [Root.Read] can read under its own name, sorted by
// path. It does not follow links, and skips names with a leading dot, names that a [Guard] denies (these are not
// even listed), and folders without permission. It stops at the first error of do, with the context's cause, or
// with a *[PathError].
//
// If invalidName is not nil, it is called with the path of every file and folder (with a trailing slash) that is
// skipped because [Clean] refuses its name, so that no tool can refer to it.
func (r *Root) Walk(ctx context.Context, do func(path string, size int64) error, invalidName func(path string)) error {
	w := walk{root: r, remaining: maxEntries, invalidName: invalidName}
	if err := w.pushEntries(entry{"", r.guards}); err != nil {
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

// A walk is the state of [Root.Walk]. Its stack holds the pending entries, the next one on top.
type walk struct {
	root      *Root
	stack     []entry
	remaining int // names that may still be visited

	invalidName func(path string)
}

// An entry is a pending path; a folder has a trailing slash and its guards.
type entry struct {
	path   string
	guards []Guard
}

func (w *walk) step(do func(string, int64) error) error {
	next := w.stack[len(w.stack)-1]
	path := next.path
	w.stack = w.stack[:len(w.stack)-1]
	if strings.HasSuffix(path, "/") {
		return w.pushEntries(next)
	}
	info, err := w.root.root.Lstat(path)
	if err != nil {
		return ignoreUnreadable(path, err)
	}
	if w.root.checkFile(path, info) != nil {
		return nil
	}
	return do(path, info.Size())
}

// pushEntries pushes the entries of a folder.
func (w *walk) pushEntries(folder entry) error {
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
		below, denied := enterAll(folder.guards, e.Name())
		switch {
		case denied != nil:
		case err == nil:
			found = append(found, entry{path, below})
		case w.invalidName != nil:
			w.invalidName(path)
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
		return nil, ignoreUnreadable(folder, err)
	}
	defer d.Close()
	entries, err := d.ReadDir(w.remaining)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, newPathError(folder, err)
	}
	if w.remaining -= len(entries); w.remaining == 0 {
		return nil, &PathError{Kind: TooLarge, Path: folder, Reason: fmt.Sprintf("the root has at least %d files and folders", maxEntries)}
	}
	return entries, nil
}

// ignoreUnreadable returns nil for files without permission or removed since: a walk skips them.
func ignoreUnreadable(path string, err error) error {
	e := newPathError(path, err)
	if e.Kind != Failed || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return e
}
