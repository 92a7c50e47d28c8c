//go:build linux

package endtoend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"oneshot/scripts/modelserver"
)

// An exitCase is a run that ends with an exit code.
type exitCase struct {
	args    []string       // besides the model and the events
	replies []string       // of the model, in the form of [modelserver.ParsePlay]; the last one is repeated
	signal  syscall.Signal // sent when a reply is at its mark
	file    string         // redirections and flags of a run with --events
	stdout  string         // those of a run with --output events
	silent  bool           // with --output events, stdout cannot have the whole stream
}

var (
	answersReply = []string{`text "{\"answer\": \"yes\"}"` + "\nstop"}
	endsReply    = []string{"text \"```tool\\nreturn finalResponse();\\n```\"\nstop"}
	readsReply   = []string{"text \"```tool\\nreturn file_read([\\\"a.md\\\"]);\\n```\"\nstop"}
	writesReply  = []string{"text \"```tool\\nreturn file_put(\\\"b.md\\\", \\\"x\\\");\\n```\"\nstop"}
	asksReply    = []string{"text \"```tool\\nreturn ask_user(\\\"Which?\\\", \\\"which\\\");\\n```\"\nstop"}
	waitsReply   = []string{"text \"I\"\nmark\nhang"}
)

// exitCases has a case for each exit code of a run.
var exitCases = map[int]exitCase{
	0:   {replies: slices.Concat(readsReply, endsReply, answersReply)},
	1:   {args: []string{"--max-repairs", "0"}, replies: slices.Concat(endsReply, []string{`text "{\"answer\": 3}"` + "\nstop"})},
	2:   {args: []string{"--tool", "nothing"}, replies: answersReply},
	3:   {args: []string{"--input", "nothing.txt"}, replies: answersReply},
	4:   {replies: []string{"status 401"}},
	5:   {args: []string{"--base-url", "http://127.0.0.1:9"}, replies: answersReply},
	6:   {args: []string{"--max-turns", "1"}, replies: readsReply},
	7:   {args: []string{"--tool", "file_put", "--allow", "file_put", "--deny", "file_put"}, replies: writesReply},
	8:   {replies: asksReply},
	9:   {replies: []string{"text \"\"\nstop"}},
	10:  {args: []string{"--resume", "unknown.jsonl", "--base-url", "SERVER"}, replies: answersReply},
	11:  {replies: []string{"status 400"}},
	74:  {replies: slices.Concat(endsReply, answersReply), file: "-o /dev/full", stdout: ">/dev/full", silent: true},
	124: {args: []string{"--timeout", "1s"}, replies: []string{"text \"I\"\nhang"}},
	129: {replies: waitsReply, signal: syscall.SIGHUP},
	130: {replies: waitsReply, signal: syscall.SIGINT},
	131: {replies: waitsReply, signal: syscall.SIGQUIT},
	141: {replies: slices.Concat(endsReply, answersReply), file: ">&4", stdout: ">&4", silent: true}, // a pipe without a reader
	143: {replies: waitsReply, signal: syscall.SIGTERM},
}

// TestExitEvents makes a run end with each exit code of the table, once with --events and once with --output events. Its events
// fit their schema and their order, and the last one names the exit.
func TestExitEvents(t *testing.T) {
	schema := filepath.Join(t.TempDir(), "events.schema.json")
	if err := os.WriteFile(schema, []byte(output(t, "oneshot schema agent_streaming_events.v1")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| (\S+) \|`).FindAllStringSubmatch(output(t, "oneshot explain exit-codes"), -1) {
		code, _ := strconv.Atoi(row[1])
		c, ok := exitCases[code]
		switch {
		case !ok && shownElsewhere[code] != "":
			continue
		case !ok:
			t.Errorf("no case shows the events of exit %d", code)
			continue
		case c.signal != 0 && signal.Ignored(c.signal):
			continue // the program would ignore the signal, as under nohup
		}
		for _, toStdout := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d %s, stdout %v", code, row[2], toStdout), func(t *testing.T) {
				c.check(t, code, row[2], toStdout, schema)
			})
		}
	}
}

// check runs the case and checks its events.
func (c exitCase) check(t *testing.T, code int, name string, toStdout bool, schema string) {
	dir := t.TempDir()
	record := readText(t, oldFiles+"/runfile/2-2026-11-28-unknown-outcome/run.jsonl") // its folder is /proc/self/cwd
	for name, text := range map[string]string{"a.md": "The note.", "unknown.jsonl": record, "tools.yaml": readText(t, oldFiles+"/runfile/2-2026-11-28-unknown-outcome/tools.yaml"),
		"answer.schema.json": readText(t, oldFiles+"/runfile/2-2026-11-28-unknown-outcome/answer.schema.json"), "vault/pump.md": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exit, stdout, stderr := c.run(t, dir, toStdout)
	if exit != code {
		t.Fatalf("exit %d, want %d\n%s%s", exit, code, stdout, stderr)
	}
	switch {
	case toStdout && c.silent: // stderr reports the failed write, but not a reader that has gone
		if said := strings.Contains(stderr, "oneshot: output: "); said != (code == 74) {
			t.Errorf("stderr is %q", stderr)
		}
		return
	case toStdout:
		if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(stdout), 0o600); err != nil {
			t.Fatal(err)
		}
	case code != 0 && stdout != "":
		t.Errorf("stdout is %q", stdout)
	}
	output(t, "cd "+dir+" && oneshot validate --as events events.jsonl && oneshot validate --schema "+schema+" events.jsonl")
	checkLastEvent(t, readText(t, filepath.Join(dir, "events.jsonl")), code, name)
}

// run runs the program in a folder.
func (c exitCase) run(t *testing.T, dir string, toStdout bool) (exit int, stdout, stderr string) {
	t.Helper()
	marked := make(chan struct{}, 1)
	server := &modelserver.Server{AtOnce: true, Answer: func(r modelserver.Request) modelserver.Reply {
		reply, err := modelserver.ParsePlay("reply", c.replies[min(r.Number, len(c.replies))-1])
		if err != nil {
			t.Error(err)
		}
		return reply
	}, Mark: func(modelserver.Request, time.Time) { marked <- struct{}{} }}
	running := httptest.NewServer(server.Handler())
	defer running.Close()
	defer running.CloseClientConnections()

	args := append([]string{"run"}, c.args...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "SERVER", running.URL)
	}
	if !slices.Contains(args, "--resume") {
		args = append(args, "--model", "ollama/scripted", "--dialect", "tool", "--tool", "file_read", "--root", ".", "--no-run-file", "Go")
	}
	more := "--events events.jsonl " + c.file
	if toStdout {
		more = "--output events " + c.stdout
	}
	p := exec.Command("sh", append([]string{"-c", `exec oneshot "$@" ` + more, "sh"}, args...)...)
	p.Dir, p.Env = dir, append(os.Environ(), "HOME="+dir, "OLLAMA_HOST="+running.Listener.Addr().String(), "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close() // the pipe has no reader
	var out, messages bytes.Buffer
	p.Stdout, p.Stderr, p.ExtraFiles = &out, &messages, []*os.File{writer, writer} // 3 and 4
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if c.signal != 0 {
		select {
		case <-marked:
		case <-time.After(time.Minute):
			t.Error("the model was not asked")
		}
		if err := p.Process.Signal(c.signal); err != nil {
			t.Error(err)
		}
	}
	_ = p.Wait() // only the exit code counts
	return p.ProcessState.ExitCode(), out.String(), messages.String()
}

// checkLastEvent checks that the last event has the answer or the error of the run.
func checkLastEvent(t *testing.T, events string, code int, name string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(events, "\n"), "\n")
	var last struct {
		Event string
		Data  json.RawMessage
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	var failure struct{ Error, Message string }
	isFailure := json.Unmarshal(last.Data, &failure) == nil && last.Event == "error"
	switch {
	case code == 0 && (last.Event != "on_chain_end" || string(last.Data) != `{"answer":"yes"}`),
		code != 0 && (!isFailure || failure.Error != name || failure.Message == ""):
		t.Errorf("the last event is %s", lines[len(lines)-1])
	}
}
