package cmd

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestHarden(t *testing.T) {
	var before, after unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &before); err != nil {
		t.Fatal(err)
	}
	dumpable := func() int {
		n, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	was := dumpable()
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_CORE, &before); err != nil {
			t.Error(err)
		}
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(was), 0, 0, 0); err != nil {
			t.Error(err)
		}
	})
	Harden()
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &after); err != nil || after.Cur != 0 || after.Max != before.Max {
		t.Errorf("%+v, %v", after, err)
	}
	if got := dumpable(); got != 0 {
		t.Errorf("dumpable: %d", got)
	}
}
