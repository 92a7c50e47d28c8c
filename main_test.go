package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/script run the program as a user does: the binary
// under test is the test binary itself, called "oneshot".

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"oneshot": main, "signal": signalMain})
}

func TestScript(t *testing.T) {
	dir := filepath.Join("testdata", "script")
	if scripts, err := filepath.Glob(filepath.Join(dir, "*.txtar")); err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts in %s (%v)", dir, err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Setup:               isolate,
		Condition:           condition,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "ollama": ollama},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
	})
}

// isolate gives each script a home of its own. No proxy of the person who runs
// the tests is inherited. $VAULT and $SCHEMA are what the demo run works on.
func isolate(env *testscript.Env) error {
	env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
	for name, path := range map[string]string{"VAULT": "testdata/vault", "SCHEMA": "testdata/readme/todo.schema.json"} {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		env.Setenv(name, abs)
	}
	return nil
}

// condition tells scripts about their surroundings: [shared] holds where the
// captured replies of other programs are at hand.
func condition(name string) (bool, error) {
	if name == "shared" {
		return os.Getenv("ONESHOT_SHARED") != "", nil
	}
	return false, errors.New("unknown condition " + name)
}

// exits runs "exits CODE PROGRAM ARG…" and fails unless the program ends with
// exactly that code. What it printed can be looked at as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code, err := 0, ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	ts.Check(err)
	if code != want {
		ts.Fatalf("exit %d, want %d", code, want)
	}
}
