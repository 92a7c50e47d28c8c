package vault

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Write makes content the content of a file, creating the folders above it. The
// file has its old or its new content at every moment, also after a power cut;
// when Write returns, the new content is on disk. Its error is a *[PathError].
func (r *Root) Write(path string, content []byte) error {
	clean, err := Clean(path)
	if err != nil {
		return err
	}
	if r.isProtected(clean) {
		return &PathError{Kind: Refused, Path: path, Reason: "files of this name steer other programs and are never written"}
	}
	names := strings.Split(clean, "/")
	last := len(names) - 1
	dir, err := r.folder(path, names[:last])
	if err != nil {
		return err
	}
	defer dir.Close()
	mode, err := r.target(path, dir, names[last])
	if err != nil {
		return err
	}
	if err := replace(dir, names[last], content, mode); err != nil {
		return failure(path, err)
	}
	return nil
}

// folder opens the folder with these components, none of which may be a link,
// and makes those that are missing. The path is for errors.
func (r *Root) folder(path string, names []string) (*os.Root, error) {
	dir, err := r.root.OpenRoot(".")
	if err != nil {
		return nil, failure(path, err)
	}
	for _, name := range names {
		next, err := r.descend(path, dir, name)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// descend opens a folder in dir, which it makes if it is missing.
func (r *Root) descend(path string, dir *os.Root, name string) (*os.Root, error) {
	err := dir.Mkdir(name, 0o755)
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, failure(path, err)
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

// target looks at what stands where a file is to be written, and returns the
// permissions for the new one.
func (r *Root) target(path string, dir *os.Root, name string) (fs.FileMode, error) {
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o644, nil
	case err != nil:
		return 0, failure(path, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return 0, &PathError{Kind: Refused, Path: path, Reason: throughLink}
	case info.Mode().Perm()&0o200 == 0:
		return 0, &PathError{Kind: Refused, Path: path, Reason: "the file is read-only"}
	}
	return info.Mode().Perm(), r.check(path, info)
}

// replace writes a new file beside the old one and gives it its name.
func replace(dir *os.Root, name string, content []byte, mode fs.FileMode) error {
	temp := ".oneshot-" + rand.Text() + ".tmp"
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	return syncDir(dir)
}

// syncDir makes the names in a folder durable.
func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
