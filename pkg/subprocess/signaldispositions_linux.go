package subprocess

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxSignal is the highest signal number.
const maxSignal = 64

// Signal dispositions of the kernel (SIG_DFL, SIG_IGN).
const (
	defaultAction = 0
	ignored       = 1
)

// setSignalAction sets the disposition of a signal in the kernel. It bypasses the Go runtime for two reasons: the runtime does
// not touch the signals of the C library (32 to 34), and changing all 64 through it takes milliseconds.
func setSignalAction(number unix.Signal, how uintptr) error {
	action := struct{ handler, flags, restorer, mask uintptr }{handler: how}
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(number), uintptr(unsafe.Pointer(&action)), 0, unsafe.Sizeof(action.mask), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// isFixed reports whether the disposition of a signal cannot be changed.
func isFixed(number unix.Signal) bool { return number == unix.SIGKILL || number == unix.SIGSTOP }

// isUsedByRuntime reports whether the Go runtime needs a signal: for faults, children and preemption.
func isUsedByRuntime(number unix.Signal) bool {
	switch number {
	case unix.SIGCHLD, unix.SIGURG, unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL:
		return true
	}
	return false
}

// ignoreSignals ignores all signals that others could send to end or stop this process.
func ignoreSignals() error {
	for number := unix.Signal(1); number <= maxSignal; number++ {
		if isFixed(number) || isUsedByRuntime(number) {
			continue
		}
		if err := setSignalAction(number, ignored); err != nil {
			return err
		}
	}
	return nil
}

// resetSignals resets all signals to their default and unblocks them: the program would inherit ignored and blocked
// signals. No operation on all threads is possible afterwards: without the C library, the runtime uses a signal for it.
func resetSignals() error {
	for number := unix.Signal(1); number <= maxSignal; number++ {
		if isFixed(number) {
			continue
		}
		if err := setSignalAction(number, defaultAction); err != nil {
			return err
		}
	}
	return unix.PthreadSigmask(unix.SIG_SETMASK, new(unix.Sigset_t), nil)
}
