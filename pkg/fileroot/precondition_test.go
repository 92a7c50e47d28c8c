package fileroot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file is written only if the precondition holds; otherwise nothing changes.
func TestPreconditions(t *testing.T) {
	fine := Digest([]byte("fine")) // the content of ok.txt
	for _, c := range []struct {
		path string
		want Precondition
		kind Kind // "" for success
	}{
		{"ok.txt", "", ""},
		{"ok.txt", fine, ""},
		{"ok.txt", Precondition(strings.ToUpper(string(fine))), ""},
		{"ok.txt", Digest([]byte("other")), Changed},
		{"ok.txt", Digest(nil), Changed},
		{"ok.txt", fine[:63], Changed},
		{"ok.txt", "sha256:" + fine, Changed},
		{"ok.txt", Missing, Changed},
		{"new.txt", Missing, ""},
		{"new.txt", fine, Changed},
		{"new/deep/x.txt", Missing, ""},
		{"new/deep/x.txt", fine, Changed},
		{"empty", Digest(nil), ""},
		{"a", Missing, NotRegular},
		{"a", fine, NotRegular},
		{"ok.txt/x", fine, Changed},
		{"ok.txt/x", Missing, NotFound},
		{"link", fine, Refused},
		{"gone", Missing, Refused},
		{"hard", fine, Refused},
		{".git/config", Missing, Refused},
	} {
		t.Run(fmt.Sprintf("%s %.6s", c.path, c.want), func(t *testing.T) {
			w := newWorld(t)
			for name, what := range map[string]string{"empty": "", "link": "->ok.txt", "gone": "->missing", "hard": "=hardlink {BASE}/secret.txt"} {
				w.make(t, name, what)
			}
			before := w.snapshot(t)
			err := w.root.Write(c.path, []byte("written"), c.want)
			if c.kind == "" {
				if got, readErr := os.ReadFile(filepath.Join(w.dir, c.path)); err != nil || string(got) != "written" {
					t.Errorf("%q, %v, %v", got, err, readErr)
				}
				return
			}
			w.wantRefusal(t, err, c.kind)
			if diff := cmp.Diff(before, w.snapshot(t)); diff != "" {
				t.Errorf("something changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A file that is too large to be compared is not replaced.
func TestPreconditionOfLargeFile(t *testing.T) {
	w := newWorld(t)
	if err := os.Truncate(filepath.Join(w.dir, "ok.txt"), maxDigestBytes+1); err != nil {
		t.Fatal(err)
	}
	w.wantRefusal(t, w.root.Write("ok.txt", nil, Digest(nil)), TooLarge)
}

// another returns another root for the same folder, like that of another process.
func (w world) another(t *testing.T) *Root {
	t.Helper()
	root, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// Of many concurrent writes with the same precondition one succeeds, for an existing file and for a new one.
func TestOneWriteWins(t *testing.T) {
	w := newWorld(t)
	for round := range 20 {
		path, want := fmt.Sprintf("new/%d", round), Missing
		if round%2 == 0 {
			path = "ok.txt"
			now, err := w.root.Read(path, 100)
			if err != nil {
				t.Fatal(err)
			}
			want = Digest(now)
		}
		var won atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			root := w.another(t)
			wg.Go(func() {
				err := root.Write(path, []byte(fmt.Sprintf("%d by %d", round, i)), want)
				var clash *PathError
				switch {
				case err == nil:
					won.Add(1)
				case !errors.As(err, &clash) || clash.Kind != Changed:
					t.Errorf("%s: %v", path, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%s: %d writes succeeded", path, won.Load())
		}
	}
	w.wantNoTempFiles(t)
}

// No change is lost: concurrent increments of a number add up.
func TestNoLostUpdate(t *testing.T) {
	w := newWorld(t)
	if err := w.root.Write("n", []byte("0"), Missing); err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 25
	var wg sync.WaitGroup
	for range writers {
		root := w.another(t)
		wg.Go(func() {
			for done := 0; done < each; {
				now, err := root.Read("n", 100)
				if err != nil {
					t.Error(err)
					return
				}
				n, err := strconv.Atoi(string(now))
				if err != nil {
					t.Errorf("half a number was read: %q", now)
					return
				}
				var clash *PathError
				err = root.Write("n", []byte(strconv.Itoa(n+1)), Digest(now))
				switch {
				case err == nil:
					done++
				case !errors.As(err, &clash) || clash.Kind != Changed:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got, err := w.root.Read("n", 100); err != nil || string(got) != strconv.Itoa(writers*each) {
		t.Errorf("%q, %v", got, err)
	}
	w.wantNoTempFiles(t)
}

// wantNoTempFiles checks that no write has left a temporary file.
func (w world) wantNoTempFiles(t testing.TB) {
	t.Helper()
	for name := range w.snapshot(t) {
		if isTempName(filepath.Base(name)) {
			t.Errorf("%s was left behind", name)
		}
	}
}
