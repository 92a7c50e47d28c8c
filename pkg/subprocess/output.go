package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostSaid is how much of what a program says on stderr is kept for an error.
const mostSaid = 1 << 10

// An Error says that a program failed that was asked something.
type Error struct {
	Path string
	Said string // the end of what it said on stderr
	Err  error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Path, e.Err, e.Said)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Output runs the program to its end with stdin and arguments, and returns what it prints.
// More than most bytes are an error, and so is another exit code than 0: a *[Error].
// When ctx ends, so does the program, and the error is ctx's cause.
func (p Program) Output(ctx context.Context, stdin io.Reader, most int, args ...string) ([]byte, error) {
	printed, said := &tail{most: most}, &tail{most: mostSaid}
	running, err := p.startWith(nil, streams{stdin, printed, said}, args...)
	if err != nil {
		return nil, &Error{Path: p.Path, Err: err}
	}
	err = running.Finish(ctx)
	if ctx.Err() != nil { // the program may still be there
		return nil, context.Cause(ctx)
	}
	if err == nil && printed.lost {
		err = fmt.Errorf("it printed more than %d bytes", most)
	}
	if err != nil {
		return nil, &Error{Path: p.Path, Said: strings.TrimSpace(said.kept.String()), Err: err}
	}
	return printed.kept.Bytes(), nil
}

// A tail keeps the last bytes that are written to it.
type tail struct {
	kept bytes.Buffer
	most int
	lost bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept.Write(b) // never fails
	if over := t.kept.Len() - t.most; over > 0 {
		t.kept.Next(over)
		t.lost = true
	}
	return len(b), nil
}

// errNoProgram is why nothing is run that was not named.
var errNoProgram = errors.New("no program is named")
