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

// A plan is what [Variable] says.
type plan struct {
	kind  string
	place int64
	file  string
}

var planned = sync.OnceValue(func() (p plan) {
	if text := os.Getenv(Variable); text != "" {
		if _, err := fmt.Sscan(text, &p.kind, &p.place, &p.file); err != nil {
			panic(fmt.Sprintf("%s=%q: %v", Variable, text, err))
		}
	}
	return p
})

// passed counts the places that the process has come to.
var passed atomic.Int64

// unsynced counts the bytes of the run file that a power cut could take.
var unsynced atomic.Int64

// reached counts a place where these kinds of faults can be, and reports whether there is to
// be one now.
func reached(name string, kinds ...string) bool {
	p := planned()
	if !slices.Contains(kinds, p.kind) || passed.Add(1) != p.place {
		return false
	}
	if err := os.WriteFile(p.file, fmt.Appendf(nil, "%s\n%d\n", name, unsynced.Load()), 0o600); err != nil {
		panic(err)
	}
	return true
}

// fail does what is planned. It does not return from a kill.
func fail() error {
	switch planned().kind {
	case Kill:
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL) // a process can always kill itself
		select {}
	case Error:
		return syscall.EIO
	}
	return syscall.ENOSPC
}

// At is a place where the program can be made to fail.
func At(name string) error {
	if reached(name, Kill, Full, Error) {
		return fail()
	}
	return nil
}

// Around does an operation; the name is that of the places before and behind it.
func Around(name string, do func() error) error {
	if err := At("before " + name); err != nil {
		return err
	}
	err := do()
	if err == nil && name == SyncRun {
		unsynced.Store(0)
	}
	if reached("behind "+name, Kill) {
		_ = fail()
	}
	return err
}

// Write writes p to w; the name is that of the places before, in and behind the write.
func Write(name string, w io.Writer, p []byte) (n int, err error) {
	if err := At("before " + name); err != nil {
		return 0, err
	}
	if reached("amid "+name, Kill, Short) {
		n, err := w.Write(p[:len(p)/2])
		return n, errors.Join(err, fail())
	}
	n, err = w.Write(p)
	if name == WriteRun {
		unsynced.Add(int64(n))
	}
	if reached("behind "+name, Kill) {
		_ = fail()
	}
	return n, err
}
