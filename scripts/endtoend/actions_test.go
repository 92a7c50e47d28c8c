package endtoend

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// An action is the content of an action.yml of GitHub.
type action struct {
	Inputs map[string]struct {
		Description, Default string
		Required             bool
	}
	Runs struct {
		Using string
		Steps []struct {
			Uses, Shell, Run string
			Env, With        map[string]string
		}
	}
}

const actionFile = ".github/actions/lint/action.yml"

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// lintingBlock returns the YAML block of docs/linting.md that begins with a text.
func lintingBlock(t *testing.T, start string) string {
	t.Helper()
	_, rest, ok := strings.Cut(readText(t, "docs/linting.md"), "```yaml\n"+start)
	if !ok {
		t.Fatalf("docs/linting.md has no block that begins with %q", start)
	}
	block, _, _ := strings.Cut(rest, "```")
	return start + block
}

// run executes the steps of the action as a runner does, except steps that use other actions, and returns their output.
func (a action) run(t *testing.T, dir string, inputs map[string]string) (string, error) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	expand := regexp.MustCompile(`\$\{\{ *([\w.]+) *\}\}`)
	value := func(expression string) string {
		name := expand.FindStringSubmatch(expression)[1]
		if name == "github.action_path" {
			return filepath.Join(root, filepath.Dir(actionFile))
		}
		input := strings.TrimPrefix(name, "inputs.")
		declared, ok := a.Inputs[input]
		if !ok {
			t.Fatalf("%s is no input", name)
		}
		return cmp.Or(inputs[input], declared.Default)
	}
	var all strings.Builder
	temp := t.TempDir()
	for _, step := range a.Runs.Steps {
		if step.Uses != "" {
			continue
		}
		c := exec.Command(step.Shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		c.Dir, c.Env = dir, append(os.Environ(), "RUNNER_TEMP="+temp)
		for k, v := range step.Env {
			c.Env = append(c.Env, k+"="+expand.ReplaceAllStringFunc(v, value))
		}
		out, err := c.Output()
		all.Write(out)
		if err != nil {
			return all.String(), err
		}
	}
	return all.String(), nil
}

// TestAction checks the effect of each input of the action for GitHub.
func TestAction(t *testing.T) {
	t.Parallel()
	var a action
	readYAML(t, actionFile, &a)
	text, err := os.ReadFile(actionFile)
	if err != nil {
		t.Fatal(err)
	}
	for name := range a.Inputs {
		if !strings.Contains(string(text), "${{ inputs."+name+" }}") {
			t.Errorf("the input %s is not used", name)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("captures/fine.txt", "```tool\nreturn look(\"fjord\");\n```\n")
	write("captures/more/odd one.txt", "```tool\nreturn look(;\n```\n")
	write("captures/day.jsonl", `{"text": "Fine."}`+"\n"+`{"text": "<tool_call>{\"name\": \"f\", \"arguments\": {</tool_call>"}`+"\n")
	write("captures/warned.txt", "```tool\nreturn look(\"fjord\")\n")
	for _, tt := range []struct {
		name   string
		inputs map[string]string
		want   string // in the output
		exit   int
	}{
		{"fine", map[string]string{"files": "captures/fine.txt\n"}, "", 0},
		{"pattern", map[string]string{"files": "captures/**/*.txt"}, "::error file=captures/more/odd one.txt,line=2,", 1},
		{"JSON Lines", map[string]string{"files": "captures/*.jsonl"}, "::error file=captures/day.jsonl,line=2,", 1},
		{"folder", map[string]string{"files": "captures"}, "::error file=captures/day.jsonl,line=2,", 1},
		{"several, with flags", map[string]string{"files": "captures/fine.txt\ncaptures/warned.txt\n", "flags": "--fail-on=warning\n--select=TC1\n"}, "::warning file=captures/warned.txt,", 1},
		{"report", map[string]string{"files": "captures/more/odd one.txt", "sarif": "out.sarif", "flags": "--fail-on=never"}, "::error ", 0},
		{"report, and a threshold", map[string]string{"files": "captures/warned.txt", "sarif": "out.sarif", "flags": "--fail-on=warning"}, "::warning file=captures/warned.txt,", 1},
		{"validate", map[string]string{"command": "validate", "files": "*.yaml"}, "::error::no file is named", 2},
		{"no file", map[string]string{"files": "captures/none.txt"}, "", 3},
		{"a line that matches nothing", map[string]string{"files": "captures/fine.txt\ncaptures/*.none\n"}, "::error::no file is named by: captures/*.none\n", 2},
		{"folders that a pattern matches", map[string]string{"files": "captures/**"}, "::error file=captures/more/odd one.txt,line=2,", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := a.run(t, dir, tt.inputs)
			exit := 0
			if e, ok := err.(*exec.ExitError); ok {
				exit = e.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if exit != tt.exit || !strings.Contains(out, tt.want) || tt.want == "" && out != "" {
				t.Errorf("exit %d, want %d; prints %q, want %q", exit, tt.exit, out, tt.want)
			}
			if lines := strings.Split(strings.TrimSpace(out), "\n"); len(slices.Compact(slices.Sorted(slices.Values(lines)))) != len(lines) {
				t.Errorf("prints a line twice: %q", out)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out.sarif")); err != nil || !strings.Contains(string(text), `"version": "2.1.0"`) {
		t.Errorf("there is no report: %v", err)
	}
}

// TestMissingPrograms checks that .ci/run distinguishes a missing program from one that fails: pre-commit ends with 3
// after an unexpected error, and oneshot if it cannot read a file.
func TestMissingPrograms(t *testing.T) {
	t.Parallel()
	text := readText(t, ".ci/run")
	for name, programs := range map[string][]string{"try_hooks": {"pre-commit"}, "check_types": {"node", "npm", "python3"}} {
		bin := t.TempDir()
		for _, program := range programs {
			if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		_, function, ok := strings.Cut(text, "\n"+name+"() ")
		if !ok {
			t.Fatalf(".ci/run has no function %s", name)
		}
		body, _, _ := strings.Cut(function, "\n")
		c := exec.Command("bash", "-c", body)
		c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "ONESHOT_TYPES_CACHE="+filepath.Join(bin, "cache"))
		if out, err := c.CombinedOutput(); err == nil {
			t.Errorf("%s passes where a program fails: %s", name, out)
		}
	}
}

// TestDocsInCI checks that the action and the hooks of docs/linting.md exist and work.
func TestDocsInCI(t *testing.T) {
	var a action
	readYAML(t, actionFile, &a)
	var steps []struct {
		Uses string
		With map[string]string
	}
	if err := yaml.Unmarshal([]byte(lintingBlock(t, "- uses:")), &steps); err != nil {
		t.Fatal(err)
	}
	if path, _, _ := strings.Cut(steps[0].Uses, "@"); path != "OWNER/oneshot/"+filepath.Dir(actionFile) {
		t.Errorf("the action is used as %s", path)
	}
	for name := range steps[0].With {
		if _, ok := a.Inputs[name]; !ok {
			t.Errorf("the action has no input %s", name)
		}
	}
	var hooks []struct{ ID, Entry, Language string }
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	var have, want []string
	for _, h := range hooks {
		have = append(have, h.ID)
		if fields := strings.Fields(h.Entry); h.Language != "golang" || len(fields) != 2 || h.ID != strings.Join(fields, "-") {
			t.Errorf("the hook %s runs %q in %s", h.ID, h.Entry, h.Language)
		}
	}
	var config struct {
		Hooks []struct {
			ID, Files string
			Args      []string
		}
	}
	if err := yaml.Unmarshal([]byte(lintingBlock(t, "hooks:")), &config); err != nil {
		t.Fatal(err)
	}
	fine := filepath.Join(t.TempDir(), "fine.txt")
	if err := os.WriteFile(fine, []byte("```tool\nreturn vault_search(\"fjord\");\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"oneshot-parse": fine, "oneshot-validate": "tooldefs/*.yaml"}
	for _, h := range config.Hooks {
		want = append(want, h.ID)
		command := strings.Join(append(strings.Split(h.ID, "-"), h.Args...), " ")
		output(t, command+" "+files[h.ID])
	}
	slices.Sort(have)
	slices.Sort(want)
	if diff := gocmp.Diff(have, want); diff != "" {
		t.Errorf("hooks (-existing +docs):\n%s", diff)
	}
}
