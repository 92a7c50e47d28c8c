package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// aloneMain is "alone PROGRAM ARG…": exit code 98 means that a process is left
// that the program started, or that one of those started. Linux can give such
// orphans to this process instead of to init.
func aloneMain() {
	check(unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	c := command(os.Args[1:])
	c.Stdout = os.Stdout
	code := start(c)()
	tick := time.Tick(10 * time.Millisecond)
	for range 20 { // what is gone already may take a moment to be buried
		if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); errors.Is(err, unix.ECHILD) {
			os.Exit(code)
		}
		<-tick
	}
	left, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	check(err)
	fmt.Fprintf(os.Stderr, "processes are left: %s\n", left)
	for _, pid := range strings.Fields(string(left)) {
		var n int
		if _, err := fmt.Sscan(pid, &n); err == nil {
			_ = unix.Kill(n, unix.SIGKILL)
		}
	}
	os.Exit(98)
}
