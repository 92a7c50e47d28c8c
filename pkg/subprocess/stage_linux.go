package subprocess

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// becomeProgram is the helper's second stage.
func becomeProgram() {
	runtime.LockOSThread()
	say := os.NewFile(fdReport, "say")
	tell(say, becomeOf(os.NewFile(fdJob, "job"), say))
	syscall.Exit(127)
}

// about says that all is well so far.
var about = reason{}

func tell(to *os.File, why reason) { _ = json.NewEncoder(to).Encode(why) }

// becomeOf returns only when it could not: the reason is why.
func becomeOf(from, say *os.File) reason {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err := closeOnExec(); err != nil {
		return reason{Unsupported, err.Error()}
	}
	j, _, err := receive(from)
	if err != nil {
		return reason{Unsupported, err.Error()}
	}
	e, err := newExecution(j)
	if err != nil {
		return reason{Refused, err.Error()}
	}
	unix.Umask(0o077)
	if err := unix.Fchdir(fdDir); err != nil {
		return reason{Refused, "the folder to run it in: " + err.Error()}
	}
	if err := confine(j); err != nil {
		return reason{Unsupported, err.Error()}
	}
	if err := plainSignals(); err != nil {
		return reason{Unsupported, err.Error()}
	}
	tell(say, about)
	debug.SetGCPercent(-1) // nothing may need memory now
	if err := j.Limits.set(); err != nil {
		return reason{Unsupported, err.Error()}
	}
	return refusal(e.run())
}

// refusal is the reason that an error of execve(2) is.
func refusal(err unix.Errno) reason {
	switch {
	case errors.Is(err, unix.E2BIG):
		return reason{TooLong, errTooLong.Error()}
	case errors.Is(err, unix.ENOENT):
		return reason{NotFound, "it, or the program that has to read it, is not there"}
	case errors.Is(err, unix.ENOEXEC):
		return reason{Refused, "it is not in a form that the system runs"}
	}
	return reason{Refused, err.Error()}
}

// An execution is what execve(2) gets, made while there is memory to make it.
type execution struct {
	path      *byte
	argv, env []*byte
}

func newExecution(j job) (e execution, err error) {
	if e.path, err = unix.BytePtrFromString(string(j.Path)); err != nil {
		return e, err
	}
	if e.argv, err = syscall.SlicePtrFromStrings(plainly(j.Argv)); err != nil {
		return e, err
	}
	e.env, err = syscall.SlicePtrFromStrings(plainly(j.Env))
	return e, err
}

func (e execution) run() unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(e.path)), uintptr(unsafe.Pointer(&e.argv[0])), uintptr(unsafe.Pointer(&e.env[0])))
	return errno
}

// closeOnExec keeps all descriptors but the standard ones from what is started.
func closeOnExec() error {
	if unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, d := range open {
		if fd, err := strconv.Atoi(d.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return err
}
