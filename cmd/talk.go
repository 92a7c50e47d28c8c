package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"oneshot/pkg/agent"
)

// Rules for everything said to a person: it goes to stderr; an error is one line
// "oneshot: what is wrong", lower case, no full stop; a line "oneshot: hint:
// what to do" may follow. Colour and progress appear only where a terminal
// looks. stdout carries data and nothing else.

// talk speaks to the person on stderr and keeps stdout honest.
type talk struct {
	err      io.Writer
	out      *output
	terminal bool
	noColor  bool // the NO_COLOR convention
	color    string
	quiet    bool
	envelope *envelope               // what is known of a run, for the envelope
	abort    context.CancelCauseFunc // ends the command
	noted    bool                    // unread data on stdin has been pointed out
}

func newTalk(env Env) *talk {
	return &talk{
		err: env.Stderr, out: &output{w: env.Stdout}, terminal: env.Terminal,
		noColor: env.Getenv("NO_COLOR") != "" || env.Getenv("TERM") == "dumb", color: "auto",
	}
}

// check refuses a --color that is none of the known ones.
func (t *talk) check() error {
	switch t.color {
	case "auto", "always", "never":
		return nil
	}
	return usagef("--color auto, --color always or --color never", "--color: unknown value %q", t.color)
}

// note says something that is no error.
func (t *talk) note(format string, args ...any) {
	if !t.quiet {
		fmt.Fprintf(t.err, "oneshot: %s\n", visible(fmt.Sprintf(format, args...)))
	}
}

// paint colours text for stderr where a person looks.
func (t *talk) paint(attr color.Attribute, text string) string {
	if t.color == "never" || t.color == "auto" && (t.noColor || !t.terminal) {
		return text
	}
	c := color.New(attr)
	c.EnableColor()
	return c.Sprint(text)
}

// report says how a command ended, if it ended badly.
func (t *talk) report(err error) {
	if err == nil || closedPipe(err) {
		return
	}
	fmt.Fprintf(t.err, "%s %s\n", t.paint(color.FgRed, "oneshot:"), visible(err.Error()))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(t.err, "oneshot: hint: %s\n", visible(hint))
	}
	var bug *panicError
	if errors.As(err, &bug) {
		fmt.Fprintf(t.err, "%s", bug.stack)
	}
}

// hintOf returns what to do about an error, or "".
func hintOf(err error) string {
	var usage *usageError
	var denied *agent.DeniedError
	var limit *agent.LimitError
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &denied):
		return denied.Hint
	case errors.As(err, &limit):
		return "raise it with --max-" + strings.Replace(limit.Budget, "tokens", "total-tokens", 1)
	}
	return hintOfModel(err)
}

// visible makes control characters, which a terminal would obey, readable.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0:
			return '\ufffd'
		}
		return r
	}, s)
}

// output is stdout. It remembers the first failed write, and Close reports it,
// so that no command can succeed without its data having been taken.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.err = &outputError{err}
		return n, o.err
	}
	return n, nil
}
