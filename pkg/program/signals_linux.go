package program

import (
	"os"
	"os/signal"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The signals that the C library keeps to itself. The Go runtime leaves them as it found them, so
// that what the kernel does with them is said to the kernel.
const (
	firstOfLibrary = 32
	lastOfLibrary  = 34
)

// mostSignal is the greatest number of a signal.
const mostSignal = 64

// What a process does when a signal comes, as the kernel has it.
const (
	byDefault = 0
	ignoring  = 1
)

// handleLibrarys says what is done with the signals of the C library.
func handleLibrarys(how uintptr) error {
	action := struct{ handler, flags, restorer, mask uintptr }{handler: how}
	for number := uintptr(firstOfLibrary); number <= lastOfLibrary; number++ {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, number, uintptr(unsafe.Pointer(&action)), 0, unsafe.Sizeof(action.mask), 0, 0)
		if errno != 0 {
			return errno
		}
	}
	return nil
}

// beDeaf ignores the signals that somebody could send to this process, and that would end or stop it:
// all but those that nobody can ignore, those of faults, and those by which children and threads are heard of.
func beDeaf() error {
	needed := map[unix.Signal]bool{
		unix.SIGKILL: true, unix.SIGSTOP: true, unix.SIGCHLD: true, unix.SIGURG: true,
		unix.SIGSEGV: true, unix.SIGBUS: true, unix.SIGFPE: true, unix.SIGILL: true,
	}
	var all []os.Signal
	for number := unix.Signal(1); number <= mostSignal; number++ {
		if !needed[number] {
			all = append(all, number)
		}
	}
	signal.Ignore(all...)
	return handleLibrarys(ignoring)
}

// plainSignals lets every signal do to the program what it does by default: those that this
// process ignores it would ignore, too, and those that are blocked would be. Nothing that is for all
// threads can be done behind it: without the C library, the runtime uses one of its signals for that.
func plainSignals() error {
	signal.Notify(make(chan os.Signal, 1)) // all; who has a handler gets the default by execve(2)
	if err := handleLibrarys(byDefault); err != nil {
		return err
	}
	return unix.PthreadSigmask(unix.SIG_SETMASK, new(unix.Sigset_t), nil)
}
