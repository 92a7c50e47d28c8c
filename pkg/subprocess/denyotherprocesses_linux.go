package subprocess

import "golang.org/x/sys/unix"

// Landlock does not restrict control over other processes of the same user: the kernel checks only the owner.

// schedulingCalls take a process ID as first argument; 0 is the calling process.
var schedulingCalls = []uint32{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_PRLIMIT64}

// processMemoryCalls access other processes. Landlock allows them only for descendants, and only with recent kernels; no
// tool program needs them.
var processMemoryCalls = []uint32{
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_MIGRATE_PAGES,
}

// cloneNewFlags are the namespace flags of clone(2). newTime is a flag of unshare(2) only: clone uses the bit for the
// signal.
const (
	cloneNewFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	newTime       = unix.CLONE_NEWTIME
)

// First arguments of ioprio_set(2), from linux/ioprio.h.
const (
	ioprioProcess = 1
	ioprioGroup   = 2
)

// denyOtherProcesses denies control over other processes of the user, and namespaces, in which the program would have
// capabilities. A process may change itself by the ID 0, as nice(1), ionice(1), taskset(1) and chrt(1) do, but not by its
// own ID, which the filter does not know. The filter cannot see the flags of clone3(2): without it the C library falls
// back to clone(2).
func (f *filter) denyOtherProcesses() {
	const all = ^uint32(0)
	for _, call := range schedulingCalls {
		f.allowOnly(call, atArg0, all, unix.EPERM, 0)
	}
	f.requireValue(unix.SYS_SETPRIORITY, atArg1, 0, unix.EPERM)
	f.allowOnly(unix.SYS_SETPRIORITY, atArg0, all, unix.EPERM, unix.PRIO_PROCESS, unix.PRIO_PGRP)
	f.requireValue(unix.SYS_IOPRIO_SET, atArg1, 0, unix.EPERM)
	f.allowOnly(unix.SYS_IOPRIO_SET, atArg0, all, unix.EPERM, ioprioProcess, ioprioGroup)
	f.allowOnly(unix.SYS_UNSHARE, atArg0, cloneNewFlags|newTime, unix.EPERM, 0)
	f.allowOnly(unix.SYS_CLONE, atArg0, cloneNewFlags, unix.EPERM, 0)
	f.denyCalls(unix.ENOSYS, unix.SYS_CLONE3)
	f.denyCalls(unix.EPERM, unix.SYS_SETNS)
	f.denyCalls(unix.EPERM, processMemoryCalls...)
}
