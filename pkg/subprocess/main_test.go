package subprocess

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is the helper, too, and with "probe" as its first word a program that tries
// what it may.
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

// elsewhere calls f in another thread than the first, as the runtime may have a main do.
func elsewhere(f func()) {
	runtime.LockOSThread()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
