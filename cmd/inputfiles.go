package cmd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"oneshot/pkg/lint"
)

// A file is an input of the command line, read whole unless it is a large run file; stdin is "-".
type file struct {
	name    string
	text    []byte
	isLarge bool // a run file to read record by record, see [isLargeRunFile]
}

// checkFileArgs refuses missing file arguments, with this hint, and stdin given twice.
func checkFileArgs(hint string, args []string) error {
	if len(args) == 0 {
		return usagef(hint, "missing FILE")
	}
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return usagef("", "stdin can be named only once")
	}
	return nil
}

// readFiles reads the named files, except large ones, and passes each readable one to use before it reads the next. It returns
// an [inputError] about the others as unread, and any other error as err.
func readFiles(ctx context.Context, env Env, t *console, names []string, isLarge func(name string) (bool, error), use func(file) error) (unread, err error) {
	var all []error
	for _, name := range names {
		f := file{name: name}
		if f.isLarge, err = isLarge(name); err == nil && !f.isLarge {
			f.text, err = readNamed(ctx, env, name)
		}
		switch isInput := errors.As(err, new(*inputError)); {
		case isInput:
			all = append(all, err)
			continue
		case err == nil:
			err = use(f)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.joinFileErrors(all, len(names), "cannot be read"), nil
}

// joinFileErrors returns the error of a command that failed for some of its files, nil without errors. It prints several
// errors as notes and returns their number.
func (t *console) joinFileErrors(all []error, files int, verb string) error {
	if len(all) < 2 {
		return errors.Join(all...)
	}
	for _, err := range all {
		t.note("%v", err)
	}
	sum := fmt.Errorf("%d of %d files %s", len(all), files, verb)
	if slices.ContainsFunc(all, as[*outputError]) {
		return &outputError{sum}
	}
	return &inputError{sum}
}

// readNamed reads a file whole, as [openNamed] does, or until ctx ends.
func readNamed(ctx context.Context, env Env, name string) ([]byte, error) {
	return interruptible(ctx, name, func() ([]byte, error) {
		f, err := openNamed(env, name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readAll(f, displayName(name))
	})
}

// openNamed opens a file, or stdin for "-". It decompresses gzip, which captured responses may use.
func openNamed(env Env, name string) (io.ReadCloser, error) {
	f := io.NopCloser(env.Stdin)
	if name != "-" {
		var err error
		if f, err = openFile(name); err != nil {
			return nil, err
		}
	}
	src := bufio.NewReader(f)
	begin, _ := src.Peek(2) // the next read returns the error
	if !isGzip(begin) {
		return wrappedFile{src, f}, nil
	}
	unzipped, err := gzip.NewReader(src)
	if err != nil {
		f.Close()
		return nil, readError(name, err)
	}
	return wrappedFile{unzipped, f}, nil
}

// isGzip reports whether the beginning of a file is that of a gzip file.
func isGzip(begin []byte) bool { return bytes.HasPrefix(begin, []byte("\x1f\x8b")) }

// wrappedFile reads a file through another reader.
type wrappedFile struct {
	io.Reader
	io.Closer
}

// checkFiles refuses files that are unreadable or larger than most bytes, without reading them.
func checkFiles(names []string, most int64) error {
	for _, name := range names {
		if err := checkFile(name, most); name != "-" && err != nil {
			return err
		}
	}
	return nil
}

func checkFile(name string, most int64) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return readError(name, syscall.EISDIR)
	case err == nil && !info.Mode().IsRegular():
		return nil // opening a pipe would block
	case err == nil && info.Size() > most:
		return largeInput(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return &inputError{err}
	}
	return f.Close()
}

// maxWholeRecord is the largest run file that is read whole, in bytes.
const maxWholeRecord = 4 << 20

// isLargeRunFile reports whether a file is a run file to read record by record; isRun forces the kind. Pipes and
// compressed files are read whole.
func isLargeRunFile(name string, isRun bool) (bool, error) {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.Mode().IsRegular() || info.Size() <= maxWholeRecord {
		return false, nil // the next read returns the error
	}
	f, err := os.Open(name)
	if err != nil {
		return false, &inputError{err}
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(f, head)
	if err != nil {
		return false, readError(name, err)
	}
	return isRun && !isGzip(head) || lint.IsRunFile(head[:n]), nil
}
