package fileroot

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// H1: a walk opens no denied files or folders, and nothing below them.
func TestWalkOpensNothingDenied(t *testing.T) {
	r, dir := tree(t, "Keys/a.md", "Keys/sub/b.md", "open/c.md", "open/Keys/d.md")
	r.AddGuards(DenyPaths(Denial{Rule: "keys"}, "Keys", "open/Keys"))
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(watch)
	opens := func(folder string) bool {
		t.Helper()
		id, err := unix.InotifyAddWatch(watch, filepath.Join(dir, folder), unix.IN_OPEN)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Walk(t.Context(), func(string, int64) error { return nil }, nil); err != nil {
			t.Fatal(err)
		}
		n, err := unix.Read(watch, make([]byte, 4096))
		if err != nil && err != unix.EAGAIN {
			t.Fatal(err)
		}
		if _, err := unix.InotifyRmWatch(watch, uint32(id)); err != nil {
			t.Fatal(err)
		}
		for { // discards the remaining events, including the end of the watch
			if _, err := unix.Read(watch, make([]byte, 4096)); err != nil {
				return n > 0
			}
		}
	}
	for folder, want := range map[string]bool{"open": true, "Keys": false, "Keys/sub": false, "open/Keys": false} {
		if got := opens(folder); got != want {
			t.Errorf("a walk opens %s: %v", folder, got)
		}
	}
}
