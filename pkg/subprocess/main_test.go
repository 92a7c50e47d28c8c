package subprocess

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the helper, and with "probe" as its first argument a program that tests
// its permissions.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "elsewhere" {
		elsewhere(RunHelper)
	}
	RunHelper()
	if len(os.Args) > 2 && os.Args[1] == "probe" {
		syscall.Exit(probe(os.Args[2], os.Args[3:])) // at once, also with the race detector
	}
	goleak.VerifyTestMain(m)
}

// elsewhere calls f in a thread other than the main one. The runtime can also run main there.
func elsewhere(f func()) {
	runtime.LockOSThread()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
