package subprocess

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// machines are the processors whose system calls are known here, as seccomp(2) names them.
var machines = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Where seccomp_data has the number of a call, the processor and the arguments (little-endian).
const (
	atCall    = 0
	atMachine = 4
	atFirst   = 16
	atSecond  = 24
)

// foreign is from which number on calls are those of another interface (x32).
const foreign = 0x40000000

// sharing are the calls for what programs share by System V, and for queues of POSIX: Landlock lets nobody open one of
// these, but lets everybody make and remove it.
var sharing = []uint32{
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
}

// A filter is a program for the kernel that grows by tests of one system call each.
type filter []unix.SockFilter

func (f *filter) add(code uint16, jt, jf uint8, k uint32) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (f *filter) load(at uint32) { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, at) }
func (f *filter) deny(err unix.Errno) {
	f.add(unix.BPF_RET|unix.BPF_K, 0, 0, unix.SECCOMP_RET_ERRNO|uint32(err))
}
func (f *filter) allow()          { f.add(unix.BPF_RET|unix.BPF_K, 0, 0, unix.SECCOMP_RET_ALLOW) }
func (f *filter) unless(k uint32) { f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, k) } // skips one if it is k
func (f *filter) is(k uint32, skip int) {
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, uint8(skip), k)
}

// only lets a call through when the argument, of which mask counts, is one of some values.
func (f *filter) only(call uint32, at, mask uint32, err unix.Errno, values ...uint32) {
	f.is(call, 3+2*len(values))
	f.load(at)
	f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, mask)
	for _, v := range values {
		f.is(v, 1)
		f.allow()
	}
	f.deny(err)
}

// not lets a call through unless the argument is one of some values.
func (f *filter) not(call uint32, at uint32, err unix.Errno, values ...uint32) {
	f.is(call, 2+2*len(values))
	f.load(at)
	for _, v := range values {
		f.is(v, 1)
		f.deny(err)
	}
	f.allow()
}

// refuse refuses calls, whatever their arguments.
func (f *filter) refuse(err unix.Errno, calls ...uint32) {
	for _, call := range calls {
		f.is(call, 1)
		f.deny(err)
	}
}

// need denies a call unless an argument is a value.
func (f *filter) need(call uint32, at, value uint32, err unix.Errno) {
	f.is(call, 4)
	f.load(at)
	f.unless(value)
	f.deny(err)
	f.load(atCall)
}

// callFilter is what a program in a sandbox may ask the kernel.
//
//   - No sockets of the machine, and others only with the network. Pairs of sockets are pipes,
//     but datagrams can be sent from one to any address.
//   - No io_uring, which makes sockets past this filter.
//   - No keys of the user.
//   - No priorities, processors, limits and memory of other processes, and no namespaces.
//   - No memory, queues or semaphores of System V, and no queues of POSIX: they have no names that Landlock knows,
//     other programs of the user reach them, and they stay when the program is over.
//   - No owners and attributes of files, and where it writes none, no modes and times.
//   - No calls of another interface of the processor, which have other numbers.
func callFilter(machine uint32, network, writes bool) filter {
	var f filter
	f.load(atMachine)
	f.unless(machine)
	f.deny(unix.ENOSYS)
	f.load(atCall)
	f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, foreign)
	f.deny(unix.ENOSYS)
	f.refuse(unix.ENOSYS, sharing...)
	f.refuse(unix.ENOSYS, unix.SYS_IO_URING_SETUP, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY)
	f.keepMetadata(writes)
	families := []uint32{}
	if network {
		families = []uint32{unix.AF_INET, unix.AF_INET6}
	}
	const kind = 0xf // the type without its flags
	f.only(unix.SYS_SOCKET, atFirst, ^uint32(0), unix.EACCES, families...)
	f.need(unix.SYS_SOCKETPAIR, atFirst, unix.AF_UNIX, unix.EACCES)
	f.only(unix.SYS_SOCKETPAIR, atSecond, kind, unix.EACCES, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	f.keepNeighbours()
	f.allow()
	return f
}

// filterCalls puts the filter on this thread.
func filterCalls(network, writes bool) error {
	machine, ok := machines[runtime.GOARCH]
	if !ok {
		return errors.New("seccomp: the system calls of this processor are not known")
	}
	f := callFilter(machine, network, writes)
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// canFilter reports whether filterCalls would work: one without a program is EFAULT then.
func canFilter() bool {
	_, known := machines[runtime.GOARCH]
	return known && unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0) == unix.EFAULT
}
