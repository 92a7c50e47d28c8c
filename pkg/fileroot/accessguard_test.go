package fileroot

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes files, each of which has its path as content, and opens their folder.
func tree(t *testing.T, names ...string) (*Root, string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, dir
}

// H1: every access to a denied file, in any spelling of its path and through any link, is refused with the rule and its
// reason; files beside it are accessible.
func TestGuards(t *testing.T) {
	r, dir := tree(t, "Keys/a.md", "Keys/sub/b.md", "open.md", "Keys2/c.md")
	for name, to := range map[string]string{"door": "Keys", "file.md": "Keys/a.md", "way.md": "Keys/back.md", "Keys/back.md": "../open.md", "fine.md": "open.md"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.AddGuards(nil, DenyPaths(Denial{"policy.files.keys", "keys stay here"}, "Keys"), DenyPaths(Denial{Rule: "other"}, "nothing/here"))
	const why = "keys stay here (policy.files.keys)"
	refused := func(what string, err error) {
		t.Helper()
		var e *PathError
		if !errors.As(err, &e) || e.Kind != Refused || e.Reason != why {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, name := range []string{"Keys/a.md", "./Keys/a.md", "kEYS/A.md", "Ke\u034fys/a.md", "door/a.md", "door/sub/b.md", "file.md", "way.md", "Keys/none", "Keys"} {
		_, err := r.Read(name, 100)
		refused("read "+name, err)
	}
	for _, name := range []string{"Keys/new.md", "keys/new/x.md", "Keys/a.md"} {
		for _, want := range []Precondition{"", Missing, Digest(nil)} {
			refused("write "+name, r.Write(name, nil, want))
		}
	}
	for _, name := range []string{"Keys", "door", "Keys/sub"} {
		_, err := r.WorkingDir(name)
		refused("folder "+name, err)
	}
	for _, name := range []string{"open.md", "fine.md", "Keys2/c.md"} {
		if _, err := r.Read(name, 100); err != nil {
			t.Error(err)
		}
	}
	if err := r.Write("Keys2/new.md", nil, ""); err != nil {
		t.Error(err)
	}
	if f, err := r.WorkingDir("."); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
	var got []string
	if err := r.Walk(t.Context(), func(path string, _ int64) error { got = append(got, path); return nil }, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Keys2/c.md", "Keys2/new.md", "open.md"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// counting is a guard that counts calls of Enter and denies one name.
type counting struct {
	names  *atomic.Int64
	denied string
}

func (c counting) Enter(name string) (Guard, *Denial) {
	c.names.Add(1)
	if name == c.denied {
		return nil, &Denial{Rule: "r"}
	}
	return c, nil
}

// A walk calls Enter once for each name, at any depth, and does not list denied folders.
func TestGuardedWalk(t *testing.T) {
	var names []string
	for i := range 40 {
		deep := strings.Repeat("d/", i%8) + "f" + strconv.Itoa(i)
		names = append(names, deep, "denied/"+deep)
	}
	r, _ := tree(t, names...)
	var asked atomic.Int64
	r.AddGuards(counting{&asked, "denied"})
	files := 0
	if err := r.Walk(t.Context(), func(string, int64) error { files++; return nil }, nil); err != nil {
		t.Fatal(err)
	}
	if entries := int64(40 + 7 + 1); files != 40 || asked.Load() != entries {
		t.Errorf("%d files, asked about %d names, there are %d", files, asked.Load(), entries)
	}
}

// H1: a link that alternates between targets never lets a read reach a denied file.
func TestGuardedRace(t *testing.T) {
	r, dir := tree(t, "Keys/a", "open/a")
	r.AddGuards(DenyPaths(Denial{Rule: "r"}, "Keys"))
	var turning sync.WaitGroup
	stop := make(chan struct{})
	turning.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			spare := filepath.Join(dir, "spare")
			_ = os.Symlink([]string{"Keys", "open"}[i%2], spare) // the last rename has removed it
			_ = os.Rename(spare, filepath.Join(dir, "door"))
		}
	})
	read := 0
	for range 3000 {
		if content, err := r.Read("door/a", 100); err == nil {
			read++
			if string(content) != "open/a" {
				t.Errorf("a denied file was read: %s", content)
				break
			}
		}
	}
	close(stop)
	turning.Wait()
	if read == 0 {
		t.Error("nothing was ever read")
	}
}
