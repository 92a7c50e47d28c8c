package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace checks that the result does not depend on whether the new file is
// unnamed at first, or has a temporary name because the file system has no
// unnamed files.
func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		name  string
		named bool // the new file has a temporary name at first
		old   bool // the file exists already
	}{
		{"without a name, new", false, false},
		{"without a name, replaced", false, true},
		{"named, new", true, false},
		{"named, replaced", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			to := writer{filepath.Join(dir, "answer.json"), []byte("today"), 0o644, "a file"}
			mode := os.FileMode(0o644)
			if tt.old {
				mode = 0o600
				if err := os.WriteFile(to.path, []byte("yesterday"), mode); err != nil {
					t.Fatal(err)
				}
			}
			if !tt.named {
				if err := Replace(to.path, to.content, to.mode, to.what); err != nil {
					t.Fatal(err)
				}
			} else if fresh := to.tempName(); to.writeNamed(fresh) != nil || os.Rename(fresh, to.path) != nil {
				t.Fatal("not written")
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("beside it: %v, %v", entries, err)
			}
			text, err := os.ReadFile(to.path)
			if err != nil || string(text) != "today" {
				t.Errorf("%q, %v", text, err)
			}
			if info, err := os.Stat(to.path); err != nil || tt.old && info.Mode() != mode {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// TestWriteFails checks that a failed write keeps the old file and leaves no
// temporary one.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "answer")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil { // a non-empty directory cannot be replaced
		t.Fatal(err)
	}
	if err := Replace(path, []byte("today"), 0o644, "a file"); err == nil {
		t.Error("a directory was replaced")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it: %v, %v", entries, err)
	}
}

// TestLock checks that a lock is held until its file is closed.
func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); !errors.Is(err, ErrLocked) {
		t.Errorf("the second lock: %v", err)
	}
	first.Close()
	if err := Lock(second); err != nil {
		t.Error(err)
	}
	second.Close()
}
