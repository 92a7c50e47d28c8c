package cmd

import (
	"context"
	"io"
)

// A fixOutput takes the fixed text of one file.
type fixOutput interface {
	// add takes the next part of the file, and its fixed text.
	add(old, fixed []byte) error
	// finish ends the text, which has that many fixes.
	finish(fixes int) error
	// discard releases the output. Without a successful finish, no file is changed.
	discard()
}

// A textPrinter prints the fixed text.
type textPrinter struct {
	console *console
	out     bufferedOutput
}

func newTextPrinter(t *console) *textPrinter {
	return &textPrinter{t, bufferedOutput{w: t.out, most: bufferedBytes}}
}

func (p *textPrinter) add(_, fixed []byte) error {
	_, err := io.WriteString(&p.out, p.console.verbatim(fixed))
	return err
}

func (p *textPrinter) finish(int) error { return p.out.flush() }

func (p *textPrinter) discard() {}

// fixEach calls fix for each file and its number; a file that is named twice is fixed once. It returns an error about the
// files that cannot be read or written as failed, and any other error, which ends the loop, as err.
func fixEach(ctx context.Context, t *console, names []string, fix func(number int, name string) error) (failed, err error) {
	var all []error
	seen := map[string]bool{}
	for number, name := range names {
		path := name
		if name != "-" {
			path = realPath(name)
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		switch err := fix(number, name); {
		case err == nil:
		case t.out.err == nil && (as[*usageError](err) || as[*inputError](err) || as[*outputError](err)):
			all = append(all, err)
		default:
			return nil, err
		}
	}
	return t.joinFileErrors(all, len(names), "cannot be fixed"), nil
}
