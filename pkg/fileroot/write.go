package fileroot

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Write writes the content of a file and creates its parent folders. At every moment, even after a power
// cut, the file has its old or its new content; when Write returns, the new content is on disk. Its error
// is a *[PathError].
//
// If the file does not meet want, nothing changes and the error's kind is [Changed]. Of several writes with
// the same precondition, through any roots and processes, one succeeds. Other programs are excluded only as
// far as the file system allows: a file that another program creates is not replaced if want is [Missing],
// but a change in the microseconds between the last check and the replacement is lost.
func (r *Root) Write(path string, content []byte, want Precondition) error {
	clean, err := Clean(path)
	if err != nil {
		return err
	}
	if err := r.VerifyGuards(clean); err != nil {
		return err
	}
	if why := r.protectedReason(clean); why != "" {
		return &PathError{Kind: Refused, Path: path, Reason: why}
	}
	names := strings.Split(clean, "/")
	last := len(names) - 1
	dir, err := r.openParent(path, names[:last], !want.isDigest())
	if err != nil {
		return want.convertNotFound(path, err)
	}
	defer dir.Close()
	old, err := r.statFileToReplace(path, dir, names[last])
	if err != nil {
		return err
	}
	return r.replace(path, location{dir, names[last]}, content, old, want)
}

// replace writes a temporary file and renames it to the target if the precondition holds.
func (r *Root) replace(path string, at location, content []byte, old fs.FileInfo, want Precondition) error {
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = limitGroup(old.Mode().Perm()) // until copyOwnerAndMode sets the group
	}
	d, err := newTempFile(at, mode)
	if errors.Is(err, errBusy) {
		return &PathError{Kind: Changed, Path: path, Reason: "it is being written by another run"}
	}
	if err != nil {
		return newPathError(path, err)
	}
	defer d.discard()
	if old != nil {
		switch err := d.copyOwnerAndMode(old); {
		case errors.Is(err, errBusy), errors.Is(err, fs.ErrNotExist):
			return &PathError{Kind: Changed, Path: path, Reason: "it is being replaced by another program"}
		case err != nil:
			return newPathError(path, err)
		}
	}
	if err := d.write(content); err != nil {
		return newPathError(path, err)
	}
	if err := r.checkPrecondition(path, at, want); err != nil {
		return err
	}
	err = d.commit(want == Missing)
	switch {
	case errors.Is(err, errNotDurable):
		return &PathError{Kind: Replaced, Path: path, Reason: err.Error()}
	case errors.Is(err, fs.ErrExist):
		return newChangedError(path, alreadyThere)
	case err != nil:
		return newPathError(path, err)
	}
	return nil
}

// openParent opens the folder with these components, none of which may be a link. With create it
// creates missing ones. The path is for errors.
func (r *Root) openParent(path string, names []string, create bool) (*os.Root, error) {
	dir, err := r.root.OpenRoot(".")
	if err != nil {
		return nil, newPathError(path, err)
	}
	for _, name := range names {
		next, err := r.openDirAt(path, dir, name, create)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// openDirAt opens a folder in dir. With create it creates a missing one.
func (r *Root) openDirAt(path string, dir *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := makeFolder(dir, name); err != nil {
			return nil, newPathError(path, err)
		}
	}
	named, err := dir.Lstat(name)
	if err != nil {
		return nil, newPathError(path, err)
	}
	if err := r.checkFolder(path, named); err != nil {
		return nil, err
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, newPathError(path, err)
	}
	// OpenRoot follows links, and the folder may have been replaced by one.
	opened, err := next.Stat(".")
	if err == nil && os.SameFile(named, opened) {
		return next, nil
	}
	next.Close()
	return nil, &PathError{Kind: Refused, Path: path, Reason: throughLink}
}

// makeFolder creates a folder durably, if the name is unused.
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

// throughLink refuses writes through links, even inside the root: a rule about a name would not apply
// to the target of the link.
const throughLink = "nothing is written through a link"

// checkFolder refuses everything except folders on the root's file system.
func (r *Root) checkFolder(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		return &PathError{Kind: Refused, Path: path, Reason: throughLink}
	case !info.IsDir():
		return &PathError{Kind: NotFound, Path: path, Reason: notFolder}
	case deviceID(info) != r.device:
		return &PathError{Kind: Refused, Path: path, Reason: "it is on a different file system than the root"}
	}
	return nil
}

// statFileToReplace returns the file to be replaced, or nil for a new file.
func (r *Root) statFileToReplace(path string, dir *os.Root, name string) (fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, newPathError(path, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, &PathError{Kind: Refused, Path: path, Reason: throughLink}
	case info.Mode().Perm()&0o200 == 0:
		return nil, &PathError{Kind: Refused, Path: path, Reason: "the file is read-only"}
	}
	return info, r.checkFile(path, info)
}
