package subprocess

import (
	"os"
	"strings"
	"testing"
	"time"
)

// confinement is one that tests run commands in.
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
