package subprocess

import "golang.org/x/sys/unix"

// foreignCall asks for a socket by its number in another interface (x32).
func foreignCall() error {
	if _, _, errno := unix.Syscall(x32Bit|unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0); errno != 0 {
		return errno
	}
	return nil
}
