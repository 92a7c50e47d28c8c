package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file that changes while it is fixed is not replaced, and no temporary file remains.
func TestRewriteOfChangedFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		early  bool // before the first part that differs
		change func(path string) error
		want   string // "" if the file does not exist
	}{
		{"written", false, func(path string) error { return os.WriteFile(path, []byte("other and longer\n"), 0o600) }, "other and longer\n"},
		{"truncated early", true, func(path string) error { return os.Truncate(path, 2) }, "sa"},
		{"replaced", false, func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("same\nold\n"), 0o600), os.Rename(path+".new", path))
		}, "same\nold\n"},
		{"removed", false, os.Remove, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, w := newTestRewriter(t)
			dir := filepath.Dir(path)
			change := func(early bool) {
				if early == tt.early {
					if err := tt.change(path); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.add([]byte("same\n"), []byte("same\n")); err != nil {
				t.Fatal(err)
			}
			change(true)
			err := w.add([]byte("old\n"), []byte("new\n"))
			change(false)
			if err == nil {
				err = w.finish(1)
			}
			if !errors.Is(err, errFileChanged) || exitOf(err).Code != 74 {
				t.Errorf("%v", err)
			}
			w.discard()
			text, err := os.ReadFile(path)
			if string(text) != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("%q, %v", text, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 1 {
				t.Errorf("beside it: %v, %v", entries, err)
			}
		})
	}
}

// newTestRewriter returns the rewriter of a new file with two lines.
func newTestRewriter(t *testing.T) (path string, w *fileRewriter) {
	path = filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("same\nold\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, _, _ := testEnv()
	w, err := newFileRewriter(newConsole(env), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.discard)
	return path, w
}

// The beginning of a file is copied from the file that was opened first, also while its name refers to another one.
func TestRewriteCopiesOpenedFile(t *testing.T) {
	path, w := newTestRewriter(t)
	aside := filepath.Join(filepath.Dir(path), "aside.txt")
	if err := errors.Join(
		w.add([]byte("same\n"), []byte("same\n")),
		os.Rename(path, aside),
		os.WriteFile(path, []byte("a key\n"), 0o600),
		w.add([]byte("old\n"), []byte("new\n")),
		os.Rename(aside, path),
		w.finish(1),
	); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "same\nnew\n" {
		t.Errorf("%q, %v", text, err)
	}
}
