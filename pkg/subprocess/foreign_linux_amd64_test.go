package subprocess

import "golang.org/x/sys/unix"

// foreignCall makes a socket with a system call of another ABI (x32).
func foreignCall() error {
	if _, _, errno := unix.Syscall(x32Bit|unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0); errno != 0 {
		return errno
	}
	return nil
}
