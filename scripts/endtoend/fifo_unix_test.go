//go:build unix

package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// D13: no flag and no argument that names a file waits for the writer of a named pipe, or for data from a socket, a
// folder or a file without an end. A pipe that is already open is read.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(socket)
	t.Chdir(dir) // the path of a socket must be short
	if err := unix.Bind(socket, &unix.SockaddrUnix{Name: "socket"}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"run --model demo --schema FILE Go", "run --model demo --tools FILE Go", "run --model demo --policy FILE Go",
		"run --model ollama/a --ca-file FILE Go", "run --model demo --prompt-file FILE", "run --model demo --input FILE Go",
		"run --model demo --system FILE Go", "run --model demo --var-file a=FILE ${a}", "run --model replay:./FILE Go",
		"run --resume ./FILE", "tools call vault_search --args @FILE", "tools list --tools FILE", "tools call vault_search --policy FILE --args {}",
		"prompt --tools FILE", "parse FILE", "parse --tools FILE /dev/null", "parse --baseline FILE /dev/null",
		"validate FILE", "validate --schema FILE /dev/null", "validate --baseline FILE /dev/null", "runs show ./FILE",
	} {
		for _, file := range []string{"fifo", "socket", ".", "/dev/zero"} {
			t.Run(line+" "+file, func(t *testing.T) {
				t.Parallel()
				code, said := limited(t, strings.Fields(strings.ReplaceAll(line, "FILE", file)), nil)
				if code < 1 || code > 3 || !strings.Contains(said, file) && file != "." {
					t.Errorf("exit %d: %s", code, said)
				}
				if file == "fifo" && !strings.Contains(line, "--resume") && (code != 3 || !strings.Contains(said, "hint: in bash, use <(cat ")) {
					t.Errorf("exit %d without a hint: %s", code, said)
				}
			})
		}
	}
}

// D13: the descriptor of a pipe is read under the names that process substitution gives it.
func TestInheritedPipes(t *testing.T) {
	for _, name := range []string{"/dev/fd/3", "/proc/self/fd/3", "/dev/stdin"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString("```tool\nreturn vault_search({query: \"x\"});\n```\n"); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if code, said := limited(t, []string{"parse", name}, r); code != 0 {
			t.Errorf("parse %s: exit %d: %s", name, code, said)
		}
		r.Close()
	}
}

// limited runs the program with a file as stdin and descriptor 3, and returns its exit code and its output. It fails
// the test if the program takes too long.
func limited(t *testing.T, args []string, file *os.File) (code int, said string) {
	t.Helper()
	var out strings.Builder
	c := exec.Command("oneshot", args...)
	c.Env = append(os.Environ(), "OLLAMA_HOST=127.0.0.1:9")
	c.Stdout, c.Stderr = &out, &out
	if file != nil {
		c.Stdin, c.ExtraFiles = file, []*os.File{file}
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	_ = c.Wait() // the exit code is returned
	if !timer.Stop() {
		t.Fatalf("%q hangs", args)
	}
	return c.ProcessState.ExitCode(), out.String()
}
