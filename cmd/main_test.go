package cmd

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"oneshot/pkg/provider/ollama"
	"oneshot/tooldefs"
)

// testEnv returns an environment that is isolated from this machine, with its stdout and stderr.
func testEnv(args ...string) (Env, *bytes.Buffer, *bytes.Buffer) {
	var stdout, stderr bytes.Buffer
	return Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" },
		Now:    func() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) },
		Tools:  fstest.MapFS{}, Prompts: fstest.MapFS{},
	}, &stdout, &stderr
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("the writer is broken") }

// A panic ends with exit code 70, and stderr has its location.
func TestPanic(t *testing.T) {
	env, _, stderr := testEnv("explain", "exit-codes")
	env.Stdout = panicking{}
	if code := Main(t.Context(), env); code != 70 {
		t.Errorf("exit code %d, want 70", code)
	}
	for _, want := range []string{"internal error: the writer is broken", "main_test.go"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr does not say %q:\n%s", want, stderr)
		}
	}
}

// A panickingFS panics when a file is opened.
type panickingFS struct{}

func (panickingFS) Open(string) (fs.File, error) { panic("the disk is broken") }

// A panic ends the events of a run with an error event, in the file of --events and on stdout.
func TestPanicEvents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.jsonl")
	env, stdout, _ := testEnv("run", "--no-run-file", "--model", "demo", "--output", "events", "--events", file, "Go")
	env.Tools, env.Prompts = tooldefs.FS, panickingFS{}
	if code := Main(t.Context(), env); code != 70 {
		t.Errorf("exit code %d, want 70", code)
	}
	const want = `{"event":"on_chain_start"}` + "\n" + `{"event":"error","data":{"error":"internal","message":"internal error: the disk is broken"}}` + "\n"
	if text, err := os.ReadFile(file); err != nil || string(text) != want {
		t.Errorf("%v, --events: %s", err, text)
	}
	if stdout.String() != want {
		t.Errorf("--output events: %s", stdout)
	}
}

// Building the commands reads nothing, so help always works.
func TestHelpNeedsNothing(t *testing.T) {
	env, stdout, _ := testEnv("run", "--help")
	env.Stdin, env.Tools, env.Prompts = nil, nil, nil
	if code := Main(t.Context(), env); code != 0 || !strings.Contains(stdout.String(), "--max-turns") {
		t.Errorf("exit code %d, stdout:\n%s", code, stdout)
	}
}

func TestServerURL(t *testing.T) {
	for _, c := range []struct {
		raw    string
		ollama bool
		want   string
	}{
		{"0.0.0.0", true, "http://127.0.0.1:11434"},
		{"gpu.local", true, "http://gpu.local:11434"},
		{":8080", true, "http://127.0.0.1:8080"},
		{"https://models.example.org", true, "https://models.example.org:443"},
		{"http://[::1]:9", true, "http://[::1]:9"},
		{"http://a.example:1/sub", true, "http://a.example:1/sub"},
		{"https://models.example.org/v1", false, "https://models.example.org/v1"},
		{"localhost:8000/v1", false, "http://localhost:8000/v1"},
	} {
		got, err := serverURL("--base-url", c.raw)
		if err == nil && c.ollama {
			got = ollama.CompleteURL(got)
		}
		if err != nil || got.String() != c.want {
			t.Errorf("%q: %v and %v, want %s", c.raw, got, err, c.want)
		}
	}
	for _, bad := range []string{"ftp://x", "http://", "::::", "a b"} {
		if got, err := serverURL("--base-url", bad); !as[*usageError](err) {
			t.Errorf("%q: %v and %v, want a usage error", bad, got, err)
		}
	}
}

func TestPlain(t *testing.T) {
	for doc, want := range map[string]string{
		`"a\nb"`:             "a\nb",
		`{"answer":"hello"}`: "hello",
		`{"n":1.50}`:         "{\n\t\"n\": 1.50\n}",
		`[1]`:                "[\n\t1\n]",
	} {
		if got := plainText([]byte(doc)); got != want {
			t.Errorf("plainText(%s) = %q, want %q", doc, got, want)
		}
	}
}

// B1: only the called command is built, or all if the first argument names none.
func TestNeededCommands(t *testing.T) {
	for _, c := range subcommands {
		env := Env{Args: []string{c.name, "--help"}, Getenv: func(string) string { return "" }}
		built := newRoot(env, newConsole(env)).Commands()
		if len(built) != 1 || built[0].Name() != c.name {
			t.Errorf("%s: %v", c.name, built)
		}
	}
	for _, args := range [][]string{nil, {"help", "run"}, {"--quiet", "run"}, {"runn"}, {"__complete", ""}} {
		env := Env{Args: args, Getenv: func(string) string { return "" }}
		if built := newRoot(env, newConsole(env)).Commands(); len(built) != len(subcommands) {
			t.Errorf("%q: %v", args, built)
		}
	}
}
