package fileroot

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Write makes content the content of a file, creating the folders above it. The
// file has its old or its new content at every moment, also after a power cut;
// when Write returns, the new content is on disk. Its error is a *[PathError].
//
// If what is there is not what want says, nothing is changed and the error's kind is
// [Changed]. Of several writes that want the same, through whatever roots and processes,
// one succeeds. What does not write through a vault is kept out as far as a file system
// can: a file that another program makes is not replaced where none is wanted, but what it
// does to one between the last look at the content and the moment at which it is replaced,
// some microseconds, is lost.
func (r *Root) Write(path string, content []byte, want Precondition) error {
	clean, err := Clean(path)
	if err != nil {
		return err
	}
	if err := r.Denied(clean); err != nil {
		return err
	}
	if why := r.protection(clean); why != "" {
		return &PathError{Kind: Refused, Path: path, Reason: why}
	}
	names := strings.Split(clean, "/")
	last := len(names) - 1
	dir, err := r.folder(path, names[:last], !want.isDigest())
	if err != nil {
		return want.unmet(path, err)
	}
	defer dir.Close()
	old, err := r.target(path, dir, names[last])
	if err != nil {
		return err
	}
	return r.replace(path, place{dir, names[last]}, content, old, want)
}

// replace writes a new file and gives it the name of the old one, if that is what is wanted.
func (r *Root) replace(path string, at place, content []byte, old fs.FileInfo, want Precondition) error {
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = ungrouped(old.Mode().Perm()) // until it has the group
	}
	d, err := newDraft(at, mode)
	if errors.Is(err, errBusy) {
		return &PathError{Kind: Changed, Path: path, Reason: "it is being written by another run"}
	}
	if err != nil {
		return failure(path, err)
	}
	defer d.discard()
	if old != nil {
		if err := d.adopt(old); err != nil {
			return failure(path, err)
		}
	}
	if err := d.fill(content); err != nil {
		return failure(path, err)
	}
	if err := r.holds(path, at, want); err != nil {
		return err
	}
	err = d.keep(want == Missing)
	switch {
	case errors.Is(err, errReplaced):
		return &PathError{Kind: Replaced, Path: path, Reason: err.Error()}
	case errors.Is(err, fs.ErrExist):
		return changed(path, alreadyThere)
	case err != nil:
		return failure(path, err)
	}
	return nil
}

// folder opens the folder with these components, none of which may be a link,
// and makes those that are missing if it is told to. The path is for errors.
func (r *Root) folder(path string, names []string, missing bool) (*os.Root, error) {
	dir, err := r.root.OpenRoot(".")
	if err != nil {
		return nil, failure(path, err)
	}
	for _, name := range names {
		next, err := r.descend(path, dir, name, missing)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// descend opens a folder in dir, which it makes if it is missing and may be made.
func (r *Root) descend(path string, dir *os.Root, name string, missing bool) (*os.Root, error) {
	if missing {
		if err := makeFolder(dir, name); err != nil {
			return nil, failure(path, err)
		}
	}
	named, err := dir.Lstat(name)
	if err != nil {
		return nil, failure(path, err)
	}
	if err := r.checkFolder(path, named); err != nil {
		return nil, err
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, failure(path, err)
	}
	// OpenRoot follows links, and may have found one where the folder was.
	opened, err := next.Stat(".")
	if err == nil && os.SameFile(named, opened) {
		return next, nil
	}
	next.Close()
	return nil, &PathError{Kind: Refused, Path: path, Reason: throughLink}
}

// makeFolder makes a folder, if nothing has its name, durably.
func makeFolder(dir *os.Root, name string) error {
	err := dir.Mkdir(name, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

// throughLink is why nothing is written through a link, not even one that stays
// inside: a rule about a name would not hold for what it leads to.
const throughLink = "nothing is written through a link"

// checkFolder refuses what is not a folder on the root's file system.
func (r *Root) checkFolder(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		return &PathError{Kind: Refused, Path: path, Reason: throughLink}
	case !info.IsDir():
		return &PathError{Kind: NotFound, Path: path, Reason: notFolder}
	case device(info) != r.device:
		return &PathError{Kind: Refused, Path: path, Reason: "it is on another file system than the root"}
	}
	return nil
}

// target looks at what stands where a file is to be written, and returns it, or nil.
func (r *Root) target(path string, dir *os.Root, name string) (fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, failure(path, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, &PathError{Kind: Refused, Path: path, Reason: throughLink}
	case info.Mode().Perm()&0o200 == 0:
		return nil, &PathError{Kind: Refused, Path: path, Reason: "the file is read-only"}
	}
	return info, r.check(path, info)
}
