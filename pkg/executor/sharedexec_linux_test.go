package executor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// A sharedExec is a row of exec_cases.jsonl, a list of cases outside of this repository (see ONESHOT_SHARED).
type sharedExec struct {
	ID       string
	Argv     json.RawMessage
	Template []string
	Vars     map[string]string
	Names    []string
}

// judgedElsewhere maps rows that do not concern this package, by ID or prefix of the ID, to a file and a text in it that
// tests them.
var judgedElsewhere = map[string]struct{ file, says string }{
	"argv-":                 {"../policy/shared_test.go", "exec_cases.jsonl"},
	"sandbox-link":          {"../subprocess/sandbox_linux_test.go", "through SECRET"},
	"sandbox-ptrace":        {"../subprocess/sandbox_linux_test.go", "trace VICTIM"},
	"sandbox-missing":       {"../../testdata/script/policy_sandbox.txtar", "exits 2"},
	"sandbox-config-absent": {"../subprocess/sandbox_linux_test.go", "mkdir ROOT/.git/hooks"},
}

// Every row of the shared list is tested here, or listed in judgedElsewhere with its test.
func TestSharedExecCases(t *testing.T) {
	dir := os.Getenv("ONESHOT_SHARED")
	if dir == "" {
		t.Skip("ONESHOT_SHARED names no directory with lists of cases")
	}
	text, err := os.ReadFile(filepath.Join(dir, "cases", "exec_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); rows++ {
		var row sharedExec
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		t.Run(row.ID, func(t *testing.T) { row.check(t) })
	}
	if rows == 0 {
		t.Fatal("the list has no rows")
	}
}

func (row sharedExec) check(t *testing.T) {
	for id, by := range judgedElsewhere {
		if row.ID == id || strings.HasSuffix(id, "-") && strings.HasPrefix(row.ID, id) {
			if text, err := os.ReadFile(by.file); err != nil || !strings.Contains(string(text), by.says) {
				t.Errorf("%s does not say %q (%v)", by.file, by.says, err)
			}
			return
		}
	}
	switch want, ok := sharedOutcomes[row.ID]; {
	case row.Names != nil:
		row.checkNames(t)
	case row.Template != nil || row.Vars != nil:
		row.checkTemplate(t)
	case !ok:
		t.Error("nobody has said what becomes of this row")
	default:
		row.checkCommand(t, want)
	}
}

// sharedOutcomes has the expected results of the rows that are commands.
var sharedOutcomes = map[string]execCase{
	"no-shell":            {Stdout: text("$(touch PWNED)\n"), None: []string{"PWNED"}},
	"semicolon":           {Stdout: text("a;touch PWNED\n"), None: []string{"PWNED"}},
	"glob":                {Stdout: text("*\n")},
	"nul":                 {Code: chat.InvalidArguments},
	"string-command":      {Code: chat.InvalidArguments, None: []string{"PWNED"}},
	"relative-program":    {Code: chat.InvalidArguments},
	"path-env":            {Says: []string{"a.txt"}},
	"stdin-null":          {Stdout: text("")},
	"fd-leak":             {Stdout: text("0\n1\n2\n3\n")}, // descriptor 3 is the folder that ls reads
	"cwd-fixed":           {},
	"timeout-simple":      {Timeout: 1, Code: chat.Timeout, Faster: 5},
	"timeout-child":       {Timeout: 1, Code: chat.Timeout, Faster: 5},
	"timeout-setsid":      {Timeout: 1, Ended: -1, Faster: 5}, // setsid itself ends at once
	"timeout-ignore-term": {Timeout: 1, Code: chat.Timeout, Faster: 5},
	"daemon-pipe":         {Stdout: text("done\n"), Ended: 1, Faster: 5},
	"output-flood":        {Code: chat.TooLarge},
	"output-binary":       {Says: []string{"bytes that are not UTF-8"}},
	"output-markers":      {},
	"output-secret":       {Stdout: text("sk-CANARY-***")},
	"exit-signal":         {Code: chat.Failed, Says: []string{"signal 9"}},
	"not-found":           {Code: chat.NotFound},
	"memory":              {Exit: 1, Says: []string{"MemoryError"}},
	"file-size":           {Exit: 153, Says: []string{"File size limit exceeded"}},
	"core-dump":           {Code: chat.Failed, Says: []string{"signal 11"}, None: []string{"core"}},
	"umask":               {Stdout: text("")},
	"sandbox-nnp":         {Stdout: text("NoNewPrivs:\t1\n")},
}

func text(s string) *string { return &s }

// checkCommand runs a row as a command of terminal_execute.
func (row sharedExec) checkCommand(t *testing.T, want execCase) {
	var argv []string
	if err := json.Unmarshal(row.Argv, &argv); err != nil {
		var line struct{ Command string }
		if err := json.Unmarshal(row.Argv, &line); err != nil {
			t.Fatal(err)
		}
		want.Command = line.Command
	} else {
		want.Command = quoted(argv)
	}
	if row.ID == "output-secret" {
		want.Command = "printf sk-CANARY-" + canary
	}
	if strings.Contains(want.Command, "python3") {
		if _, err := os.Stat("/usr/bin/python3"); err != nil {
			t.Skip("there is no python3")
		}
	}
	env := execEnv(t)
	t.Setenv("PATH", "/nowhere")
	before := held(t)
	result, err := runTool(t, env, want.definition(t), chat.Execution{Call: chat.Call{Arguments: want.arguments(t)}})
	if err != nil {
		t.Fatal(err)
	}
	if want.Ended < 0 {
		want.Ended, want.Other = 0, true
	}
	want.check(t, result, env)
	wantAsBefore(t, before)
	row.checkMore(t, result, env)
}

// checkMore makes additional checks for some rows: escaped markers, and the mode of a file.
func (row sharedExec) checkMore(t *testing.T, result chat.Result, env Env) {
	switch row.ID {
	case "output-markers":
		envelope, err := result.MarshalJSON()
		if inert := string(dialect.Neutralise(envelope)); err != nil || strings.Contains(inert, "```") {
			t.Errorf("%s, %v", inert, err)
		}
	case "umask":
		folder, err := env.Root.WorkingDir(".")
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		if info, err := os.Stat(filepath.Join(folder.Name(), "f")); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

// quoted writes words as a command.
func quoted(argv []string) string {
	var words []string
	for _, word := range argv {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// checkTemplate runs a row as the program of a definition. Its own program could have effects, so
// printf prints its arguments instead.
func (row sharedExec) checkTemplate(t *testing.T) {
	argv := row.Template
	if argv == nil {
		if err := json.Unmarshal(row.Argv, &argv); err != nil {
			t.Fatal(err)
		}
	}
	words := []string{"printf", "<%s>"}
	parameters, args := map[string]any{}, map[string]string{}
	for _, word := range argv[1:] {
		if name, ok := strings.CutPrefix(word, "{{"); ok {
			name = strings.TrimSuffix(name, "}}")
			parameters[name] = map[string]any{"type": "string", "required": false}
			args[name] = "-f/etc/passwd" // value for the row about values that begin with -
			if value, ok := row.Vars[name]; ok {
				args[name] = value
			}
			word = "${" + name + "}"
		}
		words = append(words, word)
	}
	run := func(words []string) chat.Result {
		def := execDefinition(t, jsonOf(t, parameters), jsonOf(t, map[string]any{"argv": words}), "")
		result, err := runTool(t, execEnv(t), def, chat.Execution{Call: chat.Call{Arguments: []byte(jsonOf(t, args))}})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	switch row.ID {
	case "template-empty":
		wantError(t, run(words), chat.InvalidArguments, "must not be empty")
	case "template-split":
		if got := string(run(words).Data); !strings.Contains(got, `<commit><-m><a\" --amend \"b>`) {
			t.Error(got)
		}
	case "leading-dash-value":
		if got := string(run(words).Data); !strings.Contains(got, `<--><-f/etc/passwd><.>`) {
			t.Error(got)
		}
		bare := slices.DeleteFunc(words, func(word string) bool { return word == "--" })
		wantError(t, run(bare), chat.InvalidArguments, "starts with -")
	default:
		t.Error("nobody has said what becomes of this row")
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkNames checks that the loader and the execution reject a definition that names a variable of a row.
func (row sharedExec) checkNames(t *testing.T) {
	for _, name := range row.Names {
		_, findings := tool.Loader{}.Parse("d.yaml", []byte("name: d\ndescription: d\nparameters: {}\neffect: exec\nexec: {argv: [env], env: ["+name+"]}\nexamples: [{call: d()}, {call: d()}, {call: d()}]\n"))
		if len(findings) != 1 || !strings.Contains(findings[0].Message, name) {
			t.Errorf("%s: %v", name, findings)
		}
		def := execDefinition(t, "{}", "{argv: [env]}", "")
		def.Exec.Env = []string{name} // bypasses the check of the loader
		env := execEnv(t)
		env.Getenv = func(string) string { return "x" }
		result, err := runTool(t, env, def, chat.Execution{Call: chat.Call{Arguments: []byte(`{}`)}})
		if err != nil || result.OK() || !subprocess.UnsafeVariable(name) {
			t.Errorf("%s: %s, %v", name, result.Data, err)
		}
	}
}
