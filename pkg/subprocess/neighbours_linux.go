package subprocess

import "golang.org/x/sys/unix"

// What Landlock does not keep from a program is how the other processes of the user run: the kernel
// asks only whose they are.

// scheduling are the calls whose first argument is a process; 0 is the one that calls.
var scheduling = []uint32{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_PRLIMIT64}

// foreignMemory are the calls that reach into another process. Landlock keeps them from all but descendants, and
// the newest of them depend on it; nothing that is run for a tool needs one.
var foreignMemory = []uint32{
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_MIGRATE_PAGES,
}

// newNamespaces are the flags of clone(2) for namespaces, and newTime that of unshare(2), which is a part of
// the signal in clone.
const (
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	newTime       = unix.CLONE_NEWTIME
)

// The second argument of ioprio_set(2) is that of these, as in linux/ioprio.h.
const (
	ioprioProcess = 1
	ioprioGroup   = 2
)

// keepNeighbours keeps from a program to change other processes of the user, and to make or enter namespaces, in
// which it would have capabilities. What a process says of itself by the number 0, as nice(1), ionice(1),
// taskset(1) and chrt(1) do, it may; by its own number it may not, since the filter cannot know that.
// The flags of clone3(2) are out of the filter's sight: without it the C library takes clone(2).
func (f *filter) keepNeighbours() {
	const all = ^uint32(0)
	for _, call := range scheduling {
		f.only(call, atFirst, all, unix.EPERM, 0)
	}
	f.need(unix.SYS_SETPRIORITY, atSecond, 0, unix.EPERM)
	f.only(unix.SYS_SETPRIORITY, atFirst, all, unix.EPERM, unix.PRIO_PROCESS, unix.PRIO_PGRP)
	f.need(unix.SYS_IOPRIO_SET, atSecond, 0, unix.EPERM)
	f.only(unix.SYS_IOPRIO_SET, atFirst, all, unix.EPERM, ioprioProcess, ioprioGroup)
	f.only(unix.SYS_UNSHARE, atFirst, newNamespaces|newTime, unix.EPERM, 0)
	f.only(unix.SYS_CLONE, atFirst, newNamespaces, unix.EPERM, 0)
	f.refuse(unix.ENOSYS, unix.SYS_CLONE3)
	f.refuse(unix.EPERM, unix.SYS_SETNS)
	f.refuse(unix.EPERM, foreignMemory...)
}
