package subprocess

import (
	"os"
	"strings"
	"testing"
	"time"
)

// confinement returns the usual confinement of the tests.
func confinement() *Confinement {
	return &Confinement{Helper: []string{"/proc/self/exe"}, All: new(Running)}
}

func folder(t testing.TB) *os.File {
	t.Helper()
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		script, stdin, out, err string
		exit, left              int
		signal                  string
	}{
		{script: `echo out; echo err >&2; exit 3`, out: "out\n", err: "err\n", exit: 3},
		{script: `cat`, stdin: "in", out: "in"},
		{script: `cat`},
		{script: `kill -9 $$`, exit: -1, signal: "killed"},
		{script: `sleep 60 & echo $?`, out: "0\n", left: 1},
		{script: `setsid sleep 60 & sleep 0.1; (setsid sleep 61 & ) ; sleep 0.1; echo`, out: "\n", left: 2},
	} {
		begin := time.Now()
		got, err := confinement().Run(t.Context(), Command{Argv: []string{"sh", "-c", c.script}, Dir: folder(t), Stdin: []byte(c.stdin)})
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
		}
		t.Log(time.Since(begin))
		if string(got.Stdout.Bytes) != c.out || !strings.HasPrefix(string(got.Stderr.Bytes), c.err) || got.Exit != c.exit || got.Signal != c.signal || got.LeftBehind != c.left {
			t.Errorf("%s: %+v", c.script, got)
		}
	}
}

// The output of a program is read to its end, even if the reader gets no CPU time for longer than the grace period.
func TestLateReader(t *testing.T) {
	const size = 60 << 10 // fits a pipe
	var p pipes
	for range 4 {
		if err := p.addPipe(false); err != nil {
			t.Fatal(err)
		}
	}
	s := &supervised{reports: p.ours[0], orders: p.ours[3], printed: [2]*os.File{p.ours[1], p.ours[2]}, reported: make(chan struct{})}
	s.out, s.err = Command{}.newCaptures(func() {})
	if _, err := p.theirs[1].Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	_ = p.theirs[1].Close()
	defer closeAll(p.theirs) // a process that could not be killed holds stderr
	_ = p.theirs[0].Close()
	go s.readReports()
	go s.err.readPipe(p.ours[2])
	go func() {
		time.Sleep(2 * termGrace)
		s.out.readPipe(p.ours[1])
	}()
	s.drainStreams()
	if s.out.text.Total != size {
		t.Errorf("%d of %d bytes", s.out.text.Total, size)
	}
}
