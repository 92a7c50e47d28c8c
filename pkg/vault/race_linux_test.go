package vault

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// M10: a folder and a link to the outside are exchanged in a loop while files
// are read and written below their name. Nothing outside is read or written.
func TestRace(t *testing.T) {
	w := newWorld(t)
	w.make(t, "real/o.txt", "INSIDE")
	w.make(t, "out", "->../outdir")
	name := func(s string) string { return filepath.Join(w.dir, s) }
	if err := os.Rename(name("real"), name("d")); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, name("d"), unix.AT_FDCWD, name("out"), unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("exchange: %v", err)
				return
			}
		}
	})
	reads, writes := 0, 0
	for i := range 20_000 {
		content, err := w.root.Read("d/o.txt", 100)
		if err == nil {
			reads++
		}
		if bytes.Contains(content, []byte("OUTSIDE")) {
			t.Fatal("read a file outside")
		}
		if i%20 == 0 && w.root.Write(fmt.Sprintf("d/w%d", i%7), []byte("W")) == nil {
			writes++
		}
	}
	close(done)
	wg.Wait()
	outside, err := os.ReadDir(filepath.Join(w.base, "outdir"))
	if err != nil || len(outside) != 1 {
		t.Errorf("outside: %v, %v", outside, err)
	}
	if reads == 0 || writes == 0 {
		t.Errorf("the race was not run: %d reads, %d writes succeeded", reads, writes)
	}
}
