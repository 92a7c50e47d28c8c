//go:build unix

package atomicfile

import (
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestContentStaysPrivate checks that the content of a file that only its owner can read is never in a file that others
// can read.
func TestContentStaysPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(path, []byte("yesterday"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPendingFile(path, 0o644, "a file")
	if err := p.openNamed(); err != nil {
		t.Fatal(err)
	}
	defer p.Discard()
	if err := withoutSpace(t, func() error { _, err := p.Write([]byte("today")); return err }); err == nil {
		t.Error("the write did not fail")
	}
	info, err := os.Stat(p.temp)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("at the write the mode is %v", info.Mode())
	}
}

// withoutSpace calls a function while this process cannot write to files.
func withoutSpace(t *testing.T, do func() error) error {
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	none := before
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &none); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}()
	return do()
}
