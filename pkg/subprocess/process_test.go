package subprocess

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/subprocess/programtest"
)

// shell is a program that runs commands from stdin.
var shell = Program{Path: "/bin/sh", Env: []string{"PATH=" + os.Getenv("PATH")}}

// When Finish returns, no process of the group is left.
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
			w := programtest.NewWitness(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			p, err := shell.Start(nil, strings.NewReader(strings.ReplaceAll(c.script, "PIPE", w.Path)))
			if err != nil {
				t.Fatal(err)
			}
			w.WantStarted(t)
			begin := time.Now()
			if c.cut {
				cancel(stopped)
			}
			err = p.Finish(ctx)
			if took := time.Since(begin); took > time.Minute {
				t.Errorf("it took %v", took)
			}
			if err == nil != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
			w.WantGone(t)
		})
	}
}

// Kill ends programs that ignore signals, and prevents new ones.
func TestKill(t *testing.T) {
	program, w := shell, programtest.NewWitness(t)
	program.All = new(Running)
	p, err := program.Start(nil, strings.NewReader(w.Stubborn()))
	if err != nil {
		t.Fatal(err)
	}
	w.WantStarted(t)
	program.All.Kill()
	<-p.ended
	w.WantGone(t)
	if _, err := program.Start(nil, nil); !errors.Is(err, errClosed) {
		t.Errorf("error %v, want %v", err, errClosed)
	}
}

// The program sees no environment but its own.
func TestProgramEnvironment(t *testing.T) {
	t.Setenv("ONESHOT_TEST_SECRET", "hunter2")
	out := filepath.Join(t.TempDir(), "env")
	p, err := Program{Path: "/bin/sh"}.Start([]string{"OUT=" + out}, strings.NewReader(`echo "<$ONESHOT_TEST_SECRET>" >$OUT`))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "<>\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestProgramMissing(t *testing.T) {
	missing := errors.New("not there")
	if _, err := (Program{Path: "/bin/sh", Err: missing}).Start(nil, nil); !errors.Is(err, missing) {
		t.Errorf("error %v, want %v", err, missing)
	}
	if _, err := (Program{Path: "/nowhere/program"}).Start(nil, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that says there is none", err)
	}
	if (Program{}).IsNamed() || !(Program{Err: missing}).IsNamed() {
		t.Error("a program that is not there is not none")
	}
}
