package runner

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A witness learns from processes when they are there and when all have gone.
// They are told its path: a named pipe that each of them opens and holds.
type witness struct {
	path    string
	started chan string   // the first line that was written
	gone    chan struct{} // closed when nobody holds the pipe any more
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{filepath.Join(t.TempDir(), "pipe"), make(chan string, 1), make(chan struct{})}
	if err := unix.Mkfifo(w.path, 0o600); err != nil {
		t.Fatal(err)
	}
	go w.listen()
	return w
}

func (w *witness) listen() {
	defer close(w.gone)
	f, err := os.Open(w.path) // waits for a writer
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	line, _ := lines.ReadString('\n')
	w.started <- strings.TrimSpace(line)
	_, _ = io.Copy(io.Discard, lines)
}

// wantStarted waits until the first process is there.
func (w *witness) wantStarted(t *testing.T) {
	t.Helper()
	select {
	case <-w.started:
	case <-time.After(10 * time.Second):
		t.Fatal("no process has started")
	}
}

// wantGone fails unless all processes have gone, or go as soon as they are scheduled.
func (w *witness) wantGone(t *testing.T) {
	t.Helper()
	select {
	case <-w.gone:
	case <-time.After(10 * time.Second):
		t.Error("a process is left")
	}
}

// A screen is a Writer for several goroutines.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *screen) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *screen) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// shell is a program that does what it reads on stdin.
var shell = Program{Path: "/bin/sh", Env: []string{"PATH=" + os.Getenv("PATH")}}

// stubborn is a script for it: two processes that hold a witness's pipe, and
// that do not heed SIGTERM.
func stubborn(w *witness) string {
	return "trap '' TERM; exec 3>" + w.path + "; sleep 1000 & echo here >&3; wait; sleep 1000"
}

// Whatever the reason: when finish returns, the group has gone.
func TestFinish(t *testing.T) {
	stopped := errors.New("stopped")
	for _, c := range []struct {
		name, script string
		cut          bool
		want         string
	}{
		{"by itself", "exec 3>PIPE; echo here >&3", false, ""},
		{"with a child left", "exec 3>PIPE; echo here >&3; sleep 1000 &", false, ""},
		{"failing", "exec 3>PIPE; echo here >&3; exit 7", false, "exit status 7"},
		{"heeding SIGTERM", "exec 3>PIPE; echo here >&3; sleep 1000", true, "stopped"},
		{"not heeding it", "trap '' TERM; exec 3>PIPE; sleep 1000 & echo here >&3; wait; sleep 1000", true, "stopped"},
		{"stopped itself", "exec 3>PIPE; echo here >&3; kill -STOP $$; sleep 1000", true, "stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWitness(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			p, err := shell.start(nil, strings.NewReader(strings.ReplaceAll(c.script, "PIPE", w.path)))
			if err != nil {
				t.Fatal(err)
			}
			w.wantStarted(t)
			begin := time.Now()
			if c.cut {
				cancel(stopped)
			}
			err = p.finish(ctx)
			if took := time.Since(begin); took > 2*patience+time.Second {
				t.Errorf("it took %v", took)
			}
			if err == nil != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
			w.wantGone(t)
		})
	}
}

// Kill ends what does not heed a signal, and lets nothing start behind it.
func TestKill(t *testing.T) {
	program, w := shell, newWitness(t)
	program.All = new(Running)
	p, err := program.start(nil, strings.NewReader(stubborn(w)))
	if err != nil {
		t.Fatal(err)
	}
	w.wantStarted(t)
	program.All.Kill()
	<-p.ended
	w.wantGone(t)
	if _, err := program.start(nil, nil); !errors.Is(err, errOver) {
		t.Errorf("error %v, want %v", err, errOver)
	}
}

// The program sees no environment but its own.
func TestProgramEnvironment(t *testing.T) {
	t.Setenv("ONESHOT_TEST_SECRET", "hunter2")
	out := filepath.Join(t.TempDir(), "env")
	p, err := Program{Path: "/bin/sh"}.start([]string{"OUT=" + out}, strings.NewReader(`echo "<$ONESHOT_TEST_SECRET>" >$OUT`))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "<>\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestProgramMissing(t *testing.T) {
	missing := errors.New("not there")
	if _, err := (Program{Path: "/bin/sh", Err: missing}).start(nil, nil); !errors.Is(err, missing) {
		t.Errorf("error %v, want %v", err, missing)
	}
	if _, err := (Program{Path: "/nowhere/program"}).start(nil, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that says there is none", err)
	}
	if (Program{}).named() || !(Program{Err: missing}).named() {
		t.Error("a program that is not there is not none")
	}
}
