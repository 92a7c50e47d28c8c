package fileroot

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxLinks is the maximum number of links in a path.
const maxLinks = 40

// Resolve follows the links in a path and returns the resolved path, clean and below the root. From the
// first missing component on, the path is returned as written. A path that leaves the root is a *[PathError].
//
// Rules about files apply to the result. The file may change afterwards; [Root.Read] and [Root.Write]
// still guarantee that nothing outside the root is reached.
func (r *Root) Resolve(name string) (string, error) {
	return r.resolve(name, func(string) error { return nil })
}

// resolve calls visit with the path as written, each step of the resolution, and the resolved path. It stops at the
// first error of visit.
func (r *Root) resolve(name string, visit func(path string) error) (string, error) {
	clean, err := Clean(name)
	if err != nil {
		return "", err
	}
	if err := visit(clean); err != nil {
		return "", err
	}
	outside := &PathError{Kind: Refused, Path: name, Reason: "it resolves to a path outside the root"}
	at, left, links := ".", strings.Split(clean, "/"), 0
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && at == ".":
			return "", outside
		case part == "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		if err := visit(next); err != nil {
			return "", err
		}
		info, err := r.root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			leads, err := r.resolveMissing(next, left, outside)
			if err == nil {
				err = visit(leads)
			}
			return leads, err
		case err != nil:
			return "", newPathError(name, err)
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		to, err := r.root.Readlink(next)
		if err != nil {
			return "", newPathError(name, err)
		}
		if links++; links > maxLinks || path.IsAbs(to) {
			return "", outside
		}
		left = slices.Concat(strings.Split(to, "/"), left)
	}
	return at, nil
}

// resolveMissing resolves a path whose component at does not exist.
func (r *Root) resolveMissing(at string, left []string, outside error) (string, error) {
	joined := path.Join(append([]string{at}, left...)...)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return "", outside
	}
	return joined, nil
}
