package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// signalMain is the program "signal INT|TERM|HUP PROGRAM ARG…" of the scripts: it
// runs the program, sends it the signal once the scripted server has its first
// request, and ends with the program's exit code. A program that is still there
// a second later is killed, and the exit code is 99.
func signalMain() {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for tick := time.Tick(5 * time.Millisecond); ; <-tick {
		if _, err := os.Stat("requests/1.json"); err == nil {
			break
		}
	}
	if err := c.Process.Signal(signals[os.Args[1]]); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			os.Exit(exit.ExitCode())
		}
		os.Exit(0)
	case <-time.After(time.Second):
		_ = c.Process.Kill()
		<-done
		fmt.Fprintln(os.Stderr, "the program was still there a second after the signal")
		os.Exit(99)
	}
}
