package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/failpoint"
)

// writeOutput writes a document as write does. The error names the file.
func (t *outputFile) writeOutput(doc []byte) error {
	return t.writeError(t.write(doc))
}

// writeError returns the error for a failed write, nil for none. It names the file.
func (t *outputFile) writeError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the path may be that of the temporary file
	}
	if err != nil {
		return &outputError{fmt.Errorf("%s: %w", t.path, err)}
	}
	return nil
}

// An outputFile is the target of a flag such as -o. A document replaces a regular file atomically; other files are
// written directly.
type outputFile struct {
	path   string // with symbolic links followed
	direct bool   // a device, a pipe or an open file
}

// resolveOutputFile checks the file that a flag names and its directory. It opens nothing.
func resolveOutputFile(flag, name string) (*outputFile, error) {
	if err := checkStickyLinks(name); err != nil {
		return nil, usagef("name the file itself", "%s: %w", flag, err)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("name a file inside it", "%s: %s is a directory", flag, name)
	case err == nil && (!info.Mode().IsRegular() || isDescriptor(name)):
		return &outputFile{name, true}, checkWritable(name)
	}
	if _, err := os.Lstat(name); err == nil { // replace the target of a link, not the link
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, usagef("", "%s: %v", flag, err)
		}
	}
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usagef("create it first", "%s: no such directory: %s", flag, dir)
	}
	return &outputFile{path: name}, checkWritable(dir)
}

// isDescriptor reports whether a path names an open descriptor of this process.
func isDescriptor(name string) bool {
	dir := filepath.Dir(filepath.Clean(name))
	return dir == "/dev/fd" || dir == "/proc/self/fd" || filepath.Clean(name) == "/dev/stderr"
}

// checkWritable refuses a path that is not writable, before the run produces its answer.
func checkWritable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &outputError{fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}

// write replaces the file with a document, durably. If it fails, the file is unchanged and no temporary file remains.
func (t *outputFile) write(doc []byte) error {
	if t.direct {
		return t.writeDevice(doc)
	}
	return atomicfile.Replace(t.path, doc, newFileMode, "the file for -o")
}

// newFileMode are the permissions of a new file, before the umask.
const newFileMode = 0o666

// writeDevice writes a document to a device or a pipe.
func (t *outputFile) writeDevice(doc []byte) error {
	if err := checkStickyLinks(t.path); err != nil {
		return err
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = failpoint.Write("write to -o FILE", f, doc)
	return errors.Join(err, f.Close())
}
