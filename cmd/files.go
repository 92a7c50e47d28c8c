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

// A file is one that the command line names, read whole, unless it is a large record; stdin is "-".
type file struct {
	name    string
	text    []byte
	isLarge bool // a run file that is read record by record, see [isLargeRecord]
}

// checkNames refuses arguments that do not name files to read. The hint says what
// to type when there are none.
func checkNames(hint string, args []string) error {
	if len(args) == 0 {
		return usagef(hint, "missing FILE")
	}
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return usagef("", "stdin can be named only once")
	}
	return nil
}

// readFiles reads the files of those names. What cannot be read is no reason not to read
// the others: the error of those is an [inputError], and files are what could be read. Those of which isLarge says so
// are not read.
func readFiles(ctx context.Context, env Env, t *console, names []string, isLarge func(name string) (bool, error)) (files []file, err error) {
	var unread []error
	for _, name := range names {
		f := file{name: name}
		if f.isLarge, err = isLarge(name); err == nil && !f.isLarge {
			f.text, err = readNamed(ctx, env, name)
		}
		switch isInput := errors.As(err, new(*inputError)); {
		case isInput:
			unread = append(unread, err)
		case err != nil:
			return nil, err
		default:
			files = append(files, f)
		}
	}
	if len(unread) < 2 {
		return files, errors.Join(unread...)
	}
	for _, err := range unread {
		t.note("%v", err)
	}
	return files, &inputError{fmt.Errorf("%d of %d files cannot be read", len(unread), len(names))}
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

// displayName is the name of a file for people.
func displayName(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// gzipMagic is what a file begins with that gzip has compressed.
const gzipMagic = "\x1f\x8b"

// openNamed opens a file, or stdin for "-". What is compressed by gzip, as a server may
// checkSecrets it, is read as what it holds.
func openNamed(env Env, name string) (io.ReadCloser, error) {
	f := io.NopCloser(env.Stdin)
	if name != "-" {
		var err error
		if f, err = openFile(name); err != nil {
			return nil, err
		}
	}
	src := bufio.NewReader(f)
	begin, _ := src.Peek(2) // an error comes again
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

// isGzip reports whether a file that begins so is compressed by gzip.
func isGzip(begin []byte) bool { return bytes.HasPrefix(begin, []byte("\x1f\x8b")) }

// wrappedFile is a file that is read through something else.
type wrappedFile struct {
	io.Reader
	io.Closer
}

// checkFiles refuses names of files that cannot be read, as far as can be seen without
// reading them; the largest that can be read has so many bytes.
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
		return nil // to open a pipe would be to wait for who writes it
	case err == nil && info.Size() > most:
		return largeInput(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return &inputError{err}
	}
	return f.Close()
}

// wholeRecord is the largest run file that is read whole, in bytes.
const wholeRecord = 4 << 20

// isLargeRecord reports whether the file of a name is a run file that is read record by record; isRun says that it is a
// run file, whatever it begins with. A pipe, and what is compressed, is read whole.
func isLargeRecord(name string, isRun bool) (bool, error) {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.Mode().IsRegular() || info.Size() <= wholeRecord {
		return false, nil // an error comes again
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
	isZipped := string(head[:2]) == gzipMagic
	return isRun && !isZipped || lint.IsRunFile(head[:n]), nil
}
