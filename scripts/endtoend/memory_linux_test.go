package endtoend

import (
	"bufio"
	"bytes"
	"context"
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
	"time"

	"oneshot/internal/testsize"
	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// TestRecordMemory checks D6: a record over 64 MiB is validated, linted and shown in flat memory, and a line over the limit
// of a record is a finding of its own that names the limit.
func TestRecordMemory(t *testing.T) {
	if !testsize.IsLong() {
		t.Skip("make memory runs it, without the race detector, which multiplies memory")
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
		{[]string{"parse", "--fix", "large.jsonl"}, 2, "large.jsonl is a run file, which must not change", mostKiB},
	} {
		out, code, kib := measured(t, home, nil, tt.args...)
		t.Logf("%v: exit %d, %d MiB at the peak", tt.args, code, kib>>10)
		if code != tt.code || kib > tt.most || !strings.Contains(out, tt.want) {
			t.Errorf("%v: exit %d, want %d; %d MiB at the peak, of which %d are allowed; no %q in: …%s", tt.args, code, tt.code, kib>>10, tt.most>>10, tt.want, out[max(0, len(out)-2000):])
		}
	}
}

// writeLargeRecord writes a run file of at least that many bytes, and returns the number of its records.
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

// TestBatchMemory checks that a batch of many records needs no more memory than one of few, apart from some bytes for each
// record, and that its time grows linearly.
func TestBatchMemory(t *testing.T) {
	if !testsize.IsLong() {
		t.Skip("make memory runs it, without the race detector, which multiplies memory")
	}
	const few, many, bytesPerRecord, variation = 1000, 10_000, 100, 16 << 10
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"c","usage":{"prompt_tokens":7,"completion_tokens":11},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"answer\":\"ok\"}"}}]}`)
	}))
	defer server.Close()
	batch := func(records int) (kib int64, cpu time.Duration) {
		home := t.TempDir()
		f, err := os.Create(filepath.Join(home, "in.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		for i := range records {
			fmt.Fprintf(w, "{\"id\":\"record-%d\",\"text\":\"word\"}\n", i)
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
		out, code, usage := measuredFor(t, 20*time.Minute, home, nil, "batch", "--base-url", server.URL+"/v1", "--api", "chat", "--model", "m", "--prompt", "Do ${text}", "-o", "out.jsonl", "in.jsonl")
		text, err := os.ReadFile(filepath.Join(home, "out.jsonl"))
		if lines := bytes.Count(text, []byte(`"exit":{"code":0,`)); code != 0 || err != nil || lines != records {
			t.Fatalf("exit %d, %d lines of %d, %v: %s", code, lines, records, err, out)
		}
		return usage.Maxrss, time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	kibFew, cpuFew := batch(few)
	kibMany, cpuMany := batch(many)
	t.Logf("%d records: %d MiB, %v; %d records: %d MiB, %v", few, kibFew>>10, cpuFew, many, kibMany>>10, cpuMany)
	if most := kibFew + many*bytesPerRecord>>10 + variation; kibMany > most {
		t.Errorf("%d records: %d MiB at the peak, of which %d are allowed", many, kibMany>>10, most>>10)
	}
	if most := cpuFew * (many / few) * 2; cpuMany > most {
		t.Errorf("%d records: %v of processors, of which %v are allowed", many, cpuMany, most)
	}
}

// measured calls measuredFor with a limit of a minute. It returns the peak memory in KiB.
func measured(t *testing.T, home string, env []string, args ...string) (out string, code int, kib int64) {
	out, code, usage := measuredFor(t, time.Minute, home, env, args...)
	return out, code, usage.Maxrss
}

// measuredFor runs the program in a folder with an environment and a time limit, and returns its output, its exit code and
// its resource usage.
func measuredFor(t *testing.T, most time.Duration, home string, env []string, args ...string) (out string, code int, usage *syscall.Rusage) {
	// The kernel counts the peak of the process that starts the program, up to exec, as the program's.
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Fatalf("the peak of this process cannot be cleared: %v", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "oneshot")
	if err := os.Symlink(exe, bin); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), most)
	defer stop()
	c := exec.CommandContext(ctx, bin, args...)
	c.Env = append(env, "HOME="+home, "PATH="+os.Getenv("PATH"))
	c.Dir = home
	printed, err := os.Create(filepath.Join(t.TempDir(), "printed")) // a buffer in memory would count
	if err != nil {
		t.Fatal(err)
	}
	defer printed.Close()
	c.Stdout, c.Stderr = printed, printed
	_ = c.Run() // the exit code is returned
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
	return string(text), c.ProcessState.ExitCode(), usage
}
