package executor

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
	"oneshot/tooldefs"
)

// An execCase is a row of testdata/exec: a command of terminal_execute, or a definition's
// program with the arguments of a call, and the expected result. SLEEP is replaced by a
// number of seconds that identifies the processes of the case.
type execCase struct {
	Name    string
	Why     string
	Command string // of terminal_execute
	Timeout int    // seconds

	Exec       json.RawMessage // or the program of a definition
	Parameters json.RawMessage
	Args       json.RawMessage
	Limit      string // time limit of that definition
	Bytes      int64  // maximum size of the result

	Code   chat.ErrorCode // of the error, "" for a success
	Exit   int
	Stdout *string         // all of it
	Stderr *string         // all of it
	Data   json.RawMessage // expected data other than stdout, stderr and exit code
	Other  bool            // the data is checked only by Says and Not
	Ended  int
	Says   []string // in the JSON of the result
	Not    []string // not in it
	None   []string // files that must not exist
	Faster float64  // maximum duration of the call in seconds; 0 means 15
}

const execCasesDir = "../../testdata/exec"

func execCases(t *testing.T) []execCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(execCasesDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", execCasesDir, err)
	}
	var all []execCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		for n := 1; lines.Scan(); n++ {
			var c execCase
			dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&c); err != nil || c.Name == "" || c.Why == "" {
				t.Fatalf("%s:%d: %v, a case needs a name and a reason", file, n, err)
			}
			all = append(all, c)
		}
	}
	return all
}

// canary is a secret of the cases.
const canary = "kc-1f6b0a94d2e7c358"

// execEnv returns an environment for programs: a root with a few files, and a confinement.
func execEnv(t testing.TB) Env {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	root := newRoot(t, map[string]string{
		"a.txt": "one\ntwo\n", "sub/b.txt": "b\n", "data.json": `{"n": 1.50, "k": ["x"]}`, "secret.txt": "the key is " + canary + "\n",
	})
	secrets := new(redact.Set)
	secrets.Add(canary)
	return Env{
		Root: root, Secrets: secrets,
		Programs: &subprocess.Confinement{Helper: []string{"/proc/self/exe"}, Path: []string{"/usr/bin", "/bin"}, All: new(subprocess.Running), Memory: 2 << 30, FileSize: 1 << 20},
		Getenv:   func(name string) string { return map[string]string{"GREETING": "hello", "EMPTY": ""}[name] },
	}
}

// definition returns the definition of a tool of a case.
func (c execCase) definition(t testing.TB) *tool.Definition {
	t.Helper()
	if c.Exec == nil {
		defs, findings, err := tool.Loader{}.Load(tooldefs.FS, "terminal_execute.yaml")
		if err != nil || len(findings) > 0 {
			t.Fatal(err, findings)
		}
		return defs[0]
	}
	return execDefinition(t, string(c.Parameters), string(c.Exec), c.Limit)
}

// execDefinition returns the definition of a tool that runs a program.
func execDefinition(t testing.TB, parameters, program, limit string) *tool.Definition {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("case.yaml", fmt.Appendf(nil, "name: p\ndescription: Do it.\nparameters: %s\ntimeout: %s\neffect: exec\nexec: %s\nexamples: [{call: p()}, {call: p()}, {call: p()}]\n",
		cmp.Or(parameters, "{}"), cmp.Or(limit, "20s"), program))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return defs[0]
}

// arguments returns the arguments of the call of a case.
func (c execCase) arguments(t testing.TB) json.RawMessage {
	t.Helper()
	switch {
	case c.Exec == nil:
		args, err := json.Marshal(map[string]any{"command": c.Command, "timeout": cmp.Or(c.Timeout, 20)})
		if err != nil {
			t.Fatal(err)
		}
		return args
	case c.Args == nil:
		return json.RawMessage(`{}`)
	}
	return c.Args
}

// runTool makes a call of a tool.
func runTool(t testing.TB, env Env, def *tool.Definition, x chat.Execution) (chat.Result, error) {
	t.Helper()
	registry, findings := tool.NewRegistry(def)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	x.Call.Name = def.Name
	return New(registry, env).Run(t.Context(), x)
}

// TestExecCases checks the results of commands and programs, and that they leave nothing behind: no
// process, no descriptor, no goroutine and no file.
func TestExecCases(t *testing.T) {
	for i, c := range execCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			sleep := mark(i)
			c.Command = strings.ReplaceAll(c.Command, "SLEEP", sleep)
			c.Exec = bytes.ReplaceAll(c.Exec, []byte("SLEEP"), []byte(sleep))
			env := execEnv(t)
			def := c.definition(t)
			before, begin := held(t), time.Now()
			result, err := runTool(t, env, def, chat.Execution{Call: chat.Call{Arguments: c.arguments(t)}, MaxBytes: c.Bytes})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > time.Duration(cmp.Or(c.Faster, 15)*float64(time.Second)) {
				t.Errorf("it took %v", took)
			}
			c.check(t, result, env)
			wantAsBefore(t, before)
			wantNobody(t, sleep)
		})
	}
}

// check compares the result of a case with the expected one.
func (c execCase) check(t *testing.T, result chat.Result, env Env) {
	t.Helper()
	text, err := result.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	code := chat.ErrorCode("")
	if result.Error != nil {
		code = result.Error.Code
	}
	if code != c.Code {
		t.Fatalf("%.600s, want %q", text, c.Code)
	}
	if c.Bytes > 0 && int64(len(result.Data)) > c.Bytes {
		t.Errorf("the data has %d bytes", len(result.Data))
	}
	c.checkText(t, result)
	for _, says := range c.Says {
		if !bytes.Contains(text, []byte(says)) {
			t.Errorf("%.600s does not say %s", text, says)
		}
	}
	for _, not := range c.Not {
		if bytes.Contains(text, []byte(not)) {
			t.Errorf("%.600s says %s", text, not)
		}
	}
	for _, name := range c.None {
		if _, err := env.Root.Read(name, 1); !strings.Contains(fmt.Sprint(err), "no such file") {
			t.Errorf("there is %s (%v)", name, err)
		}
	}
}

func (c execCase) checkText(t *testing.T, result chat.Result) {
	t.Helper()
	switch {
	case c.Code != "" || c.Other:
		return
	case c.Data != nil:
		if got, want := jsontext.Value(result.Data), jsontext.Value(c.Data); got.Compact() != nil || want.Compact() != nil || string(got) != string(want) {
			t.Errorf("data %s, want %s", got, want)
		}
		return
	}
	got := data[struct {
		Exit, Ended    int
		Stdout, Stderr string
	}](t, result)
	if got.Exit != c.Exit || got.Ended != c.Ended || c.Stdout != nil && got.Stdout != *c.Stdout || c.Stderr != nil && got.Stderr != *c.Stderr {
		t.Errorf("%+v", got)
	}
}

// A cancelled run kills its programs, and the error is the cause of the cancellation.
func TestExecCancelled(t *testing.T) {
	why := errors.New("over")
	for _, def := range []*tool.Definition{execCase{}.definition(t), execDefinition(t, "{}", `{argv: [sh, -c, "trap '' TERM; setsid sleep `+mark(500)+` & touch here; wait"]}`, "30s")} {
		args := `{}`
		if def.Builtin != "" {
			args = `{"command":"sh -c 'touch here; sleep ` + mark(500) + `'"}`
		}
		env := execEnv(t)
		registry, _ := tool.NewRegistry(def)
		before := held(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			defer cancel(why)
			for _, err := env.Root.Read("here", 1); err != nil; _, err = env.Root.Read("here", 1) {
				time.Sleep(time.Millisecond)
			}
		}()
		_, err := New(registry, env).Run(ctx, chat.Execution{Call: chat.Call{Name: def.Name, Arguments: []byte(args)}})
		if !errors.Is(err, why) {
			t.Errorf("%s: %v", def.Name, err)
		}
		wantAsBefore(t, before)
		wantNobody(t, mark(500))
	}
}

// No program runs without a root or a confinement, or for a definition whose effect is not exec.
func TestExecRefused(t *testing.T) {
	env := execEnv(t)
	reads := execDefinition(t, "{}", `{argv: [touch, here]}`, "")
	reads.Effect = tool.Read
	terminal := execCase{}.definition(t)
	terminal.Effect = tool.Write
	for name, c := range map[string]struct {
		env  Env
		def  *tool.Definition
		code chat.ErrorCode
		says string
	}{
		"no root":           {Env{Programs: env.Programs}, execDefinition(t, "{}", `{argv: [touch, here]}`, ""), chat.Denied, "--root"},
		"no root, terminal": {Env{Programs: env.Programs}, execCase{}.definition(t), chat.Denied, "--root"},
		"no programs":       {Env{Root: env.Root}, execDefinition(t, "{}", `{argv: [touch, here]}`, ""), chat.Failed, "cannot run programs"},
		"another effect":    {env, reads, chat.Failed, "does not declare it"},
		"another, terminal": {env, terminal, chat.Failed, "does not declare it"},
	} {
		got, err := runTool(t, c.env, c.def, chat.Execution{Call: chat.Call{Arguments: []byte(map[bool]string{true: `{"command":"touch here"}`, false: `{}`}[c.def.Builtin != ""])}})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { wantError(t, got, c.code, c.says) })
	}
	if _, err := env.Root.Read("here", 1); err == nil {
		t.Error("something was run")
	}
}

// A program does not get a path that resolves to a different file than at the approval of the call, or to a
// file outside the root.
func TestExecLeads(t *testing.T) {
	env := execEnv(t)
	folder, err := env.Root.WorkingDir(".")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for name, to := range map[string]string{"in": "sub/b.txt", "out": "../x"} {
		if err := os.Symlink(to, filepath.Join(folder.Name(), name)); err != nil {
			t.Fatal(err)
		}
	}
	def := execDefinition(t, "{file: {type: string, format: path, required: false}}", `{argv: [cat, --, "${file}"]}`, "")
	for _, c := range []struct {
		file string
		led  map[string]string
		code chat.ErrorCode
	}{
		{"in", nil, ""},
		{"in", map[string]string{"in": "sub/b.txt"}, ""},
		{"./in", map[string]string{"in": "a.txt"}, chat.Denied},
		{"out", nil, chat.Denied},
	} {
		got, err := runTool(t, env, def, chat.Execution{Call: chat.Call{Arguments: []byte(`{"file":"` + c.file + `"}`)}, ResolvedPaths: c.led})
		if err != nil {
			t.Fatal(err)
		}
		if c.code != "" {
			wantError(t, got, c.code, "it resolves")
		} else if !strings.Contains(string(got.Data), `"stdout":"b\n"`) {
			t.Errorf("%+v: %s, %+v", c, got.Data, got.Error)
		}
	}
}
