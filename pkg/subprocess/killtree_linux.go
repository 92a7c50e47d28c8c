package subprocess

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A fork bomb has the processors to itself, but for what the supervisor can take. What follows is
// therefore written without memory that has to be got, without other threads, and with as few
// system calls as there can be, of the kind that the Go runtime does not notice.

// endAll kills until nobody is there. Only children are killed: whose parent ends becomes one.
func (s *supervisor) endAll() {
	s.killing = true
	var list [4 << 10]byte
	for before := -1; !s.bury(); before = s.buried {
		if before == s.buried {
			nap(time.Millisecond)
		}
		for _, children := range s.children {
			killAll(children, list[:])
		}
	}
}

// bury buries the children that have ended, and reports whether none is left: then there is no
// descendant at all.
func (s *supervisor) bury() (none bool) {
	for {
		var status uint32
		pid, _, errno := unix.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&status)), unix.WNOHANG|unix.WALL, 0, 0, 0)
		switch {
		case errno == unix.EINTR:
			continue
		case errno != 0:
			return true
		case pid == 0:
			return false
		}
		s.note(int(pid), unix.WaitStatus(status))
	}
}

// note notes how a child has ended.
func (s *supervisor) note(pid int, status unix.WaitStatus) {
	s.buried++
	switch {
	case pid == s.program:
		s.status, s.ended = status, true
	case s.killing && status.Signaled() && status.Signal() == unix.SIGKILL:
		s.leftover++
	}
}

// killAll kills the children in a list, which is read in pieces: the kernel writes whole numbers
// into one of this size.
func killAll(children *os.File, list []byte) {
	for at := uintptr(0); ; {
		n, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, children.Fd(), uintptr(unsafe.Pointer(&list[0])), uintptr(len(list)), at, 0, 0)
		if errno != 0 || n == 0 || n > uintptr(len(list)) {
			return
		}
		at += n
		pid := 0
		for _, c := range list[:n] {
			if c >= '0' && c <= '9' {
				pid = 10*pid + int(c-'0')
				continue
			}
			killGroup(pid)
			pid = 0
		}
	}
}

// killGroup kills a child with its group, whose members cannot fork any more then. Nobody else is
// in it, since the program began with a session of its own.
func killGroup(pid int) {
	if pid < 2 { // 0 would be this group, and -1 everybody
		return
	}
	if group, err := unix.Getpgid(pid); err == nil && group > 1 {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
	_ = unix.Kill(pid, unix.SIGKILL)
}

func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
