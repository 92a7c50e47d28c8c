package subprocess

import (
	"os"

	"golang.org/x/sys/unix"
)

// limits returns the limits with defaults applied.
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

// addressSlack is the address space allowed beyond the memory limit. Runtimes reserve more than they use: V8 takes 10 GiB
// per WebAssembly memory, the JVM its whole heap. The bound limits page tables (one byte per 512 bytes of address space)
// and memory that RLIMIT_DATA does not count.
const addressSlack = 128 << 30

// defaultStack is the stack limit if the caller has none. Each thread gets a stack of that size, which counts as memory.
const defaultStack = 8 << 20

// apply sets the limits of this process, memory last, because execve follows. The kernel counts all processes of the user,
// so the limit of processes is added to those that exist.
//
// RLIMIT_DATA counts private writable memory, since Linux 4.7: the heap and private writable mappings. It omits the stack,
// shared or growing-down mappings, and pages made read-only after they were written.
func (l limits) apply() error {
	if err := lowerStackLimit(l.Memory); err != nil {
		return err
	}
	for _, r := range []struct {
		what  int
		limit uint64
	}{
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, l.OpenFiles}, {unix.RLIMIT_FSIZE, l.FileSize},
		{unix.RLIMIT_NPROC, l.Processes + countThreads(uint32(unix.Getuid()))},
		{unix.RLIMIT_AS, l.Memory + addressSlack}, {unix.RLIMIT_DATA, l.Memory},
	} {
		if err := lowerLimit(r.what, r.limit); err != nil {
			return err
		}
	}
	return nil
}

// lowerStackLimit limits the stack to the memory limit.
func lowerStackLimit(memory uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &now); err != nil {
		return err
	}
	if now.Cur == unix.RLIM_INFINITY {
		now.Cur = defaultStack
	}
	now.Max = min(now.Max, memory)
	now.Cur = min(now.Cur, now.Max)
	return unix.Setrlimit(unix.RLIMIT_STACK, &now)
}

// lowerLimit sets a limit unless the current one is stricter.
func lowerLimit(what int, limit uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(what, &now); err != nil {
		return err
	}
	limit = min(limit, now.Cur)
	return unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit})
}

// countThreads counts the threads of a user, as far as this process can see them.
func countThreads(user uint32) (n uint64) {
	if user == 0 {
		return 0 // root has no such limit
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
