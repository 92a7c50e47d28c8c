package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"oneshot/prompts"
	"oneshot/tooldefs"
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

// The excerpt of a report is as wide as the terminal, and the carets are below the characters that they mark.
func TestExcerptOnScreen(t *testing.T) {
	reply := filepath.Join(t.TempDir(), "reply.txt")
	text := "```tool\nreturn a({text: \"" + strings.Repeat("日本e\u0301", 30) + "\", flag: True, more: \"" + strings.Repeat("x", 120) + "\"});\n```\n"
	if err := os.WriteFile(reply, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	columnsIn := func(text string) int {
		return utf8.RuneCountInString(strings.NewReplacer("日", "xx", "本", "xx", "\u0301", "").Replace(text))
	}
	for _, columns := range []int{40, 80, 120} {
		env, stdout, stderr := testEnv("parse", "--color", "never", reply)
		env.Screen = true
		env.Getenv = func(name string) string { return map[string]string{"COLUMNS": strconv.Itoa(columns)}[name] }
		Main(t.Context(), env)
		lines := strings.Split(stdout.String(), "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, " TC203 ") })
		if at < 0 || at+2 >= len(lines) {
			t.Fatalf("%d columns: %s%s", columns, stdout, stderr)
		}
		excerpt, carets := lines[at+1], lines[at+2]
		before, _, found := strings.Cut(excerpt, "True")
		if !found || columnsIn(excerpt) != columns || carets != "      | "+strings.Repeat(" ", max(columnsIn(before)-8, 0))+"^^^^" {
			t.Errorf("%d columns:\n%s\n%s", columns, excerpt, carets)
		}
	}
}

// Reports are coloured on a terminal, unless NO_COLOR or --color never forbids it, and elsewhere only with --color always.
func TestReportColor(t *testing.T) {
	dir := t.TempDir()
	reply, bad := filepath.Join(dir, "reply.txt"), filepath.Join(dir, "bad.json")
	for name, text := range map[string]string{reply: "```tool\nreturn a({flag: True});\n```\n", bad: `{"type": "strng"}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"parse", reply}, {"validate", "--as", "schema", bad}, {"tools", "list"}, {"runs", "list"}} {
		for _, tt := range []struct {
			screen         bool
			color, noColor string
			want           bool
		}{
			{false, "auto", "", false}, {false, "never", "", false}, {false, "always", "", true}, {false, "always", "1", true},
			{true, "auto", "", true}, {true, "auto", "1", false}, {true, "never", "", false}, {true, "always", "1", true},
		} {
			env, stdout, stderr := testEnv(append([]string{"--color", tt.color}, args...)...)
			env.Screen, env.Tools = tt.screen, tooldefs.FS
			env.Getenv = func(name string) string {
				return map[string]string{"NO_COLOR": tt.noColor, "XDG_STATE_HOME": dir}[name]
			}
			Main(t.Context(), env)
			if got := strings.Contains(stdout.String(), "\x1b["); got != tt.want || stdout.Len() == 0 {
				t.Errorf("%q, %+v: coloured %v: %q; %s", args, tt, got, stdout, stderr)
			}
		}
	}
}
