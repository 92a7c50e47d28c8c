package program

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

// set sets the limits of this process. That of memory comes last: the next thing is to become
// another program. The kernel counts all processes of the user, so what it may have more is added to
// those that there are.
func (l limits) set() error {
	for _, r := range []struct {
		what  int
		limit uint64
	}{
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, l.OpenFiles}, {unix.RLIMIT_FSIZE, l.FileSize},
		{unix.RLIMIT_NPROC, l.Processes + threads(uint32(unix.Getuid()))}, {unix.RLIMIT_AS, l.Memory},
	} {
		if err := lower(r.what, r.limit); err != nil {
			return err
		}
	}
	return nil
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
