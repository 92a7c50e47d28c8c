package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// -o and --write-baseline refuse a path with a link of another user in a sticky world-writable folder.
func TestStrangersLinks(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a link of another user")
	}
	base := t.TempDir()
	sticky, own := filepath.Join(base, "tmp"), filepath.Join(base, "own")
	for _, dir := range []string{sticky, own} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(sticky, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	link := func(name, to string, uid int) {
		if err := os.Symlink(to, filepath.Join(sticky, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(filepath.Join(sticky, name), uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	link("theirs", filepath.Join(own, "a.json"), 4321)
	link("theirdir", own, 4321)
	link("ours", filepath.Join(own, "a.json"), 0)
	link("dangling", filepath.Join(own, "none.json"), 4321)
	link("turn", "turn", 0)
	if err := os.Symlink(filepath.Join(sticky, "theirs"), filepath.Join(own, "over")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sticky, filepath.Join(own, "in")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "a.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, refused := range map[string]bool{
		"tmp/theirs": true, "tmp/theirdir/a.json": true, "tmp/theirdir/new.json": true, "tmp/dangling": true, "own/over": true, "tmp/turn": true,
		"tmp/ours": false, "tmp/new.json": false, "own/a.json": false, "own/../tmp/ours": false, "own/in/../tmp/theirs": true,
	} {
		for _, flag := range []string{"-o", "--write-baseline"} {
			_, err := resolveOutputFile(flag, base+"/"+name)
			if (err != nil) != refused {
				t.Errorf("%s %s: %v, want refused %v", flag, name, err, refused)
			}
			if err != nil && exitOf(err).Code != 2 {
				t.Errorf("%s %s: exit %d", flag, name, exitOf(err).Code)
			}
		}
	}
	pipe := &outputFile{path: filepath.Join(sticky, "theirs"), direct: true}
	if err := pipe.write([]byte("x")); err == nil || !strings.Contains(err.Error(), "link of another user") {
		t.Errorf("a device: %v", err)
	}
}
