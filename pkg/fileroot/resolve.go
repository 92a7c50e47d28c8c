package fileroot

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// mostLinks is how many links a path may lead through.
const mostLinks = 40

// Resolve returns where a path leads when the links in it are followed, as a clean path below
// the root. From a part on that is not there it leads where it says. A path that leads out
// of the root is a *[PathError].
//
// It says what a rule about files is held against. What is at that path may be another one a
// moment later; that nothing outside is reached then, too, is the business of [Root.Read]
// and [Root.Write].
func (r *Root) Resolve(name string) (string, error) {
	return r.resolve(name, func(string) error { return nil })
}

// resolve calls visit with the path as it is written, each step on the way, and where it leads. It ends with the
// first error of visit.
func (r *Root) resolve(name string, visit func(path string) error) (string, error) {
	clean, err := Clean(name)
	if err != nil {
		return "", err
	}
	if err := visit(clean); err != nil {
		return "", err
	}
	outside := &PathError{Kind: Refused, Path: name, Reason: "it leads out of the root"}
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
			leads, err := r.rest(next, left, outside)
			if err == nil {
				err = visit(leads)
			}
			return leads, err
		case err != nil:
			return "", failure(name, err)
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		to, err := r.root.Readlink(next)
		if err != nil {
			return "", failure(name, err)
		}
		if links++; links > mostLinks || path.IsAbs(to) {
			return "", outside
		}
		left = slices.Concat(strings.Split(to, "/"), left)
	}
	return at, nil
}

// rest returns where parts lead of which the first is not there.
func (r *Root) rest(at string, left []string, outside error) (string, error) {
	joined := path.Join(append([]string{at}, left...)...)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return "", outside
	}
	return joined, nil
}
