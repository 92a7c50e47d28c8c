// Package fileroot gives tools the files under one folder, the root, and nothing
// outside it.
//
// Paths are relative, with slashes, and have one spelling: see [Clean]. Only
// regular files with one name, on the file system of the root, can be read or
// replaced. A symbolic link may be read through when it stays inside the root;
// nothing is ever written through a link, and files that steer other programs or
// later runs are never written: see [Protected].
//
// The confinement itself is that of [os.Root], which holds against files that
// are exchanged for links meanwhile. The package does not decide which tool may
// touch which file; that is the business of package policy.
package fileroot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Root is a folder that files are read from and written to. Its methods may be
// called from several goroutines.
type Root struct {
	root      *os.Root
	device    uint64
	protected []string // folded
	dotted    []string // folded; see AllowDotted
	guards    []Guard  // of the top folder
}

// Open opens a folder, which may be named by a link, as a root. A relative name
// is taken from the working directory. Each of protect is a slash path below the
// folder, of a file or a folder that is not to be written, or "*" and how the names of
// such files end, beside those of [Protected]. The file system's own root is refused.
func Open(dir string, protect ...string) (*Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", dir, cause(err))
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("root %s: %w", dir, cause(err)), root.Close())
	}
	if top, err := os.Stat("/"); err == nil && os.SameFile(top, info) {
		return nil, errors.Join(fmt.Errorf("root %s: the whole file system cannot be a root", dir), root.Close())
	}
	r := &Root{root: root, device: device(info)}
	for _, p := range protect {
		r.protected = append(r.protected, Fold(path.Clean(p)))
	}
	return r, nil
}

// AllowDotted lets files be written at or below these names, each of which begins with a dot. Any other such
// name is protected, and so are those of [Protected] in any case. It may be called before the first write only.
func (r *Root) AllowDotted(names ...string) {
	for _, name := range names {
		r.dotted = append(r.dotted, Fold(name))
	}
}

// Close closes the root. Files cannot be read or written after it.
func (r *Root) Close() error { return r.root.Close() }

// Read returns the content of a file of at most max bytes. Its error is a
// *[PathError].
func (r *Root) Read(path string, max int64) ([]byte, error) {
	return undisturbed(func() ([]byte, error) { return r.read(path, max) })
}

// ReadResolved is [Root.Read] for a path as [Root.Resolve] returns it: one in which nothing is a
// link. If something has become one since, the error's kind is [Changed].
func (r *Root) ReadResolved(path string, max int64) ([]byte, error) {
	return undisturbed(func() ([]byte, error) { return r.readResolved(path, max) })
}

// undisturbed reads a file again that was replaced while it was opened, a bounded number of times.
func undisturbed[T any](read func() (T, error)) (T, error) {
	content, err := read()
	for range 10 {
		var moved *PathError
		if !errors.As(err, &moved) || moved.Kind != Changed {
			break
		}
		content, err = read()
	}
	return content, err
}

func (r *Root) read(path string, max int64) ([]byte, error) {
	clean, err := Clean(path)
	if err != nil {
		return nil, err
	}
	if len(r.guards) > 0 { // which hold for where the path leads, too
		leads, err := r.resolve(path, r.Denied)
		if err != nil {
			return nil, err
		}
		return r.readResolved(leads, max)
	}
	// Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
	f, err := r.root.OpenFile(clean, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, failure(path, err)
	}
	defer f.Close()
	named, err := r.root.Stat(clean)
	if err != nil {
		return nil, failure(path, err)
	}
	if err := r.confirm(path, f, named); err != nil {
		return nil, err
	}
	return content(path, f, max)
}

func (r *Root) readResolved(path string, max int64) ([]byte, error) {
	f, err := r.openResolved(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return content(path, f, max)
}

// openResolved opens a file to read it, through no link.
func (r *Root) openResolved(path string) (_ *os.File, err error) {
	clean, err := Clean(path)
	if err != nil {
		return nil, err
	}
	if err := r.Denied(clean); err != nil {
		return nil, err
	}
	names := strings.Split(clean, "/")
	last := len(names) - 1
	dir, err := r.folder(path, names[:last], false)
	if err != nil {
		return nil, elsewhere(path, err)
	}
	defer dir.Close()
	f, err := dir.OpenFile(names[last], os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, failure(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	named, err := dir.Lstat(names[last])
	if err != nil {
		return nil, failure(path, err)
	}
	return f, r.confirm(path, f, named)
}

const leadsElsewhere = "it leads elsewhere than a moment ago"

// elsewhere returns the error for a path of which a folder is a link.
func elsewhere(path string, err error) error {
	var refused *PathError
	if errors.As(err, &refused) && refused.Reason == throughLink {
		return changed(path, leadsElsewhere)
	}
	return err
}

// confirm refuses an open file that is not the one of its name, or that may not be read. The number of links is taken
// with the name: that of an open file falls to one when the name is removed, and the one that is left may be outside.
func (r *Root) confirm(path string, f *os.File, named fs.FileInfo) error {
	opened, err := f.Stat()
	if err != nil {
		return failure(path, err)
	}
	if !os.SameFile(named, opened) {
		return changed(path, leadsElsewhere)
	}
	return r.check(path, named)
}

// content returns the content of an open file.
func content(path string, f *os.File, max int64) ([]byte, error) {
	// Its size is no bound: the file may grow while it is read.
	content, err := io.ReadAll(io.LimitReader(f, min(max, math.MaxInt64-1)+1))
	if err != nil {
		return nil, failure(path, err)
	}
	if int64(len(content)) > max {
		return nil, &PathError{Kind: TooLarge, Path: path, Reason: fmt.Sprintf("it is larger than %d bytes", max)}
	}
	return content, nil
}

// check refuses what is not a regular file with one name on the root's device. A
// second hard link may be outside the root, and no check of names can tell.
func (r *Root) check(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &PathError{Kind: NotRegular, Path: path, Reason: "it is a folder"}
	case !info.Mode().IsRegular():
		return &PathError{Kind: NotRegular, Path: path, Reason: "it is not a regular file"}
	case links(info) == 0:
		return changed(path, "it is being replaced")
	case links(info) != 1:
		return &PathError{Kind: Refused, Path: path, Reason: "the file has several hard links"}
	case device(info) != r.device:
		return &PathError{Kind: Refused, Path: path, Reason: "it is on another file system than the root"}
	}
	return nil
}

// device returns the file system that a file is on.
func device(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Dev)
}

// links returns the number of names that a file has.
func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Nlink)
}
