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

// runExecStage is the second stage of the helper, which becomes the program.
func runExecStage() {
	runtime.LockOSThread()
	say := os.NewFile(fdReport, "say")
	writeFailure(say, execProgram(os.NewFile(fdJob, "job"), say))
	syscall.Exit(127)
}

// readyToExec is the message that all steps before the resource limits and execve(2) have succeeded.
var readyToExec = startFailure{}

func writeFailure(to *os.File, why startFailure) { _ = json.NewEncoder(to).Encode(why) }

// execProgram returns only on failure, with its reason.
func execProgram(from, say *os.File) startFailure {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err := setCloseOnExec(); err != nil {
		return startFailure{Unsupported, err.Error()}
	}
	j, _, err := readJob(from)
	if err != nil {
		return startFailure{Unsupported, err.Error()}
	}
	e, err := newExecveArguments(j)
	if err != nil {
		return startFailure{Refused, err.Error()}
	}
	unix.Umask(0o077)
	if err := unix.Fchdir(fdDir); err != nil {
		return startFailure{Refused, "working directory: " + err.Error()}
	}
	if err := confine(j); err != nil {
		return startFailure{Unsupported, err.Error()}
	}
	if err := resetSignals(); err != nil {
		return startFailure{Unsupported, err.Error()}
	}
	writeFailure(say, readyToExec)
	debug.SetGCPercent(-1) // no allocation may fail from here on
	if err := j.Limits.apply(); err != nil {
		return startFailure{Unsupported, err.Error()}
	}
	return execError(e.execve())
}

// execError converts an error of execve(2).
func execError(err unix.Errno) startFailure {
	switch {
	case errors.Is(err, unix.E2BIG):
		return startFailure{TooLong, errTooLong.Error()}
	case errors.Is(err, unix.ENOENT):
		return startFailure{NotFound, "it or its interpreter does not exist"}
	case errors.Is(err, unix.ENOEXEC):
		return startFailure{Refused, "it is not in an executable format"}
	}
	return startFailure{Refused, err.Error()}
}

// An execution holds the arguments of execve(2), allocated before the memory limit is set.
type execution struct {
	path      *byte
	argv, env []*byte
}

func newExecveArguments(j job) (e execution, err error) {
	if e.path, err = unix.BytePtrFromString(string(j.Path)); err != nil {
		return e, err
	}
	if e.argv, err = syscall.SlicePtrFromStrings(toStrings(j.Argv)); err != nil {
		return e, err
	}
	e.env, err = syscall.SlicePtrFromStrings(toStrings(j.Env))
	return e, err
}

func (e execution) execve() unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(e.path)), uintptr(unsafe.Pointer(&e.argv[0])), uintptr(unsafe.Pointer(&e.env[0])))
	return errno
}

// setCloseOnExec sets the close-on-exec flag of all descriptors except the standard ones.
func setCloseOnExec() error {
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
