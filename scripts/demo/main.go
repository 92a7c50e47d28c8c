// Command demo records prompts/demo.jsonl: the run that the built-in demo model
// plays. It runs ./oneshot with real tools against a server on this machine that
// answers with the files in scripts/demo/replies, in order. It is run after anything that
// changes what a model is told:
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
	if err := record(); err != nil {
		log.Fatal(err)
	}
}

func record() error {
	replies, err := filepath.Glob("scripts/demo/replies/*.txt") // sorted
	if err != nil || len(replies) == 0 {
		return fmt.Errorf("no replies: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: play(replies)}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer server.Close()

	if err := os.RemoveAll(out); err != nil {
		return err
	}
	run := exec.Command("./oneshot", "run", "--model", "ollama/demo", "--base-url", "http://"+listener.Addr().String(),
		"--dialect", "tool", "--param", "num_ctx=8192", "--now", "2026-11-21T09:00:00Z", "--tz", "UTC", "--run-file", out,
		"--tool", "vault_*", "--tool", "file_read", "--root", "testdata/vault", "--schema", "testdata/readme/todo.schema.json", question)
	run.Stdout, run.Stderr = os.Stdout, os.Stderr
	if err := run.Run(); err != nil {
		return err
	}
	return os.Chmod(out, 0o644)
}

// play answers each chat request with the next file.
func play(replies []string) http.Handler {
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
