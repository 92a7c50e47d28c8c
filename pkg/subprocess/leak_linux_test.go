package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A ledger counts the resources that a command must not leave behind: processes, identified by a
// variable that they inherit, descriptors, goroutines and temporary folders.
type ledger struct {
	mark        string
	temp        string
	descriptors int
	goroutines  int
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{temp: t.TempDir()}
	t.Setenv("TMPDIR", l.temp)
	l.mark = fmt.Sprintf("ONESHOT_TEST_MARK=%d.%d", os.Getpid(), time.Now().UnixNano())
	l.descriptors, l.goroutines = countDescriptors(t), runtime.NumGoroutine()
	return l
}

func countDescriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

// processes lists the processes with the mark, and the helpers of this process.
func (l *ledger) processes() []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		environ, _ := os.ReadFile(file)
		if bytes.Contains(environ, []byte(l.mark)) {
			words, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, fmt.Sprintf("%s %q", filepath.Dir(file), words))
		}
	}
	eachDescendant(func(pid int) bool {
		words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.HasPrefix(words, []byte("oneshot-")) {
			found = append(found, fmt.Sprintf("%d %q", pid, words))
		}
		return true
	})
	return found
}

// want fails the test if something is left.
func (l *ledger) want(t *testing.T) {
	t.Helper()
	if left := l.processes(); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
	if n := countDescriptors(t); n != l.descriptors {
		t.Errorf("%d descriptors, and there were %d", n, l.descriptors)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > l.goroutines; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // goroutines may need a moment to end
			buf := make([]byte, 64<<10)
			t.Fatalf("%d goroutines, and there were %d\n%s", runtime.NumGoroutine(), l.goroutines, buf[:runtime.Stack(buf, true)])
		}
	}
	if files, err := os.ReadDir(l.temp); err != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %v %v", files, err)
	}
}

// A way is a script with which a program tries to leave something behind. HANG is replaced by [deaf], a process that ignores
// signals.
type way struct {
	name, script string
	limit        time.Duration // 0: it ends by itself
	left         int           // minimum of LeftBehind
	signal       string
	flooded      bool
}

const (
	second = time.Second
	deaf   = `sh -c 'trap "" TERM HUP INT; sleep 1000; sleep 1000'`
)

var ways = []way{
	{name: "exit", script: "exit 0"},
	{name: "failure", script: "exit 7"},
	{name: "its own signal", script: "kill -9 $$", signal: "killed"},
	{name: "time limit", script: "sleep 1000", limit: second / 4, signal: "terminated"},
	{name: "time limit with a child", script: "sleep 1000 & wait", limit: second / 4, signal: "terminated"},
	{name: "setsid", script: "setsid sleep 1000 & sleep 0.2", left: 1},
	{name: "setsid at the time limit", script: "setsid sleep 1000 & sleep 1000", limit: second / 4, signal: "terminated"},
	{name: "double fork", script: "(setsid sh -c '(sleep 1000 &) ; sleep 1000' &) ; sleep 0.2", left: 2},
	{name: "nohup", script: "nohup sleep 1000 >/dev/null 2>&1 & sleep 0.2", left: 1},
	{name: "deaf", script: "exec HANG", limit: second / 2, signal: "killed"},
	{name: "deaf children", script: "HANG & setsid HANG & (setsid HANG &) ; sleep 1000", limit: second / 2, left: 3, signal: "terminated"},
	{name: "deaf and left", script: "HANG & setsid HANG & sleep 0.3", left: 2},
	{name: "closed pipes", script: "exec <&- >&- 2>&-; sleep 1000", limit: second / 4, signal: "terminated"},
	{name: "closed pipes and left", script: "setsid sleep 1000 <&- >&- 2>&- & sleep 0.2", left: 1},
	{name: "a child holds the pipe", script: "sleep 1000 & echo done", left: 1},
	{name: "a child of init holds it", script: "(setsid sleep 1000 &) ; sleep 0.2; echo done", left: 1},
	{name: "flood", script: "yes", signal: "killed", flooded: true},
	{name: "flood of a child", script: "setsid yes >/dev/null & (sleep 0.1; exec yes >&2) & sleep 1000", signal: "killed", left: 2, flooded: true},
	{name: "stopped", script: "kill -STOP $$", limit: second / 4, signal: "terminated"},
	{name: "stopped child", script: "sh -c 'kill -STOP $$' & setsid sh -c 'kill -STOP $$' & sleep 0.2", left: 2},
	{name: "stopped and deaf", script: "sh -c 'trap \"\" TERM; kill -STOP $$; sleep 1000' & sleep 1000", limit: second / 4, left: 1, signal: "terminated"},
	{name: "forks", script: "for i in $(seq 200); do setsid sleep 1000 & done; sleep 1000", limit: 2 * second, signal: "terminated"},
	{name: "forks when asked to end", script: "trap 'for i in $(seq 50); do setsid sleep 1000 & done; wait' TERM; sleep 1000 & wait; wait", limit: second / 4, left: 1, signal: "killed"},
	{name: "a chain of forks", script: "f() { [ $1 = 0 ] && sleep 1000; (f $(($1-1)) &) ; }; f 100; sleep 0.5", left: 1},
	{name: "forks while it is killed", script: "f() { trap '' TERM; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); (setsid sleep 0.02 &) ; done; }; f & f & f & f & sleep 1000", limit: second / 4, signal: "terminated"},
	{name: "asks its parent to end", script: "kill -TERM $PPID; kill -HUP $PPID; setsid sleep 1000 & sleep 0.2", left: 1},
	{name: "signals its parent", script: "i=1; while [ $i -le 64 ]; do case $i in 4|7|8|9|11|19) ;; *) kill -$i $PPID 2>/dev/null;; esac; i=$((i+1)); done; setsid sleep 1000 & sleep 0.2", left: 1},
	{name: "stops its parent", script: "kill -STOP $PPID; setsid sleep 1000 & sleep 1000", limit: second / 4, signal: "terminated"},
	{name: "stops its parent and prints", script: "kill -STOP $PPID; yes", signal: "killed", flooded: true},
	{name: "stops its parent again", script: "trap '' TERM; while kill -STOP $PPID; do sleep 0.3; done", limit: second / 4, signal: "killed"},
	{name: "a group of its own", script: "set -m; sleep 1000 & sleep 1000 & set +m; sleep 0.1", left: 2},
	{name: "many files", script: "cd; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); : >$i; done"},
	{name: "deep folders", script: "cd; exec PROBE deep 5000"},
	{name: "folders without rights", script: "cd; mkdir -p 1/2/3 2/1; : >1/2/3/f; ln -s / 1/root; mkfifo 1/2/p; chmod 0 1/2/3 1/2 1 2 ."},
	{name: "no folder", script: "cd /; rmdir $TMPDIR"},
	{name: "another folder", script: "cd /; mkdir ${TMPDIR}x; mv $TMPDIR ${TMPDIR}x/was; ln -s $PRECIOUS $TMPDIR; rm -r ${TMPDIR}x"},
}

// In each of the ways, the program ends in time and leaves nothing behind.
func TestLeaks(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	precious := t.TempDir()
	if err := os.WriteFile(filepath.Join(precious, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range ways {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger(t)
			dir := folder(t)
			l.descriptors++
			late, ctx := errors.New("late"), t.Context()
			if c.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, c.limit, late)
				defer cancel()
			}
			begin := time.Now()
			got, err := confinement().Run(ctx, Command{Argv: []string{"sh", "-c", strings.NewReplacer("HANG", deaf, "PROBE", exe+" probe").Replace(c.script)}, Dir: dir, Max: 1000, Env: []string{l.mark, "PRECIOUS=" + precious}})
			if took := time.Since(begin); took > c.limit+time.Minute { // a busy machine takes 15 s for the deep folders
				t.Errorf("it took %v", took)
			}
			if err != nil && !errors.Is(err, late) || (c.limit > 0) != (err != nil) {
				t.Errorf("error %v", err)
			}
			if got.LeftBehind < c.left || got.Signal != c.signal || got.Flooded != c.flooded {
				t.Errorf("%+v", got)
			}
			l.want(t)
		})
	}
	if _, err := os.Stat(filepath.Join(precious, "f")); err != nil {
		t.Error(err)
	}
}

// If the caller is killed, the helper ends the program and removes its temporary folder.
func TestLeakKilledCaller(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"sleep 1000", "HANG & setsid HANG & (setsid HANG &) ; sleep 1000", "setsid sleep 1000 & yes"} {
		for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			l := newLedger(t)
			c := exec.Command(exe, "probe", "script", "echo $$ >started; "+strings.ReplaceAll(script, "HANG", deaf))
			c.Dir, c.Env = t.TempDir(), append(os.Environ(), l.mark)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "the program starts", func() bool { _, err := os.Stat(filepath.Join(c.Dir, "started")); return err == nil })
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			await(t, "all is gone", func() bool {
				files, err := os.ReadDir(l.temp)
				return err == nil && len(files) == 0 && len(l.processes()) == 0
			})
			l.want(t)
		}
	}
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(15 * time.Second); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal(what, "not")
		}
	}
}
