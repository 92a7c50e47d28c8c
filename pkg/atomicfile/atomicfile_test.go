package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestPendingFile checks that the result does not depend on whether the new file is
// unnamed at first, or has a temporary name because the file system has no
// unnamed files.
func TestPendingFile(t *testing.T) {
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
			path := filepath.Join(dir, "answer.json")
			mode := os.FileMode(0o644)
			if tt.old {
				mode = 0o600
				if err := os.WriteFile(path, []byte("yesterday"), mode); err != nil {
					t.Fatal(err)
				}
			}
			p := newPendingFile(path, 0o644, "a file")
			open := p.open
			if tt.named {
				open = p.openNamed
			}
			if err := open(); err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"to", "day"} {
				if _, err := p.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Commit(nil); err != nil {
				t.Fatal(err)
			}
			p.Discard()
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("beside it: %v, %v", entries, err)
			}
			text, err := os.ReadFile(path)
			if err != nil || string(text) != "today" {
				t.Errorf("%q, %v", text, err)
			}
			if info, err := os.Stat(path); err != nil || tt.old && info.Mode() != mode {
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

// TestCommitChecks checks that an error of the check prevents the replacement, and that a discarded file leaves
// nothing.
func TestCommitChecks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "answer")
	if err := os.WriteFile(path, []byte("yesterday"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := errors.New("changed")
	p := newPendingFile(path, 0o644, "a file")
	for _, open := range []func() error{p.open, p.openNamed} {
		if err := open(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte("today")); err != nil {
			t.Fatal(err)
		}
		if err := p.Commit(func() error { return changed }); !errors.Is(err, changed) {
			t.Errorf("%v, want %v", err, changed)
		}
		p.Discard()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("beside it: %v, %v", entries, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "yesterday" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// TestLinkFails checks that a copy of the new file takes the place of the old one if the system cannot link the new one.
func TestLinkFails(t *testing.T) {
	dir := t.TempDir()
	deleted := filepath.Join(dir, "deleted")
	f, err := os.OpenFile(deleted, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(deleted); err != nil { // no link to a deleted file is possible
		t.Fatal(err)
	}
	p := newPendingFile(filepath.Join(dir, "answer"), 0o644, "a file")
	p.f = f
	if _, err := p.Write([]byte("today")); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(nil); err != nil {
		t.Fatal(err)
	}
	p.Discard()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it: %v, %v", entries, err)
	}
	if text, err := os.ReadFile(p.path); err != nil || string(text) != "today" {
		t.Errorf("%q, %v", text, err)
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
