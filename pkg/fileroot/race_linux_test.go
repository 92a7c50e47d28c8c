package fileroot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A swap exchanges a file or folder in the root for a link to the outside or to a protected name, or for a pipe.
type swap struct {
	name string                    // in the root
	what func(at string) error     // makes the replacement
	evil func(fi os.FileInfo) bool // reports whether a file is still the replacement
}

func isLink(fi os.FileInfo) bool { return fi.Mode()&os.ModeSymlink != 0 }
func isFIFO(fi os.FileInfo) bool { return fi.Mode()&os.ModeNamedPipe != 0 }
func isHard(fi os.FileInfo) bool { return fi.Mode().IsRegular() && linkCount(fi) > 1 }

func linkTo(target string) func(string) error {
	return func(at string) error { return os.Symlink(target, at) }
}

// raced counts the operations of a race.
type raced struct{ swaps, reads, writes, refused, resolved, walked atomic.Int64 }

// M10: for five seconds, folders, files and their parents are exchanged for links to the outside, for
// hard links to files there and for pipes, as fast as possible, while other goroutines read, write, resolve
// and walk. No file outside is read or written, and no protected file inside is written.
func TestRace(t *testing.T) {
	length := 5 * time.Second
	if testing.Short() {
		length = time.Second
	}
	w := newWorld(t)
	for _, name := range []string{"d/o.txt", "p/q/r/o.txt", "f", "g", "h", "n", "w", "s/o.txt", "t"} {
		w.file(t, filepath.Join(w.dir, name), "INSIDE")
	}
	w.file(t, filepath.Join(w.dir, ".git/config"), "STEERS")
	secret := filepath.Join(w.base, "secret.txt")
	swaps := []swap{
		{"d", linkTo("../outdir"), isLink},
		{"p/q/r", linkTo(filepath.Join(w.base, "outdir")), isLink},
		{"p", linkTo("../outdir"), isLink},
		{"f", linkTo("../secret.txt"), isLink},
		{"g", linkTo(secret), isLink},
		{"h", func(at string) error { return os.Link(secret, at) }, isHard},
		{"n", func(at string) error { return syscall.Mkfifo(at, 0o644) }, isFIFO},
		{"w", linkTo("../new.txt"), isLink},
		{"s", linkTo(".git"), isLink},
		{"t", linkTo(".git/config"), isLink},
	}
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var n raced
	var wg sync.WaitGroup
	for i := range swaps {
		wg.Go(func() { w.exchange(ctx, t, swaps[i], &n) })
	}
	paths := []string{"d/o.txt", "d/new", "p/q/r/o.txt", "p/q/r/x/y", "p/o.txt", "f", "g", "h", "n", "w", "w/x", "s/config", "s/new"}
	for i := range 4 {
		wg.Go(func() { w.use(ctx, t, paths, i, &n) })
	}
	wg.Go(func() { // Write and ReadResolved never follow the links to protected names
		for ctx.Err() == nil {
			_ = w.root.Write("s/config", []byte("EVIL"), Digest([]byte("STEERS")))
			for _, name := range []string{"s/config", "t"} {
				if content, err := w.root.ReadResolved(name, 100); err == nil && string(content) != "INSIDE" {
					t.Errorf("%s: %q was read through a link", name, content)
				}
			}
		}
	})
	wg.Wait()
	t.Logf("%d swaps; %d reads and %d writes succeeded, %d uses were refused, %d paths were resolved, %d files walked over",
		n.swaps.Load(), n.reads.Load(), n.writes.Load(), n.refused.Load(), n.resolved.Load(), n.walked.Load())
	w.wantOutside(t)
	for _, count := range []*atomic.Int64{&n.swaps, &n.reads, &n.writes, &n.refused, &n.resolved, &n.walked} {
		if count.Load() < 20 {
			t.Errorf("there was no race")
		}
	}
}

// exchange swaps back and forth until ctx ends.
func (w world) exchange(ctx context.Context, t *testing.T, s swap, n *raced) {
	evil := filepath.Join(w.base, "evil "+strings.ReplaceAll(s.name, "/", "_"))
	name := filepath.Join(w.dir, s.name)
	for ctx.Err() == nil {
		if fi, err := os.Lstat(evil); err != nil || !s.evil(fi) { // a write may replace it
			err := os.RemoveAll(evil)
			if errors.Is(err, unix.ENOTEMPTY) { // a write still uses the folder
				continue
			}
			if err := errors.Join(err, s.what(evil)); err != nil {
				t.Error(err)
				return
			}
		}
		for range 2 {
			switch err := unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, evil, unix.RENAME_EXCHANGE); {
			case err == nil:
				n.swaps.Add(1)
			case !errors.Is(err, unix.ENOENT): // its parent is swapped
				t.Errorf("%s: %v", s.name, err)
				return
			}
		}
	}
}

// use reads, writes, resolves and walks until ctx ends.
func (w world) use(ctx context.Context, t *testing.T, paths []string, first int, n *raced) {
	for i := first; ctx.Err() == nil; i++ {
		name := paths[i%len(paths)]
		var err error
		switch {
		case i%16 == 3:
			if err = w.root.Write(name, []byte("INSIDE"), ""); err == nil {
				n.writes.Add(1)
			}
		case i%16 == 7:
			if err = w.root.Write(name, []byte("INSIDE"), Digest([]byte("INSIDE"))); err == nil {
				n.writes.Add(1)
			}
		case i%16 == 11:
			var to string
			if to, err = w.root.Resolve(name); err == nil {
				n.resolved.Add(1)
				if to != path.Clean(to) || path.IsAbs(to) || strings.HasPrefix(to, "..") {
					t.Errorf("%s leads to %q", name, to)
				}
			}
		case i%64 == 15:
			err = w.root.Walk(ctx, func(string, int64) error { n.walked.Add(1); return nil }, nil)
		default:
			var content []byte
			if content, err = w.root.Read(name, 100); err == nil {
				n.reads.Add(1)
			}
			if bytes.Contains(content, []byte("OUTSIDE")) || bytes.Contains(content, []byte("SECRET")) {
				t.Errorf("%s: %q was read from outside", name, content)
				return
			}
		}
		if err != nil && ctx.Err() == nil {
			n.refused.Add(1)
			w.wantRefusal(t, err)
		}
	}
}

// wantOutside checks that the files outside the root and the protected files in it are unchanged.
func (w world) wantOutside(t *testing.T) {
	t.Helper()
	for name, what := range w.snapshot(t) {
		rel, err := filepath.Rel(w.base, name)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(rel, "/")
		switch {
		case strings.HasPrefix(rel, "vault/.git/") && rel != "vault/.git/config", rel == "vault/.git/config" && !strings.HasSuffix(what, " STEERS"):
			t.Errorf("protected: %s is %q", rel, what)
		case first == "." || first == "vault" || strings.HasPrefix(first, "evil "):
		case rel == "outdir" && strings.HasPrefix(what, "d"), rel == "secret.txt" && strings.HasSuffix(what, " SECRET"), rel == "outdir/o.txt" && strings.HasSuffix(what, " OUTSIDE"):
		default:
			t.Errorf("outside: %s is %q", rel, what)
		}
	}
	if names, err := os.ReadDir(filepath.Join(w.base, "outdir")); err != nil || len(names) != 1 {
		t.Errorf("outside: %v, %v", fmt.Sprint(names), err)
	}
}
