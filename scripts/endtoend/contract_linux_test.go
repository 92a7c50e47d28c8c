package endtoend

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// aloneMain is "alone PROGRAM ARG…": exit code 98 means that the program, or a
// process that it started, left a process behind. Linux can make this process
// the parent of such orphans instead of init.
func aloneMain() {
	check(unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	c := command(os.Args[1:])
	c.Stdout = os.Stdout
	code := start(c)()
	// A process that is ending may need a moment before it can be reaped.
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if !hasChildren() {
			os.Exit(code)
		}
	}
	left, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	check(err)
	fmt.Fprintf(os.Stderr, "processes are left: %s\n", left)
	for _, pid := range strings.Fields(string(left)) {
		var n int
		if _, err := fmt.Sscan(pid, &n); err == nil {
			_ = unix.Kill(n, unix.SIGKILL)
		}
	}
	os.Exit(98)
}

// hasChildren reaps the children that have ended, and reports whether there are others.
func hasChildren() bool {
	for {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 && !errors.Is(err, unix.EINTR) {
			return !errors.Is(err, unix.ECHILD)
		}
	}
}

// unlockedMain is "unlocked PROGRAM ARG…": it runs the program as on a kernel
// without Landlock.
func unlockedMain() {
	runtime.LockOSThread() // a filter applies to its thread and to the program that the thread executes
	check(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_LANDLOCK_CREATE_RULESET},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	all := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	check(unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&all)), 0, 0))
	path, err := exec.LookPath(os.Args[1])
	check(err)
	check(syscall.Exec(path, os.Args[1:], os.Environ()))
}
