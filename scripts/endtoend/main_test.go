package endtoend

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"oneshot/cmd"
	"oneshot/internal/testsize"
	"oneshot/pkg/subprocess"
	"oneshot/scripts/modelserver"
)

// The scripts in testdata/script run the program as a user does: the binary
// under test is the test binary itself, called "oneshot".

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

func TestMain(m *testing.M) {
	subprocess.RunHelper()
	programs := contractPrograms()
	programs["oneshot"], programs["administered"], programs["signal"] = oneshotMain, administeredMain, signalMain
	if _, isProgram := programs[filepath.Base(os.Args[0])]; !isProgram {
		if err := os.Chdir("../.."); err != nil { // to the project, from which these tests name files
			panic(err)
		}
		syscall.Umask(0o022) // scripts write policies, and one that a group can write is refused
		if signal.Ignored(os.Interrupt) {
			// As in a shell's background job. Scripts end programs by this signal, and what is ignored is inherited.
			signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		}
	}
	testscript.Main(m, programs)
}

// oneshotMain is what main.go does behind program.Help.
func oneshotMain() {
	cmd.Harden()
	run(cmd.OS())
}

// run runs the command line and exits.
func run(env cmd.Env) {
	ctx, stop := cmd.Signals(context.Background())
	code := cmd.Main(ctx, env)
	stop()
	os.Exit(code)
}

// administeredMain is oneshot on a machine with a managed policy, managed/policy.yaml in the working directory. Scripts
// cannot name it in another way, and neither can users.
func administeredMain() {
	env := cmd.OS()
	env.ManagedPolicy, env.Administrator = "managed/policy.yaml", os.Getuid()
	run(env)
}

func TestScript(t *testing.T) {
	testscript.Run(t, params(slices.DeleteFunc(scriptFiles(t), isAboutServers), ""))
}

// TestServerScripts runs the scripts about model servers once for each protocol:
// the command server speaks it, $API is its name, and [api:NAME] holds. Most of them wait,
// so that the protocols take turns; together they may not take longer than four minutes.
func TestServerScripts(t *testing.T) {
	scripts := slices.DeleteFunc(scriptFiles(t), func(file string) bool { return !isAboutServers(file) })
	for _, api := range modelserver.APIs {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			p := params(scripts, api)
			p.Deadline = time.Now().Add(4 * time.Minute)
			testscript.Run(t, p)
		})
	}
}

func scriptFiles(t *testing.T) []string {
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts (%v)", err)
	}
	return scripts
}

func isAboutServers(file string) bool {
	name := filepath.Base(file)
	return strings.HasPrefix(name, "fault_") || strings.HasPrefix(name, "server_")
}

// params are the parameters of scripts about a protocol, or about any if api is
// empty.
func params(files []string, api modelserver.API) testscript.Params {
	return testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Values[serversKey{}] = map[string]*swapped{}
			env.Setenv("API", string(api))
			env.Setenv("MODEL", "scripted")
			env.Setenv("MARK", fmt.Sprintf("%07d", os.Getpid())) // for words by which no process of another suite is found
			return isolate(env)
		},
		Condition: func(name string) (bool, error) { return condition(name, api) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "ollama": ollama, "server": server, "attack": attack, "tried": tried, "approval": approval, "executable": executable, "terminal": terminal, "nobody": nobody,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
	}
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
// captured replies of other programs are at hand, [hangup] where SIGHUP ends a program, which
// it does not under nohup, [sandbox] where the kernel holds programs to one, [race] where the race detector
// is on, [full] where tests try their largest inputs, [api:NAME] in the scripts about a protocol.
func condition(name string, api modelserver.API) (bool, error) {
	switch name {
	case "shared":
		return os.Getenv("ONESHOT_SHARED") != "", nil
	case "sandbox":
		err := (&subprocess.Confinement{Sandboxes: []subprocess.Sandbox{{}}}).Check()
		if err != nil && runtime.GOOS == "linux" && testsize.IsLong() {
			return false, fmt.Errorf("ONESHOT_TESTS=long skips no sandbox: %w", err)
		}
		return err == nil, nil
	case "race":
		return testsize.RaceDetector, nil
	case "full":
		return testsize.IsLong(), nil
	case "hangup":
		return !signal.Ignored(syscall.SIGHUP), nil
	}
	if want, ok := strings.CutPrefix(name, "api:"); ok {
		return want == string(api), nil
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
	if code := exitCode(ts, args[1:]); code != want {
		ts.Fatalf("exit %d, want %d", code, want)
	}
}

// exitCode runs a program and returns the code with which it ends.
func exitCode(ts *testscript.TestScript, args []string) int {
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}
