//go:build crash

package failpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// A plan is the parsed value of [EnvVar].
type plan struct {
	kind   string
	number int64 // of the point at which the fault happens
	file   string
}

var activePlan = sync.OnceValue(func() (p plan) {
	if text := os.Getenv(EnvVar); text != "" {
		if _, err := fmt.Sscan(text, &p.kind, &p.number, &p.file); err != nil {
			panic(fmt.Sprintf("%s=%q: %v", EnvVar, text, err))
		}
	}
	return p
})

// passedPoints counts the points that the process has passed.
var passedPoints atomic.Int64

// unsynced counts the bytes of the run file that a power cut could lose.
var unsynced atomic.Int64

// hit counts a point at which these kinds of faults are possible, and reports whether the fault happens here.
func hit(name string, kinds ...string) bool {
	p := activePlan()
	if !slices.Contains(kinds, p.kind) || passedPoints.Add(1) != p.number {
		return false
	}
	if err := os.WriteFile(p.file, fmt.Appendf(nil, "%s\n%d\n", name, unsynced.Load()), 0o600); err != nil {
		panic(err)
	}
	return true
}

// fail causes the planned fault. It does not return from a kill.
func fail() error {
	switch activePlan().kind {
	case Kill:
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL) // a process can always kill itself
		select {}
	case Error:
		return syscall.EIO
	}
	return syscall.ENOSPC
}

// At is a point at which the program can be made to fail.
func At(name string) error {
	if hit(name, Kill, Full, Error) {
		return fail()
	}
	return nil
}

// Around runs an operation with points before and after it.
func Around(name string, do func() error) error {
	if err := At("before " + name); err != nil {
		return err
	}
	err := do()
	if err == nil && name == SyncRun {
		unsynced.Store(0)
	}
	if hit("after "+name, Kill) {
		_ = fail()
	}
	return err
}

// Write writes p to w, with points before, during and after the write.
func Write(name string, w io.Writer, p []byte) (n int, err error) {
	if err := At("before " + name); err != nil {
		return 0, err
	}
	if hit("during "+name, Kill, Short) {
		n, err := w.Write(p[:len(p)/2])
		return n, errors.Join(err, fail())
	}
	n, err = w.Write(p)
	if name == WriteRun {
		unsynced.Add(int64(n))
	}
	if hit("after "+name, Kill) {
		_ = fail()
	}
	return n, err
}
