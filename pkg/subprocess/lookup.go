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

// usual is where programs are looked up when nothing else is said.
var usual = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// Folders returns the folders in which bare names are looked up.
func (c *Confinement) Folders() []string {
	if c.Path == nil {
		return usual
	}
	return c.Path
}

func refusedf(format string, args ...any) *StartError {
	return &StartError{Kind: Refused, Err: fmt.Errorf(format, args...)}
}

var errTooLong = errors.New("its words are longer than the system takes")

// long reports what is more than Linux ever takes: 6 MiB, with a pointer for each word.
func long(words []string) bool {
	size := 0
	for _, w := range words {
		size += len(w) + 1 + 8
	}
	return size > 6<<20
}

// errNotFound is why a name leads to no program.
var errNotFound = errors.New("no such program")

// find returns the file of a command, if it can be run. The working directory is never looked into.
func (c *Confinement) find(cmd Command) (string, error) {
	if cmd.Dir == nil {
		return "", refusedf("there is no folder to run it in")
	}
	if long(cmd.Env) {
		return "", &StartError{Kind: TooLong, Err: errTooLong}
	}
	return c.Find(cmd.Argv)
}

// Find returns the file of a program that words name. The error, a *[StartError], says why it cannot be run.
func (c *Confinement) Find(argv []string) (string, error) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		return "", refusedf("there is no program to run")
	case slices.ContainsFunc(argv, func(w string) bool { return strings.ContainsRune(w, 0) }):
		return "", refusedf("a word with a NUL character cannot be passed to a program")
	case long(argv):
		return "", &StartError{Kind: TooLong, Err: errTooLong}
	case filepath.IsAbs(argv[0]):
		return argv[0], executable(argv[0])
	case strings.Contains(argv[0], "/"), argv[0] == ".", argv[0] == "..":
		return "", refusedf("the program is a relative path; name it by an absolute path, or by a name that is looked up")
	}
	return c.search(argv[0])
}

// search looks a name up.
func (c *Confinement) search(name string) (string, error) {
	for _, dir := range c.Folders() {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(dir) && executable(path) == nil {
			return path, nil
		}
	}
	return "", &StartError{Kind: NotFound, Err: fmt.Errorf("%w in %s", errNotFound, strings.Join(c.Folders(), ":"))}
}

// executable says why a file cannot be run, or nil.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return &StartError{Kind: NotFound, Err: errNotFound}
	case err != nil:
		return refusedf("%w", errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return refusedf("it is no file")
	case unix.Access(path, unix.X_OK) != nil:
		return refusedf("it is not executable")
	}
	return nil
}
