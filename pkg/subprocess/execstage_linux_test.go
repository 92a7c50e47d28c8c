package subprocess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// output runs a shell script and returns its output.
func output(t *testing.T, c *Confinement, script string, env ...string) string {
	t.Helper()
	got, err := c.Run(t.Context(), Command{Argv: []string{"/bin/sh", "-c", script}, Dir: folder(t), Env: env})
	if err != nil || got.Exit != 0 || len(got.Stderr.Bytes) > 0 {
		t.Fatalf("%s: %v, %+v, %s", script, err, got, got.Stderr.Bytes)
	}
	return string(got.Stdout.Bytes)
}

// A program sees only the environment and files that it is given.
func TestEnvironment(t *testing.T) {
	t.Setenv("ONESHOT_TEST_SECRET", "hunter2")
	c := confinement()
	temp := strings.TrimSpace(output(t, c, `echo "$TMPDIR"`))
	if !strings.HasPrefix(temp, os.TempDir()+"/oneshot-") {
		t.Errorf("the temporary folder is %s", temp)
	}
	want := []string{"HOME=TEMP", "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=TEMP"}
	for _, c := range []struct {
		zone string
		path []string
		more []string
		want []string
	}{
		{want: want},
		{zone: "Asia/Tokyo", path: []string{"/usr/bin", "/opt/x"}, want: []string{"HOME=TEMP", "LANG=C.UTF-8", "PATH=/usr/bin:/opt/x", "TMPDIR=TEMP", "TZ=Asia/Tokyo"}},
		{more: []string{"A=b=c\xff", "HOME=/root", "LANG=", "A=last"}, want: []string{"A=last", "HOME=/root", "LANG=", want[2], want[3]}},
		{more: []string{"B=\xff\n"}, want: slices.Concat([]string{"B=\xff\n"}, want)},
	} {
		confined := confinement()
		confined.Zone, confined.Path = c.zone, c.path
		got, err := confined.Run(t.Context(), Command{Argv: []string{"/usr/bin/env", "-0"}, Dir: folder(t), Env: c.more})
		if err != nil {
			t.Fatal(err)
		}
		seen := strings.Split(strings.TrimSuffix(string(got.Stdout.Bytes), "\x00"), "\x00")
		for i, v := range seen {
			if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(value, os.TempDir()+"/oneshot-") {
				seen[i] = name + "=TEMP"
			}
		}
		if !slices.Equal(seen, c.want) {
			t.Errorf("%q, want %q", seen, c.want)
		}
	}
}

func TestUnsafeVariables(t *testing.T) {
	for _, name := range []string{
		"LD_PRELOAD", "ld_preload", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "IFS", "PROMPT_COMMAND", "GIT_CONFIG_COUNT",
		"GIT_CONFIG_KEY_0", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "BASH_FUNC_ls%%", "PATH",
	} {
		if !UnsafeVariable(name) {
			t.Errorf("%s passes", name)
		}
		var start *StartError
		_, err := confinement().Run(t.Context(), Command{Argv: []string{"true"}, Dir: folder(t), Env: []string{name + "=x"}})
		if !errors.As(err, &start) || start.Kind != Refused || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"HOME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK", "USER", "GIT_AUTHOR_NAME", "HTTPS_PROXY", "KUBECONFIG", "API_KEY", "OLD_STYLE"} {
		if UnsafeVariable(name) {
			t.Errorf("%s does not pass", name)
		}
	}
}

// The initial state of a program does not depend on the state of its caller.
func TestStage(t *testing.T) {
	c := confinement()
	held, err := unix.Open("/", unix.O_RDONLY, 0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	if got := output(t, c, "exec ls /proc/self/fd"); got != "0\n1\n2\n3\n" { // descriptor 3 is the folder that ls reads
		t.Errorf("descriptors %q", got)
	}
	if got, want := output(t, c, "nice"), fmt.Sprintln(niceness(t)); got != want {
		t.Errorf("niceness %s, want %s", got, want)
	}
	if got := output(t, c, "umask; ulimit -c; grep NoNewPrivs /proc/self/status"); got != "0077\n0\nNoNewPrivs:\t1\n" {
		t.Errorf("%q", got)
	}
	if got := output(t, c, "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'"); got != "SigBlk:0000000000000000SigIgn:0000000000000000" {
		t.Errorf("signals %q", got)
	}
	if got := output(t, c, "ps -o sid=,pgid=,tty= -p $$ 2>/dev/null || cut -d' ' -f5-7 /proc/$$/stat"); got == "" {
		t.Error("no session")
	}
	if got := output(t, c, "grep -E 'Flags' /proc/self/task/*/children /proc/self/fdinfo/1 2>/dev/null; sed -n 's/flags:\\s*0*//p' /proc/self/fdinfo/0 /proc/self/fdinfo/2 | tr '\\n' ' '"); strings.Contains(got, "4000") {
		t.Errorf("a stream that does not block: %s", got)
	}
	if got := output(t, c, "echo x >$TMPDIR/f; cat $TMPDIR/f; pwd; cat"); !strings.HasPrefix(got, "x\n/") {
		t.Errorf("%q", got)
	}
}

// A program does not inherit signals that its caller ignores, as nohup does.
func TestStageSignals(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command("/bin/sh", "-c", `trap '' HUP INT QUIT PIPE TSTP TTIN TTOU TERM CHLD USR1 34; exec "$@"`, "sh", exe, "probe", "script", "grep SigIgn /proc/self/status >out")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	if got, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(got) != "SigIgn:\t0000000000000000\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// If the stack of the caller is unlimited, the stack of a program, and of each of its threads, has the default limit.
func TestStack(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command("/bin/sh", "-c", `ulimit -s unlimited || exit; exec "$0" probe script "ulimit -s >out; ulimit -Hs >>out"`, exe)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Skip("a stack without a limit is not allowed here: ", err, string(out))
	}
	if got, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(got) != "8192\n4194304\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLimits(t *testing.T) {
	c := confinement()
	c.Memory, c.FileSize, c.OpenFiles = 256<<20, 4096, 20
	if got := output(t, c, "ulimit -d; ulimit -Hd; ulimit -v; ulimit -Hs; ulimit -n; ulimit -Hn; ulimit -f; ulimit -Hf"); got != "262144\n262144\n134479872\n262144\n20\n20\n8\n8\n" {
		t.Errorf("%q", got)
	}
	for _, script := range []string{
		"head -c 8192 /dev/zero >f",
		"head -c 1000000000 /dev/zero | tail",
		"exec 19</dev/null; exec 20</dev/null",
	} {
		got, err := c.Run(t.Context(), Command{Argv: []string{"bash", "-c", script}, Dir: folder(t)})
		if err != nil || got.Exit == 0 {
			t.Errorf("%s: %v, %+v, %s", script, err, got, got.Stderr.Bytes)
		}
	}
	got, err := confinement().Run(t.Context(), Command{Argv: []string{"sh", "-c", "kill -SEGV $$"}, Dir: folder(t)})
	if err != nil || got.SignalNumber != int(unix.SIGSEGV) || got.Signal != "segmentation fault" {
		t.Errorf("%v, %+v", err, got)
	}
}

// The memory limit counts used memory, not reserved address space.
func TestMemory(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := confinement()
	c.Memory = 1 << 30
	for words, want := range map[string]string{
		"reserve 64":  "ok",
		"reserve 200": "ENOMEM", // the address space is limited because of page tables
		"use 16":      "ok",
		"use 1100":    "ENOMEM",
		"fill 1100":   "ENOMEM", // reserved memory counts when it becomes writable
	} {
		got, err := c.Run(t.Context(), Command{Argv: append([]string{exe, "probe"}, strings.Fields(words)...), Dir: folder(t)})
		if err != nil || string(got.Stdout.Bytes) != want {
			t.Errorf("%s: %v, %s, %.500s; want %s", words, err, got.Stdout.Bytes, got.Stderr.Bytes, want)
		}
	}
}

// The waiting helper takes almost no CPU time and little memory.
func TestHelperWaits(t *testing.T) {
	got := output(t, confinement(), "sleep 1; cut -d' ' -f14,15 /proc/$PPID/stat; sed -n 's/RssAnon:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$PPID/status")
	var user, system, anonymous int // in hundredths of seconds, and KiB
	if _, err := fmt.Sscan(got, &user, &system, &anonymous); err != nil || user+system > 20 || anonymous > 60<<10 {
		t.Errorf("%q, %v", got, err)
	}
	t.Log(got)
}

// The number of processes is limited by the kernel, except for root, and by the supervisor.
func TestProcessLimit(t *testing.T) {
	c := confinement()
	c.Processes = 20
	got, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", "for i in $(seq 300); do setsid sleep 100 & done; sleep 100"}, Dir: folder(t)})
	if err != nil || got.Exit == 0 || got.LeftBehind < 5 || !got.TooManyProcesses && (unix.Getuid() == 0 || got.LeftBehind > 60) {
		t.Errorf("%v, %+v, %s", err, got, got.Stderr.Bytes)
	}
}

// niceness returns the niceness of the tests, which may run under nice(1).
func niceness(t *testing.T) int {
	t.Helper()
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - priority // the system call returns 20 minus the niceness
}

// A fork bomb ends at its time limit or before, and leaves no process.
func TestForkBomb(t *testing.T) {
	if unix.Getuid() == 0 {
		t.Skip("a bomb of root would be a danger to the machine if this fails")
	}
	dir := folder(t)
	c := confinement()
	c.Processes = 100
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for _, bomb := range []string{"b() { b | b & }; b; sleep 1000", "b() { setsid sh -c \"$B\" & setsid sh -c \"$B\" & }; while :; do b; done"} {
		l := newLedger(t)
		begin := time.Now()
		got, err := c.Run(ctx, Command{Argv: []string{"bash", "-c", bomb}, Dir: dir, Env: []string{l.mark, "B=while :; do setsid sh -c \"$B\" & done"}})
		if took := time.Since(begin); err != nil && !errors.Is(err, context.DeadlineExceeded) || took > killTimeout {
			t.Errorf("%s: %v, %v, %+v", bomb, took, err, got)
		}
		l.want(t)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
	}
}

const nobodyRuns = "TestSandbox|TestMetadata|TestStage|TestEnv|TestLimits|TestMemory|TestProcessLimit|TestForkBomb|TestLeakKilled|TestLeaks/(set|double|folders)"

// Many of these tests take other paths for root, so TestAsNobody runs them as another user.
func TestAsNobody(t *testing.T) {
	t.Parallel()
	if unix.Getuid() != 0 || testing.Short() {
		t.Skip("only for root")
	}
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, "program.test")
	// A program forked by a parallel test would hold the file open for writing, and the start below would be refused.
	syscall.ForkLock.RLock()
	err = errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.WriteFile(copied, exe, 0o755))
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(copied, "-test.run", nobodyRuns, "-test.v")
	c.Dir, c.Env = "/", []string{"PATH=/usr/bin:/bin"}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestProcessLimit") || !strings.Contains(string(out), "--- PASS: TestSandbox/") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct {
		argv []string
		kind Kind
		want string
	}{
		{nil, Refused, "no program to run"},
		{[]string{""}, Refused, "no program to run"},
		{[]string{"no-such-program"}, NotFound, "no-such-program: no such program in " + dir},
		{[]string{"/no/such/program"}, NotFound, "/no/such/program: no such program"},
		{[]string{"./tool"}, Refused, "./tool: the program is a relative path"},
		{[]string{"../bin/ls"}, Refused, "a relative path"},
		{[]string{".."}, Refused, "a relative path"},
		{[]string{"plain"}, NotFound, "no such program"},
		{[]string{file("plain", "x", 0o644)}, Refused, "it is not executable"},
		{[]string{dir}, Refused, "it is not a regular file"},
		{[]string{"odd"}, Refused, "not in an executable format"},
		{[]string{file("lost", "#!/no/such/interpreter\n", 0o755)}, NotFound, "does not exist"},
		{[]string{"echo", "a\x00b"}, Refused, "NUL"},
		{[]string{"echo", long}, TooLong, "exceed the system limit"},
		{slices.Repeat([]string{"echo"}, 300<<10), TooLong, "exceed"},
		{slices.Repeat([]string{"echo"}, 2<<20), TooLong, "exceed"},
	} {
		confined := confinement()
		confined.Path = []string{dir, "relative", "/bin"}
		file("odd", "\x00\x01", 0o755)
		got, err := confined.Run(t.Context(), Command{Argv: c.argv, Dir: folder(t)})
		var start *StartError
		if !errors.As(err, &start) || start.Kind != c.kind || !strings.Contains(err.Error(), c.want) || got.Exit != 0 && got.Exit != -1 {
			t.Errorf("%.100q: %v", c.argv, err)
		}
	}
	var start *StartError
	if _, err := (&Confinement{}).Run(t.Context(), Command{Argv: []string{"true"}, Dir: folder(t)}); !errors.As(err, &start) || start.Kind != Unsupported {
		t.Errorf("without a helper: %v", err)
	}
	if _, err := confinement().Run(t.Context(), Command{Argv: []string{"true"}}); !errors.As(err, &start) || start.Kind != Refused {
		t.Errorf("without a folder: %v", err)
	}
}

// Arguments and stdin are passed unchanged, whatever they contain.
func TestExactly(t *testing.T) {
	words := []string{"printf", "%s|", "", " ", "$(touch x)", "*", "a;b", "\xff\xfe", "\"'\\", "é\n\t", strings.Repeat("w", 100<<10)}
	got, err := confinement().Run(t.Context(), Command{Argv: words, Dir: folder(t)})
	if want := strings.Join(words[2:], "|") + "|"; err != nil || string(got.Stdout.Bytes) != want {
		t.Errorf("%v, %.200q", err, got.Stdout.Bytes)
	}
	in := []byte(strings.Repeat("\x00\xff\n", 300<<10))
	got, err = confinement().Run(t.Context(), Command{Argv: []string{"cat"}, Stdin: in, Max: 4 << 20, Dir: folder(t)})
	if err != nil || string(got.Stdout.Bytes) != string(in) || got.Stdout.Truncated() {
		t.Errorf("%v, %d bytes", err, got.Stdout.Total)
	}
	got, err = confinement().Run(t.Context(), Command{Argv: []string{"true"}, Stdin: in, Dir: folder(t)}) // reads nothing
	if err != nil || got.Exit != 0 {
		t.Errorf("%v, %+v", err, got)
	}
}

// The captured output is limited, and a program with much more output is killed.
func TestPrinted(t *testing.T) {
	for _, c := range []struct {
		script   string
		out, err int64
		cut      bool
		flooded  bool
	}{
		{"head -c 1000 /dev/zero", 1000, 0, false, false},
		{"head -c 1001 /dev/zero", 1001, 0, true, false},
		{"head -c 9000 /dev/zero; head -c 7000 /dev/zero >&2", 9000, 7000, true, false},
		{"head -c 9000 /dev/zero; head -c 7001 /dev/zero >&2; sleep 1000", 9000, 7001, true, true},
	} {
		got, err := confinement().Run(t.Context(), Command{Argv: []string{"sh", "-c", c.script}, Dir: folder(t), Max: 1000})
		if err != nil || got.Stdout.Total != c.out || got.Stderr.Total != c.err || got.Stdout.Truncated() != c.cut || got.Flooded != c.flooded || len(got.Stdout.Bytes) > 1000 || len(got.Stderr.Bytes) > 1000 {
			t.Errorf("%s: %v %d %d %v", c.script, err, got.Stdout.Total, got.Stderr.Total, got.Flooded)
		}
	}
}

// The end of a program does not affect the processes of other programs.
func TestSideBySide(t *testing.T) {
	l := newLedger(t)
	dir := folder(t)
	l.descriptors++
	c := confinement()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			got, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", fmt.Sprintf("setsid sleep 1000 & echo %d; sleep 0.%d; exit %d", i, i, i)}, Dir: dir, Env: []string{l.mark}})
			if err != nil || got.Exit != i || got.LeftBehind != 1 || string(got.Stdout.Bytes) != fmt.Sprintln(i) {
				t.Errorf("%d: %v %+v", i, err, got)
			}
		})
	}
	all.Wait()
	l.want(t)
}

// Orphans become children of the helper's main thread, also if another thread of the helper runs the
// supervisor.
func TestHelperElsewhere(t *testing.T) {
	l := newLedger(t)
	dir := folder(t)
	l.descriptors++
	c := confinement()
	c.Helper = append(c.Helper, "elsewhere")
	got, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", "(setsid sleep 1000 &) ; setsid sleep 1000 & exit 3"}, Dir: dir, Env: []string{l.mark}})
	if err != nil || got.Exit != 3 || got.LeftBehind != 2 {
		t.Errorf("%v %+v", err, got)
	}
	l.want(t)
}

// Kill ends all running programs, and no program starts afterwards.
func TestKillCommands(t *testing.T) {
	l := newLedger(t)
	dir := folder(t)
	l.descriptors++
	c := confinement()
	done := make(chan error)
	go func() {
		_, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", "trap '' TERM; setsid sleep 1000 & echo >started; sleep 1000"}, Dir: dir, Env: []string{l.mark}})
		done <- err
	}()
	await(t, "it starts", func() bool { _, err := os.Stat(filepath.Join(dir.Name(), "started")); return err == nil })
	c.All.Kill()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := c.Run(t.Context(), Command{Argv: []string{"true"}, Dir: dir}); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
	l.want(t)
}

// D1: if the helper is killed, no process of its program is left, not even in another session or without
// its parent, and other programs continue.
func TestHelperKilled(t *testing.T) {
	if !BecomeSubreaper() {
		t.Fatal("no subreaper")
	}
	for name, script := range map[string]string{
		"by the program":     "sleep 1000 & kill -9 $PPID; sleep 1000",
		"by another session": `setsid sh -c "sleep 0.1; kill -9 $PPID; HANG" & (setsid HANG &) ; sleep 1000`,
		"and a chain":        "f() { [ $1 = 0 ] && kill -9 $PPID && sleep 1000; (f $(($1-1)) &) ; }; f 50; sleep 0.1; kill -9 $PPID; HANG",
		"again and again":    "g() { i=0; while [ $i -lt 300 ]; do i=$((i+1)); (setsid sleep 1000 &) ; done; }; g & g & sleep 0.2; kill -9 $PPID; g",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(t)
			dir := folder(t)
			l.descriptors++
			c := confinement()
			c.ReapsOrphans = true
			other := make(chan string, 1)
			go func() {
				got, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", "setsid sleep 0.6 & sleep 0.5; echo done"}, Dir: dir})
				other <- fmt.Sprint(string(got.Stdout.Bytes), err)
			}()
			got, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", strings.ReplaceAll(script, "HANG", deaf)}, Dir: dir, Env: []string{l.mark}})
			if !errors.Is(err, ErrLost) {
				t.Errorf("error %v, %+v", err, got)
			}
			if left := l.processes(); len(left) > 0 && !isHelper(left) {
				t.Errorf("processes are left: %q", left)
			}
			if got := <-other; got != "done\n<nil>" {
				t.Errorf("the other program: %q", got)
			}
			l.want(t)
		})
	}
}

// isHelper reports whether all processes are helpers, which belong to the other program.
func isHelper(processes []string) bool {
	return !slices.ContainsFunc(processes, func(p string) bool { return !strings.Contains(p, "oneshot-") })
}

// D1: the helper is killed from outside, before and after the time limit, and no process of its program is left.
// Other children of this process are not killed, even in their own session.
func TestHelperKilledOutside(t *testing.T) {
	if !BecomeSubreaper() {
		t.Fatal("no subreaper")
	}
	neighbour := exec.Command("setsid", "sleep", "1000")
	if err := neighbour.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = neighbour.Process.Kill(); _ = neighbour.Wait() }()
	for limit, since := range map[time.Duration]string{time.Second / 4: "the time limit", time.Minute: "the start"} {
		l := newLedger(t)
		dir := folder(t)
		l.descriptors++
		c := confinement()
		c.ReapsOrphans = true
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		go func() {
			if since == "the time limit" {
				<-ctx.Done()
			} else {
				await(t, "it starts", func() bool { _, err := os.Stat(filepath.Join(dir.Name(), "started")); return err == nil })
			}
			eachDescendant(func(pid int) bool {
				words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				if strings.HasPrefix(string(words), supervisorName) {
					_ = unix.Kill(pid, unix.SIGKILL)
				}
				return true
			})
		}()
		// The program stops its helper, so the helper still exists at the time limit.
		_, err := c.Run(ctx, Command{Argv: []string{"sh", "-c", strings.ReplaceAll(`trap "" TERM; setsid HANG & touch started; while kill -STOP $PPID; do :; done; sleep 1000`, "HANG", deaf)}, Dir: dir, Env: []string{l.mark}})
		if !errors.Is(err, ErrLost) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		l.want(t)
	}
	if !readProcessState(neighbour.Process.Pid).living {
		t.Error("a process was ended that is none of a program")
	}
}
