package endtoend

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// endsWithin is the time that a program has to end: it needs a tenth of a second, and seconds with the race detector on a busy
// machine. oneshot takes less time than that to abandon a program that hangs.
const endsWithin = 20 * time.Second

// signalMain is the program "signal INT|TERM|HUP|QUIT|KILL PROGRAM ARG…" of the scripts: it runs the program, sends it the
// signal once the scripted server has its first request, or once the file that $WHEN names exists, and ends with the program's
// exit code, or 0 if KILL has killed it. Exit code 99 means that the program was still running after [endsWithin] and was
// killed; 96 means that it ended before the signal.
func signalMain() {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "KILL": syscall.SIGKILL}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT) // exec resets handled signals: the program ignores none of them
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	when := cmp.Or(os.Getenv("WHEN"), "requests/1.json")
	for tick := time.Tick(5 * time.Millisecond); ; {
		if _, err := os.Stat(when); err == nil {
			break
		}
		select {
		case <-tick:
		case <-done:
			fmt.Fprintln(os.Stderr, "the program ended before there was", when)
			os.Exit(96)
		}
	}
	if err := c.Process.Signal(signals[os.Args[1]]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(96)
	}
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL && os.Args[1] == "KILL" {
				os.Exit(0)
			}
			os.Exit(exit.ExitCode())
		}
		os.Exit(0)
	case <-time.After(endsWithin):
		_ = c.Process.Kill()
		<-done
		fmt.Fprintln(os.Stderr, "the program was still there", endsWithin, "after the signal")
		os.Exit(99)
	}
}
