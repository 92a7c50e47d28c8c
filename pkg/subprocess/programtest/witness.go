// Package programtest tells tests whether processes are there.
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

// A Witness learns from processes when they are there and when all have gone.
// They are told its path: a named pipe that each of them opens and holds.
type Witness struct {
	Path    string
	started chan string   // the first line that was written
	gone    chan struct{} // closed when nobody holds the pipe any more
}

// NewWitness returns one that listens until the processes have gone.
func NewWitness(t *testing.T) *Witness {
	t.Helper()
	w := &Witness{filepath.Join(t.TempDir(), "pipe"), make(chan string, 1), make(chan struct{})}
	if err := unix.Mkfifo(w.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	go w.listen()
	return w
}

func (w *Witness) listen() {
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

// Started tells, once, that a process is there, by the first line that was written.
func (w *Witness) Started() <-chan string { return w.started }

// WantStarted waits until the first process is there.
func (w *Witness) WantStarted(t *testing.T) {
	t.Helper()
	select {
	case <-w.started:
	case <-time.After(10 * time.Second):
		t.Fatal("no process has started")
	}
}

// WantGone fails unless all processes have gone, or go as soon as they are scheduled.
func (w *Witness) WantGone(t *testing.T) {
	t.Helper()
	select {
	case <-w.gone:
	case <-time.After(10 * time.Second):
		t.Error("a process is left")
	}
}

// Stubborn is a shell script: two processes that hold the pipe, and that do not heed SIGTERM.
func (w *Witness) Stubborn() string {
	return "trap '' TERM; exec 3>" + w.Path + "; sleep 1000 & echo here >&3; wait; sleep 1000"
}
