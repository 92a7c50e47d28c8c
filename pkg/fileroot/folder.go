package fileroot

import (
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// Folder opens a folder below the root, for a program to run in; "." is the root. Links in its
// path are followed and do not lead outside, and neither does another file system. Its error
// is a *[PathError]; who gets the folder closes it.
func (r *Root) Folder(name string) (*os.File, error) {
	clean := path.Clean(name)
	if clean != "." {
		var err error
		if clean, err = Clean(clean); err != nil {
			return nil, err
		}
	}
	if len(r.guards) > 0 && clean != "." {
		var err error
		if clean, err = r.resolve(clean, r.Denied); err != nil {
			return nil, err
		}
	}
	f, err := r.root.OpenFile(clean, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, failure(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = failure(name, err)
	case !info.IsDir():
		err = &PathError{Kind: NotRegular, Path: name, Reason: "it is not a folder"}
	case device(info) != r.device:
		err = &PathError{Kind: Refused, Path: name, Reason: "it is on another file system than the root"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
