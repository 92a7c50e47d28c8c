package cmd

import (
	"context"
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

// readNamed reads a file, or stdin for "-".
func readNamed(ctx context.Context, env Env, name string) ([]byte, error) {
	if name == "-" {
		return readStdin(ctx, env)
	}
	return readFile(name)
}
