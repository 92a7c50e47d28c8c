package subprocess

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath are the folders for the lookup of programs if none are configured.
var defaultPath = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// SearchPath returns the folders for the lookup of bare names.
func (c *Confinement) SearchPath() []string {
	if c.Path == nil {
		return defaultPath
	}
	return c.Path
}

func refusedf(format string, args ...any) *StartError {
	return &StartError{Kind: Refused, Err: fmt.Errorf(format, args...)}
}

var errTooLong = errors.New("its arguments exceed the system limit")

// exceedsArgMax reports whether strings exceed Linux's absolute limit: 6 MiB, including a pointer per string.
func exceedsArgMax(words []string) bool {
	size := 0
	for _, w := range words {
		size += len(w) + 1 + 8
	}
	return size > 6<<20
}

var errNotFound = errors.New("no such program")

// findExecutable returns the executable of a command. It never searches the working directory.
func (c *Confinement) findExecutable(cmd Command) (string, error) {
	if cmd.Dir == nil {
		return "", refusedf("no working directory")
	}
	if exceedsArgMax(cmd.Env) {
		return "", &StartError{Kind: TooLong, Err: errTooLong}
	}
	return c.Find(cmd.Argv)
}

// Find returns the executable that argv names. The error is a *[StartError] if it cannot be run.
func (c *Confinement) Find(argv []string) (string, error) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		return "", refusedf("no program to run")
	case slices.ContainsFunc(argv, func(w string) bool { return strings.ContainsRune(w, 0) }):
		return "", refusedf("an argument contains a NUL character")
	case exceedsArgMax(argv):
		return "", &StartError{Kind: TooLong, Err: errTooLong}
	case filepath.IsAbs(argv[0]):
		return argv[0], checkExecutable(argv[0])
	case strings.Contains(argv[0], "/"), argv[0] == ".", argv[0] == "..":
		return "", refusedf("the program is a relative path; use an absolute path or a bare name")
	}
	return c.searchFolders(argv[0])
}

// searchFolders looks up a bare name.
func (c *Confinement) searchFolders(name string) (string, error) {
	for _, dir := range c.SearchPath() {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(dir) && checkExecutable(path) == nil {
			return path, nil
		}
	}
	return "", &StartError{Kind: NotFound, Err: fmt.Errorf("%w in %s", errNotFound, strings.Join(c.SearchPath(), ":"))}
}

// checkExecutable returns an error if a file cannot be run.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return &StartError{Kind: NotFound, Err: errNotFound}
	case err != nil:
		return refusedf("%w", errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return refusedf("it is not a regular file")
	case unix.Access(path, unix.X_OK) != nil:
		return refusedf("it is not executable")
	}
	return nil
}
