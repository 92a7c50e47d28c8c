package fileroot

import (
	"os"
	"path/filepath"
	"testing"
)

// A path resolves to the target of its links, and never to a path outside the root.
func TestResolve(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"secret", "out", "a/b"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"pub": "secret/key", "out/l": "../a", "a/up": "..", "a/b/c": "../../out", "abs": "/etc", "loop": "loop",
		"far": "../x", "new": "secret/none", "two": "out/l",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]string{
		"secret/key": "secret/key", "./out/x": "out/x", "none/at/all": "none/at/all",
		"pub": "secret/key", "out/l/x": "a/x", "a/up/secret/key": "secret/key", "a/b/c/l/b": "a/b", "new": "secret/none", "two/b/c/x": "out/x",
		"abs": "", "abs/passwd": "", "loop": "", "far": "", "../x": "", "/x": "",
	} {
		got, err := root.Resolve(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s leads to %q, %v, want %q", name, got, err, want)
		}
	}
}
