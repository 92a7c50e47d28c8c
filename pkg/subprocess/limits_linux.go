package subprocess

import (
	"os"

	"golang.org/x/sys/unix"
)

// limits are the confinement's, with the defaults.
func (c *Confinement) limits() limits {
	or := func(n, usual int64) uint64 {
		if n > 0 {
			return uint64(n)
		}
		return uint64(usual)
	}
	return limits{
		Memory:    or(c.Memory, 4<<30),
		FileSize:  or(c.FileSize, 1<<30),
		Processes: or(int64(c.Processes), 1024),
		OpenFiles: or(int64(c.OpenFiles), 1024),
	}
}

// reserved is how many addresses a program may have beyond its memory. Runtimes reserve more than
// they use: V8 takes 10 GiB for each memory of WebAssembly, the JVM its whole heap. The bound is for
// page tables, one byte for 512 of addresses, and for what RLIMIT_DATA leaves out.
const reserved = 128 << 30

// usualStack is the stack of a program whose caller has one without a limit. That of each thread
// is as large, and counts as memory.
const usualStack = 8 << 20

// set sets the limits of this process. That of memory comes last: the next thing is to become
// another program. The kernel counts all processes of the user, so what it may have more is added to
// those that there are.
//
// RLIMIT_DATA is what a process may write and shares with no other: the heap and all that is mapped so,
// since Linux 4.7. It leaves out the stack, mappings that are shared or grow down, and pages that were
// made read-only when they were written.
func (l limits) set() error {
	if err := lowerStack(l.Memory); err != nil {
		return err
	}
	for _, r := range []struct {
		what  int
		limit uint64
	}{
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, l.OpenFiles}, {unix.RLIMIT_FSIZE, l.FileSize},
		{unix.RLIMIT_NPROC, l.Processes + threads(uint32(unix.Getuid()))},
		{unix.RLIMIT_AS, l.Memory + reserved}, {unix.RLIMIT_DATA, l.Memory},
	} {
		if err := lower(r.what, r.limit); err != nil {
			return err
		}
	}
	return nil
}

// lowerStack keeps a stack from growing beyond the memory.
func lowerStack(memory uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &now); err != nil {
		return err
	}
	if now.Cur == unix.RLIM_INFINITY {
		now.Cur = usualStack
	}
	now.Max = min(now.Max, memory)
	now.Cur = min(now.Cur, now.Max)
	return unix.Setrlimit(unix.RLIMIT_STACK, &now)
}

// lower sets a limit, unless there is a stricter one.
func lower(what int, limit uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(what, &now); err != nil {
		return err
	}
	limit = min(limit, now.Cur)
	return unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit})
}

// threads counts those of a user, as far as this process may know of them.
func threads(user uint32) (n uint64) {
	if user == 0 {
		return 0 // who has no such limit
	}
	processes, _ := os.ReadDir("/proc")
	for _, p := range processes {
		var info unix.Stat_t
		if unix.Stat("/proc/"+p.Name(), &info) != nil || info.Uid != user {
			continue
		}
		if unix.Stat("/proc/"+p.Name()+"/task", &info) == nil && info.Nlink > 2 {
			n += uint64(info.Nlink) - 2
		}
	}
	return n
}
