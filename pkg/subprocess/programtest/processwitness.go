// Package programtest reports to tests whether processes are running.
package programtest

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A Witness observes processes that hold its named pipe open: whether they have started, and when all have ended.
type Witness struct {
	Path    string
	started chan string   // first line written
	gone    chan struct{} // closed when no process holds the pipe
}

// NewWitness returns a witness that listens until the processes have ended.
func NewWitness(t *testing.T) *Witness {
	t.Helper()
	w := &Witness{filepath.Join(t.TempDir(), "pipe"), make(chan string, 1), make(chan struct{})}
	if err := unix.Mkfifo(w.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	go w.watchPipe()
	return w
}

func (w *Witness) watchPipe() {
	defer close(w.gone)
	f, err := os.Open(w.Path) // waits for a writer
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	line, _ := lines.ReadString('\n')
	w.started <- strings.TrimSpace(line)
	_, _ = io.Copy(io.Discard, lines)
}

// Started returns a channel with the first line that a process wrote.
func (w *Witness) Started() <-chan string { return w.started }

// WantStarted waits until the first process has started.
func (w *Witness) WantStarted(t *testing.T) {
	t.Helper()
	select {
	case <-w.started:
	case <-time.After(10 * time.Second):
		t.Fatal("no process has started")
	}
}

// WantGone fails the test unless all processes end soon.
func (w *Witness) WantGone(t *testing.T) {
	t.Helper()
	select {
	case <-w.gone:
	case <-time.After(10 * time.Second):
		t.Error("a process is left")
	}
}

// Stubborn is a shell script: two processes that hold the pipe and ignore SIGTERM.
func (w *Witness) Stubborn() string {
	return "trap '' TERM; exec 3>" + w.Path + "; sleep 1000 & echo here >&3; wait; sleep 1000"
}
