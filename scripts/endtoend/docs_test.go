package endtoend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"oneshot/pkg/model"
)

// generated are the parts of the README that the program writes: each is the
// text between "<!-- NAME: generated -->" and "<!-- end -->".
var generated = map[string]func(*testing.T) string{
	"exit codes":        func(t *testing.T) string { return output(t, "oneshot exit-codes") },
	"demo output":       func(t *testing.T) string { return fenced("json", output(t, demoCommand)) },
	"parse output":      func(t *testing.T) string { return fenced("text", output(t, parseCommand)) },
	"parse definitions": func(t *testing.T) string { return fenced("text", output(t, definitionsCommand)) },
	"tools":             toolTable,
	"providers":         providerTable,
}

const (
	demoCommand        = "oneshot run --model demo --tool 'vault_*' --tool file_read --root testdata/vault --schema testdata/readme/todo.schema.json 'What is left to do before release 0.2?'"
	parseCommand       = "oneshot parse --tool 'vault_*' testdata/readme/chat.sse"
	definitionsCommand = "oneshot parse --tool 'vault_*' --fail-on never testdata/readme/reply.txt"
)

func TestREADMEFresh(t *testing.T) {
	text := readmeText(t)
	want := text
	for name, render := range generated {
		head, rest, ok := strings.Cut(want, "<!-- "+name+": generated -->\n")
		_, tail, ok2 := strings.Cut(rest, "<!-- end -->")
		if !ok || !ok2 {
			t.Fatalf("README.md has no place for %q", name)
		}
		want = head + "<!-- " + name + ": generated -->\n" + render(t) + "<!-- end -->" + tail
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, text); diff != "" {
		t.Errorf("README.md is stale, go test . -update writes it (-want +have):\n%s", diff)
	}
}

// TestREADMEHelp runs every example of the help pages that needs no server of
// its own. Each page has two.
func TestREADMEHelp(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	if out, err := exec.Command("bash", "-c", demoCommand).CombinedOutput(); err != nil { // so that there is a last run
		t.Fatalf("%v\n%s", err, out)
	}
	for _, page := range []string{
		"", "run", "parse", "validate", "prompt", "tools list", "tools show", "tools call", "runs list", "runs show", "runs prune",
		"schema", "doctor", "exit-codes", "error-codes", "version",
	} {
		_, rest, _ := strings.Cut(output(t, "oneshot "+page+" --help"), "Examples:\n")
		examples, _, _ := strings.Cut(rest, "\n\n")
		lines := strings.Split(strings.TrimSpace(examples), "\n")
		if len(lines) != 2 {
			t.Errorf("oneshot %s --help has %d examples, want 2:\n%s", page, len(lines), examples)
		}
		for _, line := range lines {
			if !strings.Contains(line, "ollama/") {
				output(t, "XDG_STATE_HOME="+state+" && "+line)
			}
		}
	}
}

// TestREADMEExamples runs every sh block of the README.
func TestREADMEExamples(t *testing.T) {
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(readmeText(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("README.md has only %d examples", len(blocks))
	}
	for _, b := range blocks {
		output(t, b[1])
	}
}

// TestREADMEDefinition holds the definition in the README to what it shows.
func TestREADMEDefinition(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindStringSubmatch(readmeText(t))
	if block == nil {
		t.Fatal("README.md has no definition")
	}
	file := filepath.Join(t.TempDir(), "fetch.yaml")
	if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "oneshot validate "+file)
	output(t, "oneshot tools show fetch --tools "+file)
}

// T12: the Go program of the README compiles.
func TestREADMEProgram(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindStringSubmatch(readmeText(t))
	if block == nil {
		t.Fatal("README.md has no Go program")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "test -z \"$(gofmt -l "+file+")\" && go vet "+file)
}

// TestREADMEFiles holds what the README shows to the files that its examples use.
func TestREADMEFiles(t *testing.T) {
	for _, name := range []string{"policy.yaml", "notes.yaml", "notes_api.yaml", "programs.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "readme", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(readmeText(t), fenced("yaml", string(text))) {
			t.Errorf("README.md does not show testdata/readme/%s as it is", name)
		}
	}
}

func readmeText(t *testing.T) string {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fenced(info, text string) string { return "```" + info + "\n" + text + "```\n" }

// output runs a shell command in the repository and returns its stdout.
func output(t *testing.T, command string) string {
	t.Helper()
	c := exec.Command("bash", "-euo", "pipefail", "-c", command)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "OLLAMA_HOST=127.0.0.1:9")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", command, err, stderr.Bytes())
	}
	return string(out)
}

func toolTable(t *testing.T) string {
	var list []struct{ Name, Effect, Description string }
	if err := json.Unmarshal([]byte(output(t, "oneshot tools list --format json")), &list); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| tool | effect | |\n|---|---|---|\n")
	for _, d := range list {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.Name, d.Effect, d.Description)
	}
	return b.String()
}

func providerTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| `--model` | server | key |\n|---|---|---|\n")
	for _, p := range model.Providers() {
		key := strings.Join(p.Keys, ", ")
		if key != "" && !p.NeedsKey {
			key += " (optional)"
		}
		fmt.Fprintf(&b, "| `%s/NAME` | %s, %s | %s |\n", p.Name, p.Title, p.BaseURL, cmp.Or(key, "–"))
	}
	return b.String()
}

// shownElsewhere are exit codes that no command line can bring about.
var shownElsewhere = map[int]string{70: "TestPanic in cmd"}

// TestExitTable fails where no end-to-end script shows a code of the table, and
// where a script shows a code that is not in it.
func TestExitTable(t *testing.T) {
	shown := shownCodes(t)
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (\S+) \| (.*) \| .* \|$`).FindAllStringSubmatch(output(t, "oneshot exit-codes"), -1)
	if len(rows) < 10 {
		t.Fatalf("the table has only %d rows", len(rows))
	}
	for _, row := range rows {
		code, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		later := strings.Contains(row[3], "not reachable yet")
		switch {
		case later && shown[code]:
			t.Errorf("exit %d is shown by a script, and the table says that it is not reachable yet", code)
		case !later && !shown[code] && shownElsewhere[code] == "":
			t.Errorf("exit %d %s is shown by no script in testdata/script", code, row[2])
		}
		delete(shown, code)
	}
	for code := range shown {
		t.Errorf("a script shows exit %d, which is not in the table", code)
	}
}

// shownCodes returns the exit codes that the scripts assert.
func shownCodes(t *testing.T) map[int]bool {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	shown := map[int]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^exits (\d+) `).FindAllStringSubmatch(string(text), -1) {
			code, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			shown[code] = true
		}
	}
	return shown
}

// TestErrorTable fails where nothing shows that a code of results comes about.
func TestErrorTable(t *testing.T) {
	script := filepath.Join("testdata", "script", "error_codes.txtar")
	shownBy := map[string]string{"UNKNOWN_OUTCOME": filepath.Join("pkg", "agent", "cancel_test.go")}
	rows := regexp.MustCompile(`(?m)^\| ([A-Z_]+) \| .+ \| .+ \| (?:later|no) \|$`).FindAllStringSubmatch(output(t, "oneshot error-codes"), -1)
	if len(rows) < 10 {
		t.Fatalf("the table has only %d rows", len(rows))
	}
	for _, row := range rows {
		file, says := script, `"code":"`+row[1]+`"`
		if other, ok := shownBy[row[1]]; ok {
			file, says = other, row[1]
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("%s does not show %s (%v)", file, row[1], err)
		}
	}
}
