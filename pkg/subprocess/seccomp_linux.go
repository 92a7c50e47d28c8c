package subprocess

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// auditArches are the supported architectures, as in seccomp(2).
var auditArches = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Offsets in seccomp_data (little-endian).
const (
	atCall = 0
	atArch = 4
	atArg0 = 16
	atArg1 = 24
)

// x32Bit marks calls of the x32 ABI.
const x32Bit = 0x40000000

// ipcCalls are the calls for System V IPC and POSIX message queues: Landlock prevents opening them, but not creating and
// removing them.
var ipcCalls = []uint32{
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
}

// A filter is a BPF program under construction.
type filter []unix.SockFilter

func (f *filter) addInstruction(code uint16, jt, jf uint8, k uint32) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (f *filter) load(at uint32) { f.addInstruction(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, at) }
func (f *filter) deny(err unix.Errno) {
	f.addInstruction(unix.BPF_RET|unix.BPF_K, 0, 0, unix.SECCOMP_RET_ERRNO|uint32(err))
}
func (f *filter) allow() { f.addInstruction(unix.BPF_RET|unix.BPF_K, 0, 0, unix.SECCOMP_RET_ALLOW) }
func (f *filter) skipIfEqual(k uint32) {
	f.addInstruction(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, k)
} // skips one instruction if equal
func (f *filter) jumpUnlessEqual(k uint32, skip int) {
	f.addInstruction(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, uint8(skip), k)
}

// allowOnly allows a call only if the masked argument has one of these values.
func (f *filter) allowOnly(call uint32, at, mask uint32, err unix.Errno, values ...uint32) {
	f.jumpUnlessEqual(call, 3+2*len(values))
	f.load(at)
	f.addInstruction(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, mask)
	for _, v := range values {
		f.jumpUnlessEqual(v, 1)
		f.allow()
	}
	f.deny(err)
}

// denyValues allows a call unless the argument has one of these values.
func (f *filter) denyValues(call uint32, at uint32, err unix.Errno, values ...uint32) {
	f.jumpUnlessEqual(call, 2+2*len(values))
	f.load(at)
	for _, v := range values {
		f.jumpUnlessEqual(v, 1)
		f.deny(err)
	}
	f.allow()
}

// denyCalls denies calls regardless of their arguments.
func (f *filter) denyCalls(err unix.Errno, calls ...uint32) {
	for _, call := range calls {
		f.jumpUnlessEqual(call, 1)
		f.deny(err)
	}
}

// requireValue denies a call unless an argument has a value.
func (f *filter) requireValue(call uint32, at, value uint32, err unix.Errno) {
	f.jumpUnlessEqual(call, 4)
	f.load(at)
	f.skipIfEqual(value)
	f.deny(err)
	f.load(atCall)
}

// newFilter returns the system call filter of a sandbox.
//
//   - No Unix domain sockets, and other sockets only with network. Socket pairs are allowed as pipes, except datagram
//     pairs, which can send to any address.
//   - No io_uring, which creates sockets past this filter.
//   - No keys of the user.
//   - No control over priority, affinity, limits and memory of other processes, and no namespaces.
//   - No System V IPC and no POSIX message queues: they have no paths for Landlock, other programs of the user can reach
//     them, and they outlive the program.
//   - No changes of file owners and attributes, and without write access none of permissions and times.
//   - No calls of another ABI, which have other numbers.
func newFilter(machine uint32, network, writes bool) filter {
	var f filter
	f.load(atArch)
	f.skipIfEqual(machine)
	f.deny(unix.ENOSYS)
	f.load(atCall)
	f.addInstruction(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, x32Bit)
	f.deny(unix.ENOSYS)
	f.denyCalls(unix.ENOSYS, ipcCalls...)
	f.denyCalls(unix.ENOSYS, unix.SYS_IO_URING_SETUP, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY)
	f.denyFileMetadata(writes)
	families := []uint32{}
	if network {
		families = []uint32{unix.AF_INET, unix.AF_INET6}
	}
	const kind = 0xf // mask of the type without flags
	f.allowOnly(unix.SYS_SOCKET, atArg0, ^uint32(0), unix.EACCES, families...)
	f.requireValue(unix.SYS_SOCKETPAIR, atArg0, unix.AF_UNIX, unix.EACCES)
	f.allowOnly(unix.SYS_SOCKETPAIR, atArg1, kind, unix.EACCES, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	f.denyOtherProcesses()
	f.allow()
	return f
}

// installFilter installs the filter on this thread.
func installFilter(network, writes bool) error {
	machine, ok := auditArches[runtime.GOARCH]
	if !ok {
		return errors.New("seccomp: this architecture is not supported")
	}
	f := newFilter(machine, network, writes)
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// canFilter reports whether installFilter would work: the kernel then answers EFAULT to a nil program.
func canFilter() bool {
	_, known := auditArches[runtime.GOARCH]
	return known && unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0) == unix.EFAULT
}
