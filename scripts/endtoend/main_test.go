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
		if err := os.Chdir("../.."); err != nil { // file names in these tests are relative to the project
			panic(err)
		}
		syscall.Umask(0o022) // scripts write policies, and a policy that a group can write is refused
		if signal.Ignored(os.Interrupt) {
			// A background job of a shell ignores the interrupt, and so would the programs that scripts end by this signal.
			signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		}
	}
	testscript.Main(m, programs)
}

// oneshotMain does the same as main.go after [subprocess.RunHelper].
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

// administeredMain is oneshot on a machine with a managed policy, managed/policy.yaml in the working directory. Neither
// scripts nor users can choose its path.
func administeredMain() {
	env := cmd.OS()
	env.ManagedPolicy, env.Administrator = "managed/policy.yaml", os.Getuid()
	run(env)
}

func TestScript(t *testing.T) {
	testscript.Run(t, params(slices.DeleteFunc(scriptFiles(t), isAboutServers), ""))
}

// TestServerScripts runs the scripts about model servers once for each protocol: the command server speaks it, $API is
// its name, and [api:NAME] is true. Most of their time is waiting, so the protocols run in parallel; together they may
// not take longer than four minutes.
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

// params are the parameters of scripts about a protocol, or of the other scripts if api is empty.
func params(files []string, api modelserver.API) testscript.Params {
	return testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Values[serversKey{}] = map[string]*swapped{}
			env.Setenv("API", string(api))
			env.Setenv("MODEL", "scripted")
			env.Setenv("MARK", fmt.Sprintf("%07d", os.Getpid())) // makes words unique, so that no process of another suite is found
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

// isolate gives each script a home of its own. Scripts do not inherit a proxy of the person who runs the tests. $PROJECT is
// the folder of the project, $VAULT and $SCHEMA are the notes and the schema of the demo run.
func isolate(env *testscript.Env) error {
	env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
	for name, path := range map[string]string{"PROJECT": ".", "VAULT": "prompts/demo/vault", "SCHEMA": "prompts/demo/todo.schema.json"} {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		env.Setenv(name, abs)
	}
	return nil
}

// condition evaluates the conditions of scripts: [shared] is true if the captured replies of other programs are
// available, [hangup] if SIGHUP ends a program, which it does not under nohup, [root] if the user is root, who can write
// read-only files, [sandbox] if the kernel can confine programs, [race] if the race detector is on, [full] if tests use
// their largest inputs, [api:NAME] in the scripts about a protocol.
func condition(name string, api modelserver.API) (bool, error) {
	switch name {
	case "shared":
		return os.Getenv("ONESHOT_SHARED") != "", nil
	case "root":
		return os.Geteuid() == 0, nil
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

// exits runs "exits CODE PROGRAM ARG…" and fails unless the program ends with exactly that code. Its output is
// available as after exec.
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
