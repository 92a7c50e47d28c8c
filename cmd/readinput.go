package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"oneshot/pkg/quote"
)

// maxInput is the largest file or stdin that is read whole, in bytes.
const maxInput = 64 << 20

// readFile reads a file that the command line names.
func readFile(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path)
}

// openFile opens a file for reading. It refuses named pipes, whose open may block forever, but accepts descriptors such
// as those of process substitution.
func openFile(name string) (*os.File, error) {
	info, err := os.Stat(name)
	isOpen := isDescriptor(name) || isStdin(name)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !isOpen {
		return nil, &hintedError{&inputError{fmt.Errorf("%s is a named pipe, which may never get a writer", name)}, "in bash, use <(cat " + quote.Shell(name) + ") instead"}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &inputError{err}
	}
	return f, nil
}

// readFlag reads the file that a flag names.
func readFlag(flag, path string) ([]byte, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return data, nil
}

// readStdin reads stdin to its end, or until ctx ends.
func readStdin(ctx context.Context, env Env) ([]byte, error) {
	return interruptible(ctx, "-", func() ([]byte, error) { return readAll(env.Stdin, "stdin") })
}

// interruptible reads a file of that name until ctx ends, and then abandons a blocked read.
func interruptible[T any](ctx context.Context, name string, read func() (T, error)) (data T, err error) {
	type outcome struct {
		data T
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		data, err := read()
		done <- outcome{data, err}
	}()
	select {
	case o := <-done:
		return o.data, o.err
	case <-ctx.Done():
		return data, fmt.Errorf("reading %s: %w", displayName(name), context.Cause(ctx))
	}
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := readAtMost(r, name, maxInput+1)
	if len(data) > maxInput {
		return nil, largeInput(name)
	}
	return data, err
}

// readAtMost reads a file of that name, but not more than most bytes.
func readAtMost(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil, readError(name, err)
	}
	return data, nil
}

// readError returns the error for a file that could not be read, or nil.
func readError(name string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) { // it also names the file
		err = of.Err
	}
	if err == nil {
		return nil
	}
	return &inputError{fmt.Errorf("read %s: %w", displayName(name), err)}
}

func largeInput(name string) error {
	return &inputError{fmt.Errorf("%s is larger than %d MiB", displayName(name), maxInput>>20)}
}
