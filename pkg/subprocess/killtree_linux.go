package subprocess

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A fork bomb leaves little CPU time for the supervisor. The code below therefore avoids allocation,
// other threads and unnecessary system calls, and uses raw calls that bypass the Go scheduler.

// killAllDescendants kills children until none is left. Orphaned descendants become children of this subreaper.
func (s *supervisor) killAllDescendants() {
	s.killing = true
	var list [4 << 10]byte
	for before := -1; !s.reap(); before = s.reaped {
		if before == s.reaped {
			sleep(time.Millisecond)
		}
		for _, children := range s.children {
			killPIDs(children, list[:])
		}
	}
}

// reap waits for all ended children without blocking, and reports whether no child is left. Then there is no
// descendant either.
func (s *supervisor) reap() (none bool) {
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
		s.recordExit(int(pid), unix.WaitStatus(status))
	}
}

// recordExit records the exit status of a child.
func (s *supervisor) recordExit(pid int, status unix.WaitStatus) {
	s.reaped++
	switch {
	case pid == s.program:
		s.status, s.ended = status, true
	case s.killing && status.Signaled() && status.Signal() == unix.SIGKILL:
		s.leftoverKilled++
	}
}

// killPIDs kills the PIDs in an open children file. It reads in chunks: the kernel does not split a number across reads of
// this size.
func killPIDs(children *os.File, list []byte) {
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

// killGroup kills a child and its process group, whose members then cannot fork. The group contains only descendants,
// because the program started in a new session.
func killGroup(pid int) {
	if pid < 2 { // 0 is this group, -1 is every process
		return
	}
	if group, err := unix.Getpgid(pid); err == nil && group > 1 {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
	_ = unix.Kill(pid, unix.SIGKILL)
}

// sleep sleeps without involving the Go scheduler.
func sleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
