package cmd

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// Signals returns a context that the first SIGINT, SIGTERM, SIGHUP or SIGQUIT ends, with
// an [*InterruptError] as its cause. A second one, except for SIGQUIT, kills the process, as if there
// were no handler. A SIGINT or SIGHUP that is ignored at the start, as in background jobs and
// under nohup, stays ignored. SIGQUIT follows SIGINT: shells ignore both, and Go's runtime hides
// how SIGQUIT was set.
func Signals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	if signal.Ignored(syscall.SIGINT) {
		signal.Ignore(syscall.SIGQUIT)
	} else {
		signal.Notify(ch, syscall.SIGINT, syscall.SIGQUIT)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writes to a closed pipe return an error
	go func() {
		select {
		case sig := <-ch:
			defaultNext(ch)
			printStacks(sig)
			cancel(&InterruptError{sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel(nil) }
}

// defaultNext restores the default action for the next signal of a channel, except for SIGQUIT, where Go's runtime
// would print all stacks.
func defaultNext(ch chan os.Signal) {
	if !signal.Ignored(syscall.SIGQUIT) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGQUIT)
	}
	signal.Stop(ch)
}

// printStacks prints the stacks of all goroutines on SIGQUIT, if ONESHOT_DEBUG is 1.
func printStacks(sig os.Signal) {
	if sig != syscall.SIGQUIT || os.Getenv("ONESHOT_DEBUG") != "1" {
		return
	}
	stacks := make([]byte, 1<<20)
	_, _ = os.Stderr.Write(stacks[:runtime.Stack(stacks, true)]) // there is nowhere to report an error
}
