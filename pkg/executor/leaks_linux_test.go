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

// holdings counts the resources of this process that a program or a call could leave behind.
type holdings struct{ children, descriptors, goroutines, temporary int }

// held returns the current holdings.
func held(t testing.TB) holdings {
	t.Helper()
	h := holdings{goroutines: runtime.NumGoroutine()}
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no children can be counted: %v", err)
	}
	for _, task := range tasks {
		if pids, err := os.ReadFile(task); err == nil { // the thread may have ended
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

// wantAsBefore fails the test unless the holdings soon drop to those before. Ending goroutines need
// a moment.
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

// wantNobody fails the test if the command line of a process contains a word.
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

// A mark is a number of seconds, unique among all tests and test processes, that identifies a sleeping process.
func mark(n int) string { return fmt.Sprintf("%d.%07d", 4000+n, os.Getpid()) }

// A request to a server that never responds leaves nothing behind.
func TestRequestLeavesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("TMPDIR", t.TempDir()) // other test processes use the default folder
	before := held(t)
	def := requestTool(t, "http://"+l.Addr().String(), write, ", method: POST")
	def.Timeout = 50 * time.Millisecond
	wantError(t, requested(t, def, Env{}, ""), chat.Timeout, "may have taken effect")
	wantAsBefore(t, before)
}
