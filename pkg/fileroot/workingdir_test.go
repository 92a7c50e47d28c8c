package fileroot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFolder(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755),
		os.WriteFile(filepath.Join(dir, "file"), nil, 0o644),
		os.Symlink("a/b", filepath.Join(dir, "in")),
		os.Symlink(outside, filepath.Join(dir, "out")),
		os.Symlink("../..", filepath.Join(dir, "a", "up")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, leads := range map[string]string{".": ".", "./": ".", "a": "a", "a/b/": "a/b", "in": "a/b"} {
		f, err := root.WorkingDir(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, errGot := f.Stat()
		want, errWant := os.Stat(filepath.Join(dir, leads))
		if errGot != nil || errWant != nil || !os.SameFile(got, want) {
			t.Errorf("%s leads elsewhere than to %s", name, leads)
		}
		f.Close()
	}
	for name, kind := range map[string]Kind{
		"file": NotFound, "none": NotFound, "out": Refused, "a/up": Refused, "..": Refused, "a/../..": Refused, "/": Refused, outside: Refused, "a\x00": Refused,
	} {
		f, err := root.WorkingDir(name)
		var refused *PathError
		if !errors.As(err, &refused) || refused.Kind != kind {
			t.Errorf("%q: %v, %v", name, f, err)
		}
	}
}
