// Command demo records prompts/demo.jsonl, the run that the built-in demo model
// plays, and the recorded.jsonl of each folder of examples. It runs ./oneshot with real
// tools against a local server that answers with the files of a folder replies, in
// order. Run it after a change of the prompts, or of the format of run files:
//
//	make build && go run -C scripts -exec 'env -C ..' ./demo
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	question = "What is left to do before release 0.2?"
	out      = "prompts/demo.jsonl"
)

func main() {
	log.SetFlags(0)
	if err := recordAll(); err != nil {
		log.Fatal(err)
	}
}

func recordAll() error {
	if err := recordDemo(); err != nil {
		return err
	}
	folders, err := filepath.Glob("examples/*/replies")
	if err != nil {
		return err
	}
	for _, replies := range folders {
		if err := recordExample(filepath.Dir(replies)); err != nil {
			return err
		}
	}
	return nil
}

// recordDemo records the run of the built-in demo model.
func recordDemo() error {
	address, stop, err := startServer("scripts/demo/replies")
	if err != nil {
		return err
	}
	defer stop()
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	args := append([]string{"run", "--model", "ollama/demo", "--run-file", out}, reproducibleFlags(address)...)
	run := exec.Command("./oneshot", append(args,
		"--tool", "vault_*", "--tool", "file_read", "--root", "prompts/demo/vault", "--schema", "prompts/demo/todo.schema.json", question)...)
	run.Stdout, run.Stderr = os.Stdout, os.Stderr
	if err := run.Run(); err != nil {
		return err
	}
	return os.Chmod(out, 0o644)
}

// recordExample runs the run.sh of a copy of an example with the server as its model, and keeps the run file.
func recordExample(dir string) error {
	address, stop, err := startServer(filepath.Join(dir, "replies"))
	if err != nil {
		return err
	}
	defer stop()
	temp, err := os.MkdirTemp("", "oneshot")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	example := filepath.Join(temp, filepath.Base(dir))
	if err := os.CopyFS(example, os.DirFS(dir)); err != nil {
		return err
	}
	recorded := filepath.Join(example, "recorded.jsonl")
	if err := os.RemoveAll(recorded); err != nil {
		return err
	}
	program, err := filepath.Abs("oneshot")
	if err != nil {
		return err
	}
	// The oneshot of the script is a wrapper that adds flags.
	wrapper := fmt.Sprintf("#!/bin/sh\ncommand=$1\nshift\nexec '%s' \"$command\" %s --run-file recorded.jsonl \"$@\"\n", program, strings.Join(reproducibleFlags(address), " "))
	if err := os.WriteFile(filepath.Join(temp, "oneshot"), []byte(wrapper), 0o755); err != nil {
		return err
	}
	run := exec.Command(filepath.Join(example, "run.sh"), "ollama/demo")
	run.Env = append(os.Environ(), "PATH="+temp+":"+os.Getenv("PATH"), "HOME="+temp, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	run.Stdout, run.Stderr = os.Stdout, os.Stderr
	// An example may exit with 1, which is a result and not a failure of the run.
	if err := run.Run(); err != nil && (run.ProcessState == nil || run.ProcessState.ExitCode() != 1) {
		return fmt.Errorf("%s: %w", dir, err)
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "recorded.jsonl"), text, 0o644)
}

// reproducibleFlags are the flags that make a recording depend only on its replies.
func reproducibleFlags(address string) []string {
	return []string{"--base-url", "http://" + address, "--dialect", "tool", "--param", "num_ctx=8192", "--now", "2026-11-21T09:00:00Z", "--tz", "UTC"}
}

// startServer starts a server that answers with the files of a folder.
func startServer(folder string) (address string, stop func(), err error) {
	replies, err := filepath.Glob(filepath.Join(folder, "*.txt")) // sorted
	if err != nil || len(replies) == 0 {
		return "", nil, fmt.Errorf("%s: no replies: %v", folder, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: replayHandler(replies)}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}

// replayHandler answers each chat request with the next file.
func replayHandler(replies []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path != "/api/chat" || len(replies) == 0 {
			http.Error(w, `{"error":"nothing left to say"}`, http.StatusNotImplemented)
			return
		}
		text, err := os.ReadFile(replies[0])
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		replies = replies[1:]
		content := strings.TrimSuffix(string(text), "\n")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": "demo", "message": map[string]string{"role": "assistant", "content": content},
			"done": true, "done_reason": "stop", "prompt_eval_count": len(content) / 3, "eval_count": len(content) / 4,
		})
	})
}
