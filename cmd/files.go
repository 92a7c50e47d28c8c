package cmd

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"slices"
)

// A file is one that the command line names, read whole; stdin is "-".
type file struct {
	name string
	text []byte
}

// source returns the text for excerpts.
func (f file) source() map[string][]byte { return map[string][]byte{f.name: f.text} }

// checkNames refuses arguments that do not name files to read. The hint says what
// to type when there are none.
func checkNames(hint string, args []string) error {
	if len(args) == 0 {
		return usagef(hint, "a FILE is missing")
	}
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return usagef("", "stdin can be named once only")
	}
	return nil
}

// readFiles reads the files of those names. Nothing is printed before all of
// them could be read.
func readFiles(ctx context.Context, env Env, args []string) ([]file, error) {
	files := make([]file, len(args))
	for i, name := range args {
		text, err := readNamed(ctx, env, name)
		if err != nil {
			return nil, err
		}
		files[i] = file{name, text}
	}
	return files, nil
}

// readNamed reads a file, or stdin for "-". What is compressed by gzip, as a server
// may send it, is read as what it holds.
func readNamed(ctx context.Context, env Env, name string) ([]byte, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = readStdin(ctx, env)
	} else {
		text, err = readFile(name)
	}
	if err != nil || !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, &inputError{fmt.Errorf("read %s: %w", name, err)}
	}
	return readAll(unzipped, name)
}
