package cmd

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"oneshot/prompts"
	"oneshot/tooldefs"
)

// changedTexts are the prompt texts of another version: each has another first line.
func changedTexts(t *testing.T) fs.FS {
	t.Helper()
	texts := fstest.MapFS{}
	names, err := fs.Glob(prompts.FS, "*.*") // not the folder demo
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(prompts.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".md") {
			text = append([]byte("Another version says:\n"), text...)
		}
		texts[name] = &fstest.MapFile{Data: text}
	}
	return texts
}

// D6: replays and resumed runs use the prompt texts on record, even if those of the program have changed.
func TestRecordSurvivesChangedPromptTexts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("the note"), 0o600); err != nil {
		t.Fatal(err)
	}
	replies := []string{"```tool\\nreturn file_read([\\\"a.md\\\"]);\\n```", "no call in it", "```tool\\nreturn finalResponse();\\n```", "no JSON", `{\"answer\": \"done\"}`}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"choices":[{"message":{"role":"assistant","content":"` + replies[asked] + `"},"finish_reason":"stop"}]}`))
		asked++
	}))
	defer server.Close()
	run := func(texts fs.FS, want int, args ...string) string {
		t.Helper()
		env, stdout, stderr := testEnv(append([]string{"run"}, args...)...)
		env.Tools, env.Prompts = tooldefs.FS, texts
		if code := Main(t.Context(), env); code != want {
			t.Fatalf("%v: exit code %d, want %d, stderr:\n%s", args, code, want, stderr)
		}
		return stdout.String()
	}
	file, tools := filepath.Join(dir, "run.jsonl"), []string{"--tool", "file_read", "--root", dir}
	first := run(prompts.FS, 0, append(tools, "--base-url", server.URL+"/v1", "--model", "m", "--dialect", "tool", "--run-file", file, "Go")...)

	changed := changedTexts(t)
	again := filepath.Join(dir, "again.jsonl")
	if got := run(changed, 0, append(tools, "--model", "replay:"+file, "--run-file", again, "Go")...); got != first {
		t.Errorf("the replay prints %q, want %q", got, first)
	}

	record, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(record, []byte(`,"kind":"response"`)) // the one before the result
	end := at + bytes.IndexByte(record[at:], '\n') + 1
	if err := os.WriteFile(again, record[:end], 0o600); err != nil {
		t.Fatal(err)
	}
	asked = 1
	if got := run(changed, 0, "--resume", again); got != first {
		t.Errorf("the resumed run prints %q, want %q", got, first)
	}
}
