package fileroot

import (
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// WorkingDir opens a folder below the root as the working directory of a program; "." is the root. It follows
// links that stay inside the root and on its file system. Its error is a *[PathError]. The caller closes the
// folder.
func (r *Root) WorkingDir(name string) (*os.File, error) {
	clean := path.Clean(name)
	if clean != "." {
		var err error
		if clean, err = Clean(clean); err != nil {
			return nil, err
		}
	}
	if len(r.guards) > 0 && clean != "." {
		var err error
		if clean, err = r.resolve(clean, r.VerifyGuards); err != nil {
			return nil, err
		}
	}
	f, err := r.root.OpenFile(clean, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, newPathError(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = newPathError(name, err)
	case !info.IsDir():
		err = &PathError{Kind: NotRegular, Path: name, Reason: "it is not a folder"}
	case deviceID(info) != r.device:
		err = &PathError{Kind: Refused, Path: name, Reason: "it is on a different file system than the root"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
