// Package fileroot confines file access of tools to one folder, the root.
//
// Paths are relative, use slashes, and have one spelling: see [Clean]. Only
// regular files with one hard link, on the file system of the root, can be read
// or replaced. Reads follow symbolic links that stay inside the root; writes
// follow none. Files that control other programs or later runs are never
// written: see [ProtectedNames].
//
// [os.Root] enforces the confinement, also against files that are replaced by
// links concurrently. Package policy decides which tool may access which file.
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

// A Root is a folder for reading and writing files. Its methods may be called concurrently.
type Root struct {
	root      *os.Root
	device    uint64
	protected []string // folded
	dotted    []string // folded; see [Root.AllowDotted]
	guards    []Guard  // of the top folder
}

// Open opens a folder, or a link to one, as a root. A relative name is resolved against the working directory.
// Each element of protect is a slash path below the folder that must not be written (a file or a folder), or
// "*" and a suffix of such file names; they add to those of [ProtectedNames]. The root directory of the file system
// is refused.
func Open(dir string, protect ...string) (*Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, withoutPath(err))
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, withoutPath(err)), root.Close())
	}
	if top, err := os.Stat("/"); err == nil && os.SameFile(top, info) {
		return nil, errors.Join(fmt.Errorf("%s: the whole file system cannot be a root", dir), root.Close())
	}
	r := &Root{root: root, device: deviceID(info)}
	for _, p := range protect {
		r.protected = append(r.protected, Fold(path.Clean(p)))
	}
	return r, nil
}

// AllowDotted allows writes at or below these names, each with a leading dot. All other such names stay
// protected, as do those of [ProtectedNames]. It must be called before the first write.
func (r *Root) AllowDotted(names ...string) {
	for _, name := range names {
		r.dotted = append(r.dotted, Fold(name))
	}
}

// Close closes the root and ends access to its files.
func (r *Root) Close() error { return r.root.Close() }

// Read returns the content of a file of at most max bytes. Its error is a *[PathError].
func (r *Root) Read(path string, max int64) ([]byte, error) {
	return retryIfReplaced(func() ([]byte, error) { return r.read(path, max) })
}

// ReadResolved is [Root.Read] for a path returned by [Root.Resolve], which contains no link. If a component
// has become a link since, the error's kind is [Changed].
func (r *Root) ReadResolved(path string, max int64) ([]byte, error) {
	return retryIfReplaced(func() ([]byte, error) { return r.readResolved(path, max) })
}

// retryIfReplaced retries a read if the file was replaced while it was opened, a bounded number of times.
func retryIfReplaced[T any](read func() (T, error)) (T, error) {
	content, err := read()
	for range 100 {
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
	if len(r.guards) > 0 { // guards also apply to the resolved path
		leads, err := r.resolve(path, r.VerifyGuards)
		if err != nil {
			return nil, err
		}
		return r.readResolved(leads, max)
	}
	// Without O_NONBLOCK, opening a named pipe blocks until it has a writer.
	f, err := r.root.OpenFile(clean, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, newPathError(path, err)
	}
	defer f.Close()
	named, err := r.root.Stat(clean)
	if err != nil {
		return nil, newPathError(path, err)
	}
	if err := r.checkOpened(path, f, named); err != nil {
		return nil, err
	}
	return readLimited(path, f, max)
}

func (r *Root) readResolved(path string, max int64) ([]byte, error) {
	f, err := r.openNoFollow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(path, f, max)
}

// openNoFollow opens a file for reading without following links.
func (r *Root) openNoFollow(path string) (_ *os.File, err error) {
	clean, err := Clean(path)
	if err != nil {
		return nil, err
	}
	if err := r.VerifyGuards(clean); err != nil {
		return nil, err
	}
	names := strings.Split(clean, "/")
	last := len(names) - 1
	dir, err := r.openParent(path, names[:last], false)
	if err != nil {
		return nil, linkToChangedError(path, err)
	}
	defer dir.Close()
	f, err := dir.OpenFile(names[last], os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, newPathError(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	named, err := dir.Lstat(names[last])
	if err != nil {
		return nil, newPathError(path, err)
	}
	return f, r.checkOpened(path, f, named)
}

const resolvesElsewhere = "it resolves to a different file than a moment ago"

// linkToChangedError converts the error for a folder that has become a link.
func linkToChangedError(path string, err error) error {
	var refused *PathError
	if errors.As(err, &refused) && refused.Reason == throughLink {
		return newChangedError(path, resolvesElsewhere)
	}
	return err
}

// checkOpened refuses an open file that path no longer names, or that must not be read. The link count comes from
// named: that of an open file drops to one when the name is removed, and the remaining link may be outside.
func (r *Root) checkOpened(path string, f *os.File, named fs.FileInfo) error {
	opened, err := f.Stat()
	if err != nil {
		return newPathError(path, err)
	}
	if !os.SameFile(named, opened) {
		return newChangedError(path, resolvesElsewhere)
	}
	return r.checkFile(path, named)
}

// readLimited returns the content of an open file.
func readLimited(path string, f *os.File, max int64) ([]byte, error) {
	// The file size is no bound: the file may grow during the read.
	content, err := io.ReadAll(io.LimitReader(f, min(max, math.MaxInt64-1)+1))
	if err != nil {
		return nil, newPathError(path, err)
	}
	if int64(len(content)) > max {
		return nil, &PathError{Kind: TooLarge, Path: path, Reason: fmt.Sprintf("it is larger than %d bytes", max)}
	}
	return content, nil
}

// checkFile refuses everything except regular files with one hard link on the root's device. A second
// link may be outside the root, which no check of names can detect.
func (r *Root) checkFile(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &PathError{Kind: NotRegular, Path: path, Reason: "it is a folder"}
	case !info.Mode().IsRegular():
		return &PathError{Kind: NotRegular, Path: path, Reason: "it is not a regular file"}
	case linkCount(info) == 0:
		return newChangedError(path, "it is being replaced")
	case linkCount(info) != 1:
		return &PathError{Kind: Refused, Path: path, Reason: "the file has several hard links"}
	case deviceID(info) != r.device:
		return &PathError{Kind: Refused, Path: path, Reason: "it is on a different file system than the root"}
	}
	return nil
}

// deviceID returns the ID of the file system that a file is on.
func deviceID(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Dev)
}

// linkCount returns the number of hard links of a file.
func linkCount(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Nlink)
}
