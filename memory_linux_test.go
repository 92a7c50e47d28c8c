package main

import (
	"bytes"
	"encoding/json"
	"errors"
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

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
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
			out, code, kib := measured(t, t.TempDir(), running.Listener.Addr().String(), "run", "--model", "ollama/scripted", "--dialect", "native",
				"--tool", "file_read", "--root", ".", "--max-calls", "3", "--max-repeats", "10", "--output", "envelope", "What day is it?")
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

// TestRecordMemory holds D6: a record over 64 MiB is validated, linted and shown in flat memory, and a line over the
// limit of a record is a finding of its own that names the limit.
func TestRecordMemory(t *testing.T) {
	if raced.Detector {
		t.Skip("the race detector multiplies memory")
	}
	const mostKiB = 100 << 10
	home := t.TempDir()
	records := writeLargeRecord(t, filepath.Join(home, "large.jsonl"), 65<<20)
	broken, err := os.ReadFile(filepath.Join(home, "large.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	broken = append(broken[:1+bytes.IndexByte(broken, '\n')], bytes.Repeat([]byte("x"), 70<<20)...)
	if err := os.WriteFile(filepath.Join(home, "line.jsonl"), broken, 0o600); err != nil {
		t.Fatal(err)
	}
	const limit = "line.jsonl:2:1: error TR001 damaged: the line is longer than 67108864 bytes (64 MiB), the limit of a record"
	for _, tt := range []struct {
		args []string
		code int
		want string
		most int64
	}{
		{[]string{"validate", "large.jsonl"}, 0, fmt.Sprintf("large.jsonl: ok (run file, %d records)", records), mostKiB},
		{[]string{"validate", "--as", "runfile", "large.jsonl"}, 0, "large.jsonl: ok", mostKiB},
		{[]string{"parse", "large.jsonl"}, 0, `file_read [["a.md"]]`, mostKiB},
		{[]string{"runs", "show", "large.jsonl"}, 0, "exit 0 ok", mostKiB},
		{[]string{"runs", "show", "large.jsonl", "--format", "json"}, 0, `"name": "ok"`, mostKiB},
		{[]string{"validate", "line.jsonl"}, 1, limit, 3 * mostKiB},
		{[]string{"parse", "line.jsonl"}, 1, limit, 3 * mostKiB},
		{[]string{"runs", "show", "line.jsonl"}, 3, "the line is longer than 67108864 bytes (64 MiB), the limit of a record", 3 * mostKiB},
		{[]string{"parse", "--fix", "large.jsonl"}, 2, "large.jsonl is a run file, which nobody may change", mostKiB},
	} {
		out, code, kib := measured(t, home, "", tt.args...)
		t.Logf("%v: exit %d, %d MiB at the peak", tt.args, code, kib>>10)
		if code != tt.code || kib > tt.most || !strings.Contains(out, tt.want) {
			t.Errorf("%v: exit %d, want %d; %d MiB at the peak, of which %d are allowed; no %q in: …%s", tt.args, code, tt.code, kib>>10, tt.most>>10, tt.want, out[max(0, len(out)-2000):])
		}
	}
}

// writeLargeRecord writes a record of so many bytes, and returns how many records it has.
func writeLargeRecord(t *testing.T, path string, size int) int {
	w, err := runfile.Create(path, runfile.Run{ID: "20260101T000000.000Z-000000", Dialect: "tool"})
	if err != nil {
		t.Fatal(err)
	}
	n, args, page := 1, json.RawMessage(`{"filePaths":["a.md"]}`), strings.Repeat("The quick brown fox. ", 1000)
	for turn := 1; turn*len(page) < size; turn++ {
		id := fmt.Sprint("c", turn)
		for _, b := range []runfile.Body{
			runfile.Request{Turn: turn, Purpose: chat.PurposeTurn},
			runfile.Response{Turn: turn, Content: "```tool\nreturn file_read([\"a.md\"]);\n```", Stop: chat.StopEnd},
			runfile.Call{Turn: turn, ID: id, Name: "file_read", Verdict: "allow", Proposed: args, Effective: args},
			runfile.Result{Call: id, Result: chat.Success(fmt.Sprint(turn, page))},
		} {
			n++
			if err := w.Append(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Append(runfile.End{Name: "ok"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	return n + 1
}

// measured runs the program in a folder, with a server at an address, and returns what it prints, its exit code and its
// peak memory in KiB.
func measured(t *testing.T, home, address string, args ...string) (out string, code int, kib int64) {
	// The kernel counts the peak of the process that starts the program, up to exec, as the program's.
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("the peak of this process cannot be cleared: %v", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "oneshot")
	if err := os.Symlink(exe, bin); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bin, args...)
	c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=" + address}
	c.Dir = home
	printed, err := os.Create(filepath.Join(t.TempDir(), "printed")) // in memory it would count
	if err != nil {
		t.Fatal(err)
	}
	defer printed.Close()
	c.Stdout, c.Stderr = printed, printed
	_ = c.Run() // the exit code says it
	info, err := printed.Stat()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, min(info.Size(), 64<<10))
	if _, err := printed.ReadAt(text, info.Size()-int64(len(text))); err != nil {
		t.Fatal(err)
	}
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal(fmt.Errorf("no usage of %v", c.ProcessState))
	}
	return string(text), c.ProcessState.ExitCode(), usage.Maxrss
}
