package subprocess

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// mostSignal is the greatest number of a signal.
const mostSignal = 64

// What a process does when a signal comes, as the kernel has it.
const (
	byDefault = 0
	ignoring  = 1
)

// setAction tells the kernel what a signal does to this process. The runtime does not learn of it,
// and is bypassed for two reasons: it leaves the signals of the C library alone (32 to 34), and to
// change all 64 through it takes milliseconds.
func setAction(number unix.Signal, how uintptr) error {
	action := struct{ handler, flags, restorer, mask uintptr }{handler: how}
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(number), uintptr(unsafe.Pointer(&action)), 0, unsafe.Sizeof(action.mask), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// isKept reports whether the kernel lets nobody change what a signal does.
func isKept(number unix.Signal) bool { return number == unix.SIGKILL || number == unix.SIGSTOP }

// isNeeded reports whether the runtime needs a signal: those of faults, and those by which it
// hears of children and threads.
func isNeeded(number unix.Signal) bool {
	switch number {
	case unix.SIGCHLD, unix.SIGURG, unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL:
		return true
	}
	return false
}

// beDeaf ignores the signals that somebody could send to this process, and that would end or stop it.
func beDeaf() error {
	for number := unix.Signal(1); number <= mostSignal; number++ {
		if isKept(number) || isNeeded(number) {
			continue
		}
		if err := setAction(number, ignoring); err != nil {
			return err
		}
	}
	return nil
}

// plainSignals lets every signal do to the program what it does by default: those that this
// process ignores it would ignore, too, and those that are blocked would be. Nothing that is for all
// threads can be done behind it: without the C library, the runtime uses one of its signals for that.
func plainSignals() error {
	for number := unix.Signal(1); number <= mostSignal; number++ {
		if isKept(number) {
			continue
		}
		if err := setAction(number, byDefault); err != nil {
			return err
		}
	}
	return unix.PthreadSigmask(unix.SIG_SETMASK, new(unix.Sigset_t), nil)
}
