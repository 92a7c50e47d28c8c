package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxStderrTail is the number of bytes of stderr kept for an error.
const maxStderrTail = 1 << 10

// An Error reports that a program run by [Program.Output] failed.
type Error struct {
	Path   string
	Stderr string // end of its stderr
	Err    error
}

func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Path, e.Err, e.Stderr)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Output runs the program to its end with stdin and arguments and returns its stdout. More than most bytes and a nonzero
// exit code are errors: a *[Error]. If ctx ends, the program is stopped and the error is ctx's cause.
func (p Program) Output(ctx context.Context, stdin io.Reader, most int, args ...string) ([]byte, error) {
	printed, said := &tail{limit: most}, &tail{limit: maxStderrTail}
	running, err := p.startWith(nil, streams{stdin, printed, said}, args...)
	if err != nil {
		return nil, &Error{Path: p.Path, Err: err}
	}
	err = running.Finish(ctx)
	if ctx.Err() != nil { // the program may still be running
		return nil, context.Cause(ctx)
	}
	if err == nil && printed.truncated {
		err = fmt.Errorf("it printed more than %d bytes", most)
	}
	if err != nil {
		return nil, &Error{Path: p.Path, Stderr: strings.TrimSpace(said.buf.String()), Err: err}
	}
	return printed.buf.Bytes(), nil
}

// A tail keeps the last bytes written to it.
type tail struct {
	buf       bytes.Buffer
	limit     int
	truncated bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.buf.Write(b) // never fails
	if over := t.buf.Len() - t.limit; over > 0 {
		t.buf.Next(over)
		t.truncated = true
	}
	return len(b), nil
}

var errNoProgram = errors.New("no program is named")
