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
	"gopkg.in/yaml.v3"

	"oneshot/pkg/provider"
)

// generated are the parts of README.md and docs that the program writes: each is the
// text between "<!-- NAME: generated -->" and "<!-- end -->", on one page.
var generated = map[string]func(*testing.T) string{
	"exit codes":        func(t *testing.T) string { return output(t, "oneshot explain exit-codes") },
	"error codes":       func(t *testing.T) string { return output(t, "oneshot explain error-codes") },
	"agent keys":        func(t *testing.T) string { return output(t, "oneshot explain agent-keys") },
	"demo output":       func(t *testing.T) string { return fenced("json", output(t, demoCommand)) },
	"parse output":      func(t *testing.T) string { return fenced("text", output(t, parseCommand)) },
	"parse definitions": func(t *testing.T) string { return fenced("text", output(t, definitionsCommand)) },
	"tools":             toolTable,
	"providers":         providerTable,
	"example log":       func(t *testing.T) string { return shownExample(t, "log") },
	"example digest":    func(t *testing.T) string { return shownExample(t, "digest") },
	"example lint":      func(t *testing.T) string { return shownExample(t, "lint") },
}

const (
	demoCommand        = "oneshot run --model demo --tool 'vault_*' --tool file_read --root prompts/demo/vault --schema prompts/demo/todo.schema.json 'What is left to do before release 0.2?'"
	parseCommand       = "oneshot parse --tool 'vault_*' testdata/readme/chat.sse"
	definitionsCommand = "oneshot parse --tool 'vault_*' --fail-on never testdata/readme/reply.txt"
)

// docPages are the pages for users.
func docPages(t *testing.T) []string {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages in docs (%v)", len(pages), err)
	}
	return append(pages, "README.md")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDocsFresh(t *testing.T) {
	written := map[string]string{}
	for _, page := range docPages(t) {
		text := readText(t, page)
		want := regexp.MustCompile(`(?s)<!-- ([a-z ]+): generated -->\n.*?<!-- end -->`).ReplaceAllStringFunc(text, func(part string) string {
			name, _, _ := strings.Cut(strings.TrimPrefix(part, "<!-- "), ": ")
			render := generated[name]
			if render == nil || written[name] != "" {
				t.Fatalf("%s: %q is no generated part, or is in %q too", page, name, written[name])
			}
			written[name] = page
			return "<!-- " + name + ": generated -->\n" + render(t) + "<!-- end -->"
		})
		if *update {
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := gocmp.Diff(want, text); diff != "" {
			t.Errorf("%s is stale, make fresh writes it (-want +have):\n%s", page, diff)
		}
	}
	for name := range generated {
		if written[name] == "" {
			t.Errorf("no page has the generated part %q", name)
		}
	}
}

// TestREADMEHelp runs every example of the help pages that needs no server of
// its own. Each page has two.
func TestREADMEHelp(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	if out, err := exec.Command("bash", "-c", demoCommand).CombinedOutput(); err != nil { // so that a last run exists
		t.Fatalf("%v\n%s", err, out)
	}
	for _, page := range []string{
		"", "run", "parse", "validate", "prompt", "tools list", "tools show", "tools call", "runs list", "runs show", "runs stats", "runs prune",
		"batch", "agents list", "agents show", "agents new",
		"schema", "doctor", "demo", "explain", "version",
	} {
		_, rest, _ := strings.Cut(output(t, "oneshot "+page+" --help"), "Examples:\n")
		examples, _, _ := strings.Cut(rest, "\n\n")
		lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(examples), "\\\n", ""), "\n")
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

// A block is a fenced block of a page.
type block struct{ info, text string }

// split returns the prose of a page and its fenced blocks.
func split(page string) (prose string, blocks []block) {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(page) {
		info := strings.TrimLeft(line, "`")
		ticks := line[:len(line)-len(info)]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence, blocks = ticks, append(blocks, block{info: strings.TrimSpace(info)})
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence != "":
			blocks[len(blocks)-1].text += line
		default:
			b.WriteString(line)
		}
	}
	return b.String(), blocks
}

// blocks returns the fenced blocks of a page with an info string.
func blocks(page, info string) []string {
	var texts []string
	_, all := split(page)
	for _, b := range all {
		if b.info == info {
			texts = append(texts, b.text)
		}
	}
	return texts
}

// TestDocsExamples runs every sh block of README.md and docs.
func TestDocsExamples(t *testing.T) {
	ran := 0
	for _, page := range docPages(t) {
		for _, block := range blocks(readText(t, page), "sh") {
			output(t, block)
			ran++
		}
	}
	if ran < 15 {
		t.Errorf("the pages have only %d examples", ran)
	}
}

// apiCall defines the tool of the policy in docs/policies.md that is neither shipped nor shown.
const apiCall = `name: api_call
description: Call the API.
parameters: {method: {type: string}, url: {type: string, format: uri}}
examples: [{call: 'api_call("GET", "https://a.test/")'}, {call: 'api_call("GET", "https://a.test/a")'}, {call: 'api_call("GET", "https://a.test/b")'}]
effect: exec
exec: {argv: [call, --, "${method}", "${url}"]}
`

// TestDocsYAML validates every definition and every policy, or part of one, in README.md and docs. TestDocsInCI has the other YAML blocks.
func TestDocsYAML(t *testing.T) {
	api := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(api, []byte(apiCall), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, page := range docPages(t) {
		for _, block := range blocks(readText(t, page), "yaml") {
			var content any
			if err := yaml.Unmarshal([]byte(block), &content); err != nil {
				t.Errorf("%s: %v in\n%s", page, err, block)
			}
			keys, ok := content.(map[string]any)
			if !ok || keys["hooks"] != nil {
				continue // a list, or hooks: TestDocsInCI
			}
			file := filepath.Join(t.TempDir(), "block.yaml")
			command := "oneshot validate --strict --as policy --tools testdata/readme/notes.yaml --tools " + api + " " + file
			switch {
			case keys["model"] != nil:
				kinds["agent file"]++
				command = "oneshot validate --strict --as agent - <" + file
			case keys["prices"] != nil:
				kinds["configuration"]++
				command = "oneshot validate --as config.v1 " + file
			case keys["description"] != nil:
				kinds["definition"]++
				command = fmt.Sprintf("oneshot validate --as definition %s && oneshot tools show %v --tools %[1]s", file, keys["name"])
			case keys["version"] != nil:
				kinds["policy"]++
			default:
				kinds["part of a policy"]++
				if keys["tools"] == nil {
					block = "tools: {}\n" + block
				}
				block = "version: 1\n" + block
			}
			if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			output(t, command)
		}
	}
	if kinds["definition"] < 4 || kinds["policy"] < 3 || kinds["part of a policy"] < 4 || kinds["agent file"] < 2 {
		t.Errorf("too few blocks: %v", kinds)
	}
}

// T12: the Go programs of README.md and docs compile.
func TestDocsProgram(t *testing.T) {
	t.Parallel()
	programs := 0
	for _, page := range docPages(t) {
		for _, block := range blocks(readText(t, page), "go") {
			programs++
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			output(t, "test -z \"$(gofmt -l "+file+")\" && go vet "+file)
		}
	}
	if programs == 0 {
		t.Error("no page has a Go program")
	}
}

// TestDocsFiles checks that the pages show the files that their examples use.
func TestDocsFiles(t *testing.T) {
	var all strings.Builder
	for _, page := range docPages(t) {
		all.WriteString(readText(t, page))
	}
	for _, name := range []string{"agent.yaml", "first.yaml", "policy.yaml", "notes.yaml", "notes_api.yaml", "programs.yaml"} {
		if !strings.Contains(all.String(), fenced("yaml", readText(t, filepath.Join("testdata", "readme", name)))) {
			t.Errorf("no page shows testdata/readme/%s as it is", name)
		}
	}
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
	for _, p := range provider.Presets() {
		key := strings.Join(p.Keys, ", ")
		if key != "" && !p.NeedsKey {
			key += " (optional)"
		}
		fmt.Fprintf(&b, "| `%s/NAME` | %s, %s | %s |\n", p.Name, p.Title, p.BaseURL, cmp.Or(key, "–"))
	}
	return b.String()
}

// shownElsewhere are exit codes that no command line can produce, with the tests
// that check them.
var shownElsewhere = map[int]string{70: "TestPanic and TestPanicEvents in cmd"}

// TestExitTable checks that end-to-end scripts show each exit code of the table that
// is reachable, and no other code.
func TestExitTable(t *testing.T) {
	shown := shownCodes(t)
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (\S+) \| (.*) \| .* \|$`).FindAllStringSubmatch(output(t, "oneshot explain exit-codes"), -1)
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

// TestErrorTable checks that a script or test shows each error code in its table.
func TestErrorTable(t *testing.T) {
	script := filepath.Join("testdata", "script", "error_codes.txtar")
	shownBy := map[string]string{"UNKNOWN_OUTCOME": filepath.Join("pkg", "agent", "cancel_test.go")}
	rows := regexp.MustCompile(`(?m)^\| ([A-Z_]+) \| .+ \| .+ \| (?:later|no) \|$`).FindAllStringSubmatch(output(t, "oneshot explain error-codes"), -1)
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
