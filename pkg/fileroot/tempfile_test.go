package fileroot

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A stale temporary file, or anything else with its name, is removed and never written through; the target of a
// link stays unchanged.
func TestStaleTempFiles(t *testing.T) {
	for _, left := range []string{"half of a", "->ok.txt", "->missing", "->../secret.txt", "->../newfile", "=hardlink {BASE}/secret.txt", "=fifo", "=socket"} {
		for _, want := range []Precondition{"", Missing} {
			t.Run(left, func(t *testing.T) {
				w := newWorld(t)
				own := tempNameOf("new.txt")
				before := w.snapshot(t)
				w.make(t, own, left)
				if err := w.root.Write("new.txt", []byte("all of it"), want); err != nil {
					t.Fatal(err)
				}
				after := w.snapshot(t)
				if got := after[filepath.Join(w.dir, "new.txt")]; !strings.HasSuffix(got, " all of it") {
					t.Errorf("%q was written", got)
				}
				for name, was := range before {
					if after[name] != was {
						t.Errorf("%s changed from %q to %q", name, was, after[name])
					}
				}
				if len(after) != len(before)+1 {
					t.Errorf("%d files became %d", len(before), len(after))
				}
			})
		}
	}
}

// A folder with the name of a temporary file that cannot be removed is an error without other effects.
func TestTempFileIsFolder(t *testing.T) {
	w := newWorld(t)
	w.file(t, filepath.Join(w.dir, tempNameOf("ok.txt"), "x"), "y")
	w.wantRefusal(t, w.root.Write("ok.txt", []byte("new"), ""), Failed)
	if got, err := w.root.Read("ok.txt", 100); err != nil || string(got) != "fine" {
		t.Errorf("%q, %v", got, err)
	}
}

// A write waits for another writer of the same file, but not forever.
func TestTempFileOfAnotherWriter(t *testing.T) {
	w := newWorld(t)
	other, err := newTempFile(location{w.root.root, "ok.txt"}, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	w.wantRefusal(t, w.another(t).Write("ok.txt", []byte("new"), ""), Changed)
	if took := time.Since(begin); took < lockTimeout || took > time.Minute {
		t.Errorf("waited for %v", took)
	}
	if err := w.root.Write("else.txt", nil, ""); err != nil {
		t.Errorf("another file: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, other.discard)
	if err := w.root.Write("ok.txt", []byte("new"), ""); err != nil {
		t.Errorf("after the other: %v", err)
	}
	w.wantNoTempFiles(t)
}

// The names of temporary files cannot be written.
func TestTempFileNames(t *testing.T) {
	w := newWorld(t)
	own := tempNameOf("ok.txt")
	for _, path := range []string{own, "a/" + strings.ToUpper(own), ".oneshot-x.tmp/y", ".ONESHOT-.tmp"} {
		w.wantRefusal(t, w.root.Write(path, nil, ""), Refused)
	}
	if !isTempName(own) || isTempName(".oneshot-x") || isTempName("oneshot-x.tmp") {
		t.Error("drafts are not told from files")
	}
}

const killedHere = "VAULT_TEST_KILLED"

// A process that is killed during a write leaves the old content or the new one, and the next write removes
// its temporary file.
func TestKilledWrite(t *testing.T) {
	if dir := os.Getenv(killedHere); dir != "" {
		writeForever(dir)
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	w := newWorld(t)
	left := 0
	for i := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWrite$")
		cmd.Env = append(os.Environ(), killedHere+"="+w.dir)
		cmd.Stderr = t.Output()
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
		cmd.Process.Signal(unix.SIGKILL)
		cmd.Wait()
		content, err := w.root.Read("ok.txt", 100<<20)
		if err != nil || len(content) != forever || bytes.Count(content, content[:1]) != forever {
			t.Fatalf("%d bytes, %v", len(content), err)
		}
		if _, err := os.Lstat(filepath.Join(w.dir, tempNameOf("ok.txt"))); err == nil {
			left++
		}
	}
	t.Logf("%d of 20 killed writes left a draft", left)
	if err := w.root.Write("ok.txt", []byte("healed"), ""); err != nil {
		t.Fatal(err)
	}
	w.wantNoTempFiles(t)
}

// forever is the size of each write of writeForever in bytes.
const forever = 8 << 20

// writeForever writes a file again and again.
func writeForever(dir string) {
	root, err := Open(dir)
	for letter := byte('a'); err == nil; letter = 'a' + (letter-'a'+1)%26 {
		if err = root.Write("ok.txt", bytes.Repeat([]byte{letter}, forever), ""); err == nil && letter == 'a' {
			_, err = os.Stdout.WriteString("w")
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A file can be read at every moment while it is replaced again and again.
func TestReadWhileReplaced(t *testing.T) {
	w := newWorld(t)
	var over atomic.Bool
	var readers sync.WaitGroup
	for _, read := range []func(string, int64) ([]byte, error){w.root.Read, w.root.ReadResolved} {
		readers.Go(func() {
			for !over.Load() {
				if content, err := read("ok.txt", 100); err != nil || string(content) != "fine" {
					t.Errorf("%q, %v", content, err)
					return
				}
			}
		})
	}
	for range 300 {
		if err := w.root.Write("ok.txt", []byte("fine"), ""); err != nil {
			t.Error(err)
			break
		}
	}
	over.Store(true)
	readers.Wait()
}

// D5: for any number of free descriptors, a write that fails has not replaced the file.
func TestWriteWithoutDescriptors(t *testing.T) {
	w := newWorld(t)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = 64
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &old) }()
	failed, written := 0, 0
	for left := range 12 {
		for _, want := range []Precondition{"", Missing} {
			name, before := "ok.txt", "fine"
			if want == Missing {
				name, before = fmt.Sprintf("new%d.txt", left), ""
			}
			content := fmt.Sprint("with ", left)
			err := withDescriptors(t, left, func() error { return w.root.Write(name, []byte(content), want) })
			got, _ := os.ReadFile(filepath.Join(w.dir, name))
			switch {
			case err == nil && string(got) == content:
				written++
			case err != nil && (string(got) == before || strings.HasPrefix(string(got), "with ") && string(got) != content):
				failed++
			default:
				t.Errorf("%d descriptors, %q: error %v, content %q", left, want, err, got)
			}
		}
	}
	if failed < 4 || written < 4 {
		t.Errorf("%d failed, %d written", failed, written)
	}
}

// withDescriptors calls f while only this number of descriptors is free.
func withDescriptors(t *testing.T, left int, f func() error) error {
	t.Helper()
	var taken []int
	for {
		fd, err := unix.Dup(0)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	for _, fd := range taken[:left] {
		unix.Close(fd)
	}
	err := f()
	for _, fd := range taken[left:] {
		unix.Close(fd)
	}
	return err
}
