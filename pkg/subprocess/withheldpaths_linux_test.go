package subprocess

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// H1: if a path below a folder is withheld, a sandbox grants the other entries on the way to it instead of the folder,
// as they exist at the start of each program, and no links.
func TestWithheld(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/b/keys", "a/b/other", "a/c/d", "e", "out/f"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(root, "a/b/keys")
	c := Confinement{Sandboxes: []Sandbox{{Read: []string{root, "/usr"}, Write: []string{filepath.Join(root, "out"), keys}}}}
	c.Withheld = func(path string) Extent {
		switch {
		case path == keys:
			return Nothing
		case strings.HasPrefix(keys, path+"/"):
			return Partial
		}
		return Whole
	}
	c.resolving.Do(c.resolve)
	granted := func() (read, write []string) {
		box := c.excludeWithheldPaths()[0]
		if !box.NoWorkDir {
			t.Error("the folder that a program runs in is granted by itself")
		}
		for _, list := range []struct {
			from []base64Text
			to   *[]string
		}{{box.Read, &read}, {box.Write, &write}} {
			for _, path := range list.from {
				rel, _ := filepath.Rel(root, string(path))
				if strings.HasPrefix(rel, "..") {
					rel = string(path)
				}
				*list.to = append(*list.to, rel)
			}
			slices.Sort(*list.to)
		}
		return read, write
	}
	read, write := granted()
	if diff := cmp.Diff([]string{"/usr", "a/b/other", "a/c", "e", "out"}, read); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"out"}, write); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := os.Mkdir(filepath.Join(root, "a/new"), 0o755); err != nil {
		t.Fatal(err)
	}
	if read, _ := granted(); !slices.Contains(read, "a/new") {
		t.Errorf("the next program does not get what is new: %q", read)
	}
	if err := c.checkProgramWithheld(keys); err == nil {
		t.Error("a program that is withheld can be run")
	}
}
