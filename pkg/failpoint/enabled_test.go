//go:build crash

package failpoint

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const inside = "FAULT_TEST_INSIDE"

// TestFaults checks that the selected fault happens once, at the selected point, and that the file names the point.
func TestFaults(t *testing.T) {
	if os.Getenv(inside) != "" {
		operate()
		return
	}
	for _, c := range []struct{ fault, says, where string }{
		{"kill 1", "", "before sync"},
		{"kill 2", "synced ", "after sync"},
		{"kill 3", "synced <nil> ", "before write"},
		{"kill 4", "synced <nil> ", "during write"},
		{"kill 5", "synced <nil> ", "after write"},
		{"kill 6", "synced <nil> wrote 4 <nil> text", ""},
		{"eio 1", "input/output error wrote 4 <nil> text", "before sync"},
		{"enospc 2", "synced <nil> wrote 0 no space left on device ", "before write"},
		{"short 1", "synced <nil> wrote 2 no space left on device te", "during write"},
	} {
		file := filepath.Join(t.TempDir(), "hit")
		cmd := exec.Command(os.Args[0], "-test.run=^TestFaults$")
		cmd.Env = append(os.Environ(), inside+"=1", EnvVar+"="+c.fault+" "+file)
		var out bytes.Buffer
		cmd.Stderr = &out
		err := cmd.Run()
		killed := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
		if want := c.fault[0] == 'k' && c.where != ""; killed != want {
			t.Errorf("%s: %v", c.fault, err)
		}
		if out.String() != c.says {
			t.Errorf("%s: %q, want %q", c.fault, out.String(), c.says)
		}
		hit, err := os.ReadFile(file)
		if name, _, _ := strings.Cut(string(hit), "\n"); name != c.where || (err != nil) != (c.where == "") {
			t.Errorf("%s was %q, want %q: %v", c.fault, name, c.where, err)
		}
	}
}

// operate does a sync and a write, and prints their results to stderr.
func operate() {
	err := Around("sync", func() error {
		fmt.Fprint(os.Stderr, "synced ")
		return nil
	})
	fmt.Fprint(os.Stderr, err, " ")
	var out bytes.Buffer
	n, err := Write("write", &out, []byte("text"))
	fmt.Fprintf(os.Stderr, "wrote %d %v %s", n, err, &out)
}
