//go:build linux && !amd64

package subprocess

import "golang.org/x/sys/unix"

func foreignCall() error { return unix.ENOSYS }
