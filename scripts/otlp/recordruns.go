//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"oneshot/scripts/modelserver"
)

// An outcome is the end of a program.
type outcome struct {
	exit           int
	stdout, stderr string
	maxRSS         int64 // KiB
}

// start runs the program with an empty home.
func (d *drive) start(args ...string) (outcome, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(d.ctx, d.oneshot, args...)
	cmd.Dir = d.dir
	cmd.Env = []string{"HOME=" + d.dir, "PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-of-a-test"}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.As(err, new(*exec.ExitError)) {
		err = nil
	}
	o := outcome{exit: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.maxRSS = usage.Maxrss
	}
	return o, err
}

// A recording is a run, or a part of it, to record.
type recording struct {
	name    string
	exit    int
	replies string // of the model; see [modelserver.ReadScript]
	args    []string
}

const (
	calls = `usage 1000 50
call c1 vault_search {"query":"pear"}
call c2 file_read {"path":"none.md"}
stop
`
	answer = `usage 1100 20
text "{\"answer\": \"in the attic\"}"
stop
`
)

// recordings are runs of all kinds. The file of each is NAME.jsonl.
var recordings = []recording{
	{name: "tools", replies: "1.play:" + calls + "\x002.play:" + answer},
	{name: "attempts", replies: "1.http:503\nRetry-After: 1\n\nbusy\x002.play:" + answer},
	{name: "rejected", exit: 11, replies: "1.http:400\n\nno such request"},
	{name: "cut", exit: 5, replies: "1-9.cut:The answer is"},
	{name: "lost", exit: 5, replies: "1-9.play:cut"},
	{name: "limit", exit: 6, replies: "1.play:" + calls, args: []string{"--max-turns", "1"}},
	{name: "resumed", exit: 6, replies: "1.play:" + calls, args: []string{"--max-turns", "1"}},
}

// record makes the recordings and returns their files.
func (d *drive) record() (files []string, err error) {
	note := filepath.Join(d.dir, "vault", "fruit.md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(note), 0o700), os.WriteFile(note, []byte("Pears are in the attic.\n"), 0o600)); err != nil {
		return nil, err
	}
	for _, r := range recordings {
		file := filepath.Join(d.dir, r.name+".jsonl")
		if err := d.recordOne(r, "--run-file", file); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	again := recording{name: "resumed", replies: "1.play:" + answer, args: []string{"--max-turns", "5"}}
	if err := d.recordOne(again, "--resume", filepath.Join(d.dir, "resumed.jsonl")); err != nil {
		return nil, err
	}
	replay, err := d.start("run", "--model", "replay:"+files[0], "--tool", "vault_search", "--tool", "file_read", "--root", "vault", "--run-file", "replay.jsonl", "Where are the pears?")
	if err != nil || replay.exit != 0 {
		return nil, fmt.Errorf("replay: exit %d, %w: %s", replay.exit, err, replay.stderr)
	}
	batch, err := d.recordBatch()
	return append(append(files, filepath.Join(d.dir, "replay.jsonl")), batch...), err
}

// serve starts a model with replies.
func (d *drive) serve(name, replies string) (server *httptest.Server, err error) {
	dir, err := os.MkdirTemp(d.dir, name+"-replies-")
	if err != nil {
		return nil, err
	}
	for reply := range strings.SplitSeq(replies, "\x00") {
		file, text, _ := strings.Cut(reply, ":")
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	server = httptest.NewUnstartedServer(nil)
	script, err := modelserver.ReadScript(dir, server.Listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, server.Listener.Close())
	}
	server.Config.Handler = (&modelserver.Server{Models: []string{"gpt-5-mini"}, Script: script}).Handler()
	server.Start()
	return server, nil
}

func (d *drive) recordOne(r recording, where ...string) error {
	server, err := d.serve(r.name, r.replies)
	if err != nil {
		return err
	}
	defer server.Close()
	args := append([]string{"run", "--no-stdin"}, where...)
	if where[0] == "--run-file" {
		args = append(args, "--model", "openai/gpt-5-mini", "--tool", "vault_search", "--tool", "file_read", "--root", "vault", "Where are the pears?")
	}
	args = append(args, "--base-url", server.URL+"/v1")
	o, err := d.start(append(args, r.args...)...)
	if err == nil && o.exit != r.exit {
		err = fmt.Errorf("exit %d, want %d: %s", o.exit, r.exit, o.stderr)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", r.name, err)
	}
	return nil
}

// recordBatch records a batch of two and returns the files of its runs.
func (d *drive) recordBatch() ([]string, error) {
	server, err := d.serve("batch", "1-2.play:"+answer)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	records := filepath.Join(d.dir, "records.jsonl")
	if err := os.WriteFile(records, []byte(`{"id":"a","input":"x"}`+"\n"+`{"id":"b","input":"y"}`+"\n"), 0o600); err != nil {
		return nil, err
	}
	o, err := d.start("batch", "--model", "openai/gpt-5-mini", "--base-url", server.URL+"/v1", "-o", "lines.jsonl", "--prompt", "Where?", records)
	if err != nil || o.exit != 0 {
		return nil, fmt.Errorf("batch: exit %d, %w: %s", o.exit, err, o.stderr)
	}
	files, err := filepath.Glob(filepath.Join(d.dir, ".local/state/oneshot/batches/*/*-*.jsonl"))
	if err == nil && len(files) != 2 {
		err = fmt.Errorf("the batch has %d run files", len(files))
	}
	return files, err
}

// copyRun copies a run file under another ID.
func copyRun(from, to, id string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var first struct{ Run string }
	if err := json.Unmarshal(bytes.SplitN(text, []byte("\n"), 2)[0], &first); err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(bytes.ReplaceAll(text, []byte(first.Run), []byte(id))) {
		end := bytes.LastIndex(line, []byte(`,"crc"`))
		fmt.Fprintf(&out, "%s,\"crc\":\"%08x\"}\n", line[:end], crc32.Checksum(line[:end], crc32.MakeTable(crc32.Castagnoli)))
	}
	return os.WriteFile(to, out.Bytes(), 0o600)
}
