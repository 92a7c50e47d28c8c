package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"oneshot/scripts/modelserver"
	"oneshot/scripts/raced"
)

// TestReplyMemory holds M8 and D11: a hostile reply ends the run at a limit that the message names, and never takes
// more memory than 64 MiB and twice the 64 MiB that a reply may have.
func TestReplyMemory(t *testing.T) {
	if raced.Detector {
		t.Skip("the race detector multiplies memory")
	}
	const mostKiB = (64 + 2*64) << 10
	const call = `{"function":{"name":"file_read","arguments":{}}}`
	const usage = `"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":11}`
	delta := `{"message":{"content":"` + strings.Repeat("word ", 6) + `"}}` + "\n"
	for _, tt := range []struct {
		name, begin, repeat, end string
		bytes                    int
		want                     []string
	}{
		{"calls", `{"message":{"tool_calls":[` + call, "," + call, `]},` + usage, 61 << 20, []string{"the run used all of its 3 calls", `"input_tokens":7`}},
		{"arguments", `{"message":{"tool_calls":[{"function":{"name":"file_read","arguments":{"x":"`, strings.Repeat("x", 1000), `"}}}]},` + usage, 50 << 20, []string{"arguments of one call", "over 4194304 bytes"}},
		{"deltas", "", delta, `{` + usage, 63 << 20, []string{"text and calls of the reply", "over 16777216 bytes"}},
		{"text", `{"message":{"content":"`, strings.Repeat("x", 1000), `"},` + usage, 63 << 20, []string{"text and calls of the reply", "over 16777216 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &modelserver.Server{Models: []string{"scripted"}, Tools: true}
			handler := s.Handler()
			running := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/chat" {
					handler.ServeHTTP(w, r)
					return
				}
				io.WriteString(w, tt.begin)
				chunk := strings.Repeat(tt.repeat, 64<<10/len(tt.repeat))
				for n := 0; n < tt.bytes; n += len(chunk) {
					if _, err := io.WriteString(w, chunk); err != nil {
						return
					}
				}
				io.WriteString(w, tt.end)
			}))
			defer running.Close()
			out, code, kib := measured(t, running.Listener.Addr().String())
			t.Logf("exit %d, %d MiB at the peak", code, kib>>10)
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in: %.2000s", want, out)
				}
			}
			if code != 6 || kib > mostKiB {
				t.Errorf("exit %d, %d MiB at the peak, of which %d are allowed", code, kib>>10, mostKiB>>10)
			}
		})
	}
}

// measured runs the program against a server and returns what it prints, its exit code and its peak memory in KiB.
func measured(t *testing.T, address string) (out string, code int, kib int64) {
	// The kernel counts the peak of the process that starts the program, up to exec, as the program's.
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("the peak of this process cannot be cleared: %v", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	bin := filepath.Join(home, "oneshot")
	if err := os.Symlink(exe, bin); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bin, "run", "--model", "ollama/scripted", "--dialect", "native", "--tool", "file_read", "--root", ".", "--max-calls", "3",
		"--max-repeats", "10", "--output", "envelope", "What day is it?")
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=" + address}
	c.Dir = home
	text, _ := c.CombinedOutput() // the exit code says it
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal(fmt.Errorf("no usage of %v", c.ProcessState))
	}
	return string(text), c.ProcessState.ExitCode(), usage.Maxrss
}
