package subprocess

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probes are actions of a test program. Each gets the arguments after its name.
var probes = map[string]func(args []string) error{
	"read":    func(a []string) error { _, err := os.ReadFile(a[0]); return err },
	"list":    func(a []string) error { _, err := os.ReadDir(a[0]); return err },
	"write":   func(a []string) error { return os.WriteFile(a[0], []byte("x"), 0o600) },
	"append":  func(a []string) error { return appendTo(a[0]) },
	"cut":     func(a []string) error { return os.Truncate(a[0], 0) },
	"mkdir":   func(a []string) error { return os.MkdirAll(a[0], 0o700) },
	"remove":  func(a []string) error { return os.Remove(a[0]) },
	"rename":  func(a []string) error { return os.Rename(a[0], a[1]) },
	"link":    func(a []string) error { return os.Link(a[0], a[1]) },
	"through": func(a []string) error { return through(a[0]) },
	"device": func(a []string) error {
		return unix.Mknod(filepath.Join(os.Getenv("TMPDIR"), "disk"), unix.S_IFBLK|0o600, 1<<8)
	},
	"temp":      func([]string) error { return temp() },
	"dial":      func(a []string) error { return dial(a[0], a[1]) },
	"listen":    func(a []string) error { return listenTo(a[0], a[1]) },
	"pair":      func(a []string) error { return pair(a[0]) },
	"ring":      func([]string) error { return ring() },
	"trace":     func(a []string) error { return unix.PtraceAttach(number(a[0])) },
	"peek":      func(a []string) error { return peek(number(a[0])) },
	"kill":      func(a []string) error { return unix.Kill(number(a[0]), 0) },
	"curb":      func(a []string) error { return unix.Prlimit(number(a[0]), unix.RLIMIT_CPU, nil, new(unix.Rlimit)) },
	"mount":     func([]string) error { return unix.Mount("none", os.Getenv("TMPDIR"), "tmpfs", 0, "") },
	"neighbour": func(a []string) error { return neighbour(a[0], number(a[1])) },
	"everybody": func(a []string) error { return everybody(a[0]) },
	"namespace": func(a []string) error { return namespace(a[0]) },
	"keys":      func([]string) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err },
	"shared":    func(a []string) error { return shared(a[0]) },
	"named":     func([]string) error { return named() },
	"mode":      func(a []string) error { return os.Chmod(a[0], 0o640) },
	"owner":     func(a []string) error { return os.Chown(a[0], os.Getuid(), os.Getgid()) },
	"times":     func(a []string) error { return os.Chtimes(a[0], time.Unix(1, 0), time.Unix(1, 0)) },
	"label":     func(a []string) error { return unix.Setxattr(a[0], "user.oneshot", []byte("x"), 0) },
	"calls":     func(a []string) error { return calls(a) },
	"leave":     func([]string) error { return leave() },
	"script":    func(a []string) error { return script(a[0]) },
	"deep":      func(a []string) error { return deep(number(a[0])) },
	"reserve":   func(a []string) error { _, err := mapped(number(a[0])<<30, unix.PROT_NONE); return err },
	"use":       func(a []string) error { return use(number(a[0]) << 20) },
	"fill":      func(a []string) error { return fill(number(a[0]) << 20) },
	"foreign":   func([]string) error { return foreignCall() },
}

// probe runs an action and prints its result: "ok" or the error.
func probe(name string, args []string) int {
	if err := probes[name](args); err != nil {
		var errno unix.Errno
		if errors.As(err, &errno) {
			fmt.Print(unix.ErrnoName(errno))
			return 0
		}
		fmt.Print(err)
		return 0
	}
	fmt.Print("ok")
	return 0
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		err = f.Close()
	}
	return err
}

// through reads a file through a link, a link to its folder and a hard link.
func through(path string) error {
	links := []string{filepath.Join(os.Getenv("TMPDIR"), "l"), filepath.Join(os.Getenv("TMPDIR"), "d"), filepath.Join(os.Getenv("TMPDIR"), "h")}
	err := errors.Join(os.Symlink(path, links[0]), os.Symlink(filepath.Dir(path), links[1]))
	if err != nil {
		return err
	}
	if err := os.Link(path, links[2]); err == nil {
		return nil
	}
	if _, err := os.ReadFile(filepath.Join(links[1], filepath.Base(path))); err == nil {
		return nil
	}
	_, err = os.ReadFile(links[0])
	return err
}

// temp uses its temporary folder as programs do.
func temp() error {
	d := os.Getenv("TMPDIR")
	in := func(name string) string { return filepath.Join(d, name) }
	if d != os.Getenv("HOME") {
		return errors.New("HOME is another folder")
	}
	info, err := os.Stat(d)
	if err != nil || info.Mode().Perm() != 0o700 {
		return fmt.Errorf("%v %w", info, err)
	}
	return errors.Join(os.MkdirAll(in("a/b"), 0o700), os.WriteFile(in("a/f"), []byte("1"), 0o666), os.Rename(in("a/f"), in("a/b/f")),
		os.Symlink("/", in("root")), unix.Mkfifo(in("fifo"), 0o600), os.WriteFile(os.DevNull, []byte("x"), 0), os.Chmod(in("a/b"), 0o500))
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err == nil {
		_, err = c.Write([]byte("x"))
		c.Close()
	}
	return err
}

func listenTo(network, address string) error {
	l, err := net.Listen(network, address)
	if err == nil {
		l.Close()
	}
	return err
}

// pair sends a datagram from a socket of a pair to a socket with a path.
func pair(path string) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return errors.New("no pair of streams: " + err.Error())
	}
	for _, kind := range []int{unix.SOCK_DGRAM, unix.SOCK_RAW} {
		if fds, err = unix.Socketpair(unix.AF_UNIX, kind, 0); err == nil {
			err = unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: path})
		}
		if err == nil {
			return nil
		}
	}
	return err
}

func ring() error {
	var params [120]byte
	if _, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0); errno != 0 {
		return errno
	}
	return nil
}

// shared makes and removes an object of System V IPC, which other programs could access and which would outlive this one.
func shared(what string) error {
	call := map[string]struct{ get, second, remove uintptr }{
		"memory":     {unix.SYS_SHMGET, 1, unix.SYS_SHMCTL},
		"queue":      {unix.SYS_MSGGET, unix.IPC_CREAT | 0o600, unix.SYS_MSGCTL},
		"semaphores": {unix.SYS_SEMGET, 1, unix.SYS_SEMCTL},
	}[what]
	id, _, errno := unix.Syscall(call.get, unix.IPC_PRIVATE, call.second, unix.IPC_CREAT|0o600)
	if errno == 0 {
		_, _, errno = unix.Syscall(call.remove, id, unix.IPC_RMID, unix.IPC_RMID)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// named makes and removes a POSIX message queue. It ignores the error of the open call, because the queue may exist
// nevertheless.
func named() error {
	name, err := unix.BytePtrFromString("oneshot-" + strconv.Itoa(os.Getpid()) + strconv.FormatInt(time.Now().UnixNano(), 36))
	if err != nil {
		return err
	}
	_, _, _ = unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
	if _, _, removed := unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0); removed != 0 {
		return removed
	}
	return nil
}

func mapped(bytes, access int) ([]byte, error) {
	return unix.Mmap(-1, 0, bytes, access, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

// use uses memory, one byte of each page.
func use(bytes int) error {
	memory, err := mapped(bytes, unix.PROT_READ|unix.PROT_WRITE)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	return err
}

// fill uses memory that was only reserved.
func fill(bytes int) error {
	memory, err := mapped(bytes, unix.PROT_NONE)
	if err != nil {
		return err
	}
	return unix.Mprotect(memory, unix.PROT_READ|unix.PROT_WRITE)
}

// calls makes system calls, each given by a number and two arguments, and prints their errors.
func calls(words []string) error {
	for _, word := range words {
		var number, first, second int
		if _, err := fmt.Sscanf(word, "%d,%d,%d", &number, &first, &second); err != nil {
			return err
		}
		_, _, errno := unix.Syscall6(uintptr(number), uintptr(first), uintptr(second), 0, 0, 0, 0)
		fmt.Printf("%s=%s ", word, unix.ErrnoName(errno))
	}
	return nil
}

// neighbour sets scheduling attributes of a process to their current values.
func neighbour(call string, pid int) error {
	victim := uintptr(pid)
	var cpus unix.CPUSet
	param := int32(0)
	attr, err := unix.SchedGetAttr(pid, 0)
	if err == nil {
		err = unix.SchedGetaffinity(pid, &cpus)
	}
	if err != nil {
		return err
	}
	at := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	c := map[string][4]uintptr{
		"setpriority":        {unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, victim, 19},
		"ioprio_set":         {unix.SYS_IOPRIO_SET, 1, victim, 2<<13 | 4},
		"sched_setaffinity":  {unix.SYS_SCHED_SETAFFINITY, victim, unsafe.Sizeof(cpus), at(unsafe.Pointer(&cpus))},
		"sched_setscheduler": {unix.SYS_SCHED_SETSCHEDULER, victim, unix.SCHED_NORMAL, at(unsafe.Pointer(&param))},
		"sched_setparam":     {unix.SYS_SCHED_SETPARAM, victim, at(unsafe.Pointer(&param)), 0},
		"sched_setattr":      {unix.SYS_SCHED_SETATTR, victim, at(unsafe.Pointer(attr)), 0},
	}[call]
	return made(c[0], c[1:]...)
}

// everybody sets the CPU or I/O priority of all processes of the user.
func everybody(call string) error {
	if call == "setpriority" {
		priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			return err
		}
		return made(unix.SYS_SETPRIORITY, unix.PRIO_USER, 0, uintptr(20-priority)) // the current niceness
	}
	return made(unix.SYS_IOPRIO_SET, 3, 0, 2<<13|4)
}

// namespace makes or enters a namespace.
func namespace(call string) error {
	switch call {
	case "unshare":
		return made(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	case "clone":
		return made(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD))
	case "clone3":
		return made(unix.SYS_CLONE3, 0, 0)
	}
	fd, err := unix.Open("/proc/self/ns/user", unix.O_RDONLY, 0)
	if err != nil {
		fd = 0 // the filter denies the call regardless of its arguments
	}
	return made(unix.SYS_SETNS, uintptr(fd), 0)
}

// made makes a system call.
func made(call uintptr, args ...uintptr) error {
	var a [3]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall(call, a[0], a[1], a[2]); errno != 0 {
		return errno
	}
	return nil
}

// peek reads memory of another process.
func peek(pid int) error {
	buf := make([]byte, 8)
	local := []unix.Iovec{{Base: &buf[0], Len: 8}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0x1000, Len: 8}}, 0)
	if err == unix.EFAULT {
		return nil // permitted, but nothing is mapped there
	}
	return err
}

// script runs a command as a separate caller, which a test can kill.
func script(text string) error {
	dir, err := os.Open(".")
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil { // as oneshot does
		return err
	}
	c := &Confinement{Helper: []string{"/proc/self/exe"}}
	_, err = c.Run(tooLong(), Command{Argv: []string{"sh", "-c", text}, Dir: dir, Env: markOf(os.Environ())})
	return err
}

func markOf(env []string) []string {
	var found []string
	for _, e := range env {
		if strings.HasPrefix(e, "ONESHOT_TEST_MARK=") {
			found = append(found, e)
		}
	}
	return found
}

// leave makes a temporary folder and kills this process.
func leave() error {
	path, _, err := makeTemp()
	fmt.Print(path)
	return errors.Join(err, unix.Kill(os.Getpid(), unix.SIGKILL))
}

// deep makes n nested folders.
func deep(n int) error {
	for range n {
		if err := errors.Join(os.Mkdir("1", 0o700), os.Chdir("1")); err != nil {
			return err
		}
	}
	return nil
}
