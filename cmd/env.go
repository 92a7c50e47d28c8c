package cmd

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"oneshot/prompts"
	"oneshot/tooldefs"
)

// Env is everything that a command may touch besides the files it is told to.
type Env struct {
	Args     []string // without the program's name
	Stdin    io.Reader
	Stdout   io.Writer
	Stderr   io.Writer
	Terminal bool // does a person look at Stderr?
	Screen   bool // is Stdout a terminal?
	Getenv   func(string) string
	Now      func() time.Time
	Tools    fs.FS // the shipped tool definitions
	Prompts  fs.FS // the shipped texts
}

// OS returns the environment of this process.
func OS() Env {
	return Env{
		Args:     os.Args[1:],
		Stdin:    os.Stdin,
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Terminal: isatty.IsTerminal(os.Stderr.Fd()),
		Screen:   isatty.IsTerminal(os.Stdout.Fd()),
		Getenv:   os.Getenv,
		Now:      time.Now,
		Tools:    tooldefs.FS,
		Prompts:  prompts.FS,
	}
}

// Signals returns a context that the first SIGINT, SIGTERM or SIGHUP ends, with
// an [*InterruptError] as its cause. A second one kills the process, as if there
// were no handler. A SIGHUP that is ignored, as under nohup, stays so.
func Signals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write to a closed pipe is an error: stderr may have gone, too
	go func() {
		select {
		case sig := <-ch:
			signal.Stop(ch)
			cancel(&InterruptError{sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel(nil) }
}
