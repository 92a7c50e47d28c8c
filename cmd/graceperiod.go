package cmd

import (
	"context"
	"errors"
	"runtime/debug"
	"time"
)

// grace is how long a command may take to end after a signal or its time limit. Killing programs and writing the last
// record takes milliseconds, but a machine with 15 busy processes a core needs over half a second for it.
const grace = 2 * time.Second

// runWithGrace runs f. If f runs for longer than grace after ctx ends, because it hangs in a file, a pipe or a computation,
// runWithGrace abandons it and returns the cause of ctx.
func runWithGrace(ctx context.Context, grace time.Duration, f func() error) (err error, ended bool) {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err, true
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err, true
	case <-time.After(grace):
		return context.Cause(ctx), false
	}
}

// recoverPanic turns a panic into an error. Defer it.
func recoverPanic(err *error) {
	if v := recover(); v != nil {
		*err = &panicError{v, debug.Stack()}
	}
}

// causeOr returns the cause of ctx if ctx has ended, and err otherwise.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return cause
	}
	return err
}
