package fileroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A Kind is the reason why a path could not be used.
type Kind string

// The kinds of path errors.
const (
	NotFound   Kind = "not found"
	Refused    Kind = "refused"     // never read or written
	NotRegular Kind = "not regular" // a folder, pipe, socket or device
	TooLarge   Kind = "too large"
	Changed    Kind = "changed"  // violates a [Precondition], or was replaced meanwhile
	Replaced   Kind = "replaced" // written, but may not be durable
	Failed     Kind = "failed"   // error of the file system
)

// A PathError reports that a file could not be read or written. Its text never reveals where the root is.
type PathError struct {
	Kind   Kind
	Path   string // as given by the caller
	Reason string
}

func (e *PathError) Error() string { return fmt.Sprintf("%q: %s", e.Path, e.Reason) }

const notFolder = "a part of the path is not a folder"

// newPathError converts an error of package os.
func newPathError(path string, err error) *PathError {
	e := &PathError{Kind: Failed, Path: path, Reason: withoutPath(err).Error()}
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Kind, e.Reason = NotFound, "there is no such file"
	case errors.Is(err, syscall.ENOTDIR):
		e.Kind, e.Reason = NotFound, notFolder
	case errors.Is(err, syscall.ELOOP):
		e.Kind, e.Reason = Refused, "it goes through too many links"
	case errors.Is(err, syscall.EISDIR):
		e.Kind, e.Reason = NotRegular, "it is a folder"
	case errors.Is(err, syscall.ENXIO):
		e.Kind, e.Reason = NotRegular, "it is not a regular file"
	case errors.Is(err, fs.ErrClosed):
	case !errors.As(err, &errno):
		// os.Root itself reports only one error: a link leads outside.
		e.Kind, e.Reason = Refused, "it resolves to a path outside the root"
	}
	return e
}

// withoutPath strips the file names from an error of package os.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
