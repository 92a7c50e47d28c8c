package executor

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"oneshot/pkg/chat"
)

// holdings are what this process has, and what could be left of something that it ran.
type holdings struct{ children, descriptors, goroutines, temporary int }

// held counts them.
func held(t testing.TB) holdings {
	t.Helper()
	h := holdings{goroutines: runtime.NumGoroutine()}
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no children can be counted: %v", err)
	}
	for _, task := range tasks {
		if pids, err := os.ReadFile(task); err == nil { // a thread can be gone by now
			h.children += len(bytes.Fields(pids))
		}
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h.descriptors, h.temporary = len(open), len(left)
	return h
}

// wantAsBefore fails unless this process has no more than before, soon. Goroutines that have
// nothing left to do are there for a moment.
func wantAsBefore(t testing.TB, before holdings) {
	t.Helper()
	var now holdings
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		now = held(t)
		if now.children <= before.children && now.descriptors <= before.descriptors && now.goroutines <= before.goroutines && now.temporary <= before.temporary {
			return
		}
	}
	t.Errorf("something is left: %+v, before %+v", now, before)
}

// wantNobody fails if a process runs that has a text among its words.
func wantNobody(t testing.TB, word string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatalf("no processes can be seen: %v", err)
	}
	for _, line := range lines {
		words, err := os.ReadFile(line)
		if err == nil && bytes.Contains(words, []byte(word)) {
			t.Errorf("%s is left: %q", filepath.Dir(line), words)
		}
	}
}

// A mark is a number of seconds that no other test sleeps, and no other suite, by which a process is known.
func mark(n int) string { return fmt.Sprintf("%d.%07d", 4000+n, os.Getpid()) }

// A server that says nothing for ever leaves nothing behind.
func TestRequestLeavesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("TMPDIR", t.TempDir()) // others work in the usual one
	before := held(t)
	def := requestTool(t, "http://"+l.Addr().String(), write, ", method: POST")
	def.Timeout = 50 * time.Millisecond
	wantError(t, requested(t, def, Env{}, ""), chat.Timeout, "may have taken effect")
	wantAsBefore(t, before)
}
