package cmd

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// testEnv is an environment in which nothing of this machine can be seen.
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

// A bug ends in exit code 70 and says where it happened.
func TestPanic(t *testing.T) {
	env, _, stderr := testEnv("exit-codes")
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

// Building the commands reads nothing, so help always works.
func TestHelpNeedsNothing(t *testing.T) {
	env, stdout, _ := testEnv("run", "--help")
	env.Stdin, env.Tools, env.Prompts = nil, nil, nil
	if code := Main(t.Context(), env); code != 0 || !strings.Contains(stdout.String(), "--max-turns") {
		t.Errorf("exit code %d, stdout:\n%s", code, stdout)
	}
}

func TestOllamaURL(t *testing.T) {
	for _, c := range []struct{ flag, env, want string }{
		{"", "", "http://127.0.0.1:11434"},
		{"", "0.0.0.0", "http://127.0.0.1:11434"},
		{"", "gpu.local", "http://gpu.local:11434"},
		{"", ":8080", "http://127.0.0.1:8080"},
		{"", "https://models.example.org", "https://models.example.org:443"},
		{"", "http://[::1]:9", "http://[::1]:9"},
		{"http://a.example:1/sub", "b.example", "http://a.example:1/sub"},
	} {
		got, err := ollamaURL(c.flag, c.env)
		if err != nil || got.String() != c.want {
			t.Errorf("flag %q, OLLAMA_HOST %q: %v and %v, want %s", c.flag, c.env, got, err, c.want)
		}
	}
	for _, bad := range []string{"ftp://x", "http://", "::::", "a b"} {
		if got, err := ollamaURL(bad, ""); !as[*usageError](err) {
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
		if got := plain([]byte(doc)); got != want {
			t.Errorf("plain(%s) = %q, want %q", doc, got, want)
		}
	}
}
