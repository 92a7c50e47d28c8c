package cmd

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRelative(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"root/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("root/sub", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("root", filepath.Join(dir, "door")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../root/sub", filepath.Join(dir, "other", "way")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, test := range []struct {
		dir, name, rel string
		below          bool
	}{
		{"root", "root/policy", "policy", true},
		{"root", "root", ".", true},
		{"root", "link/run.jsonl", "sub/run.jsonl", true}, // not there yet
		{"root", "link/new/run.jsonl", "sub/new/run.jsonl", true},
		{"door", "root/sub/x", "sub/x", true},
		{"root", filepath.Join(dir, "door", "x"), "x", true},
		{"root", "other/x", "", false},
		{"root/sub", "root", "", false},
		{"root", "rooted/x", "", false},
		{"root", "root/..x", "..x", true},
		{"root", "other/way/..", ".", true}, // .. after a link
		{"other", "other/way/..", "", false},
		{"other/way/..", "root/x", "x", true},
		{"root", "other/way/../new/x", "new/x", true},
		{"root", "root/new/../x", "x", true},
		{"root", "", "", false},
	} {
		rel, below := relativeTo(test.dir, test.name)
		if below != test.below || below && rel != test.rel {
			t.Errorf("relative(%q, %q) = %q, %v", test.dir, test.name, rel, below)
		}
	}
}
