package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"oneshot/prompts"
)

// An answer as text is printed unchanged, except for control characters on a terminal, which are escaped.
func TestTextOnScreen(t *testing.T) {
	for screen, want := range map[bool]string{false: "a\x1b[2J\u202eb\n", true: `a\u001b[2J\u202eb` + "\n"} {
		running := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"model":"scripted","message":{"role":"assistant","content":"a\u001b[2J\u202eb"},"done":true,"done_reason":"stop"}`+"\n")
		}))
		env, stdout, stderr := testEnv("run", "--model", "ollama/scripted", "--no-run-file", "--output", "text", "Say it")
		env.Screen, env.Prompts = screen, prompts.FS
		env.Getenv = func(name string) string {
			if name == "OLLAMA_HOST" {
				return strings.TrimPrefix(running.URL, "http://")
			}
			return ""
		}
		if code := Main(t.Context(), env); code != 0 || stdout.String() != want {
			t.Errorf("screen %v: exit code %d, %q, want %q; %s", screen, code, stdout, want, stderr)
		}
		running.Close()
	}
}
