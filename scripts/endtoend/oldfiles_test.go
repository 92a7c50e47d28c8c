package endtoend

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

const oldFiles = "testdata/oldfiles"

// TestOldFiles checks that files of earlier versions of the program are read, or refused with a message that names the
// version: see testdata/oldfiles/README.md.
func TestOldFiles(t *testing.T) {
	folders, err := filepath.Glob(oldFiles + "/*/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no old files: %v", err)
	}
	readme := readText(t, oldFiles+"/README.md")
	for _, folder := range folders {
		name, _ := filepath.Rel(oldFiles, folder)
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(readme, "| `"+name+"` |") {
				t.Errorf("%s/README.md has no line about %s", oldFiles, name)
			}
			check, ok := oldFileChecks[filepath.Dir(name)]
			if !ok {
				t.Fatalf("no check reads files of the format %q", filepath.Dir(name))
			}
			f := newOldFile(t, folder)
			check(t, f)
			if _, err := os.Stat(f.path("check.sh")); err == nil && runtime.GOOS == "linux" { // records name the folder /proc/self/cwd
				f.succeeds("sh", "-eu", "check.sh")
			}
		})
	}
}

// oldFileChecks check the files of a format before its check.sh runs, if it has one.
var oldFileChecks = map[string]func(*testing.T, *oldFile){
	"runfile":    checkOldRunFile,
	"agent":      checkKind("agent", "*.yaml"),
	"policy":     checkKind("policy", "*.yaml"),
	"definition": checkKind("definition", "*.yaml"),
	"config":     checkKind("config.v1", "config/oneshot/config.yaml"),
	"baseline":   checkKind("baseline", "known.jsonl"),
	"batch":      checkKind("batch", "verdicts.jsonl"),
	"output":     needsScript,
	"state":      needsScript,
}

// An oldFile is a copy of a folder of old files, in which commands run.
type oldFile struct {
	t   *testing.T
	dir string
	env []string
}

func newOldFile(t *testing.T, folder string) *oldFile {
	t.Helper()
	f := &oldFile{t: t, dir: filepath.Join(t.TempDir(), "work")}
	if err := os.CopyFS(f.dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	private := func(path string, d fs.DirEntry, err error) error { // a checkout makes files readable for others
		if err == nil && !d.IsDir() && strings.HasPrefix(filepath.Ext(path), ".json") {
			err = os.Chmod(path, 0o600)
		}
		return err
	}
	if err := filepath.WalkDir(f.dir, private); err != nil {
		t.Fatal(err)
	}
	f.env = append(os.Environ(), "XDG_STATE_HOME="+f.path("state"), "XDG_CONFIG_HOME="+f.path("config"), "HOME="+f.dir, "OLLAMA_HOST=127.0.0.1:9")
	if _, err := os.Stat(f.path("rest")); err == nil {
		f.startServer()
	}
	return f
}

// startServer starts a server that plays the model from the folder rest.
func (f *oldFile) startServer() {
	f.t.Helper()
	server := &modelserver.Server{Tools: true, Vision: true, AtOnce: true}
	running := httptest.NewUnstartedServer(server.Handler())
	address := running.Listener.Addr().String()
	var err error
	if server.Script, err = modelserver.ReadScript(f.path("rest"), address); err != nil {
		f.t.Fatal(err)
	}
	running.Start()
	f.t.Cleanup(running.Close)
	f.env = append(f.env, "SERVER=http://"+address, "OLLAMA_HOST="+address)
}

func (f *oldFile) path(name string) string { return filepath.Join(f.dir, name) }

// run runs a command in the folder.
func (f *oldFile) run(name string, args ...string) (exit int, stdout, stderr string) {
	f.t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = f.dir, f.env
	var out, messages strings.Builder
	c.Stdout, c.Stderr = &out, &messages
	err := c.Run()
	if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
		f.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), messages.String()
}

// succeeds runs a command that must end with 0, and returns its output.
func (f *oldFile) succeeds(name string, args ...string) string {
	f.t.Helper()
	exit, stdout, stderr := f.run(name, args...)
	if exit != 0 {
		f.t.Errorf("%s %q: exit %d\n%s%s", name, args, exit, stdout, stderr)
	}
	return stdout
}

// refuses runs a command that must fail with an exit code and a reason.
func (f *oldFile) refuses(exit int, why string, args ...string) {
	f.t.Helper()
	code, stdout, stderr := f.run("oneshot", args...)
	if code != exit || !strings.Contains(stdout+stderr, why) {
		f.t.Errorf("%q: exit %d, want %d and %q:\n%s%s", args, code, exit, why, stdout, stderr)
	}
}

// write writes a file to the folder.
func (f *oldFile) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path(name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func needsScript(t *testing.T, f *oldFile) {
	if _, err := os.Stat(f.path("check.sh")); err != nil {
		t.Error("no check.sh says what is done with these files")
	}
}

// checkKind returns a check of the files of a kind.
func checkKind(kind, pattern string) func(*testing.T, *oldFile) {
	return func(t *testing.T, f *oldFile) {
		files, err := filepath.Glob(f.path(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		f.succeeds("oneshot", append([]string{"validate", "--as", kind}, files...)...)
	}
}

// checkOldRunFile checks that a run file is shown, and replayed if its run has ended. If the folder has a file refused, all
// commands refuse the run file with its text.
func checkOldRunFile(t *testing.T, f *oldFile) {
	before := readText(t, f.path("run.jsonl"))
	if why, err := os.ReadFile(f.path("refused")); err == nil {
		checkRefusedRunFile(f, strings.TrimSpace(string(why)))
	} else {
		checkReadRunFile(t, f)
	}
	if readText(t, f.path("run.jsonl")) != before {
		t.Error("the run file was changed")
	}
}

func checkRefusedRunFile(f *oldFile, why string) {
	f.refuses(1, why, "validate", "run.jsonl")
	f.refuses(3, why, "runs", "show", "run.jsonl")
	f.refuses(3, why, "run", "--resume", "run.jsonl")
	f.refuses(3, why, "run", "--no-run-file", "--model", "replay:run.jsonl", "Go")
	f.refuses(3, why, "runs", "export", "--otlp", "127.0.0.1:9", "run.jsonl")
}

func checkReadRunFile(t *testing.T, f *oldFile) {
	f.succeeds("oneshot", "validate", "--as", "runfile", "run.jsonl")
	f.succeeds("oneshot", "runs", "show", "run.jsonl")
	f.succeeds("oneshot", "runs", "show", "--format", "json", "run.jsonl")
	f.write("messages.jsonl", f.succeeds("oneshot", "runs", "show", "--format", "messages", "run.jsonl"))
	f.succeeds("oneshot", "validate", "--as", "message", "messages.jsonl")
	f.write("events.jsonl", f.succeeds("oneshot", "runs", "show", "--format", "events", "run.jsonl"))
	log, err := runfile.ReadFile(f.path("run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	end, ok := log.Records[len(log.Records)-1].Body.(runfile.End)
	if !ok {
		return
	}
	f.succeeds("oneshot", "validate", "--as", "events", "events.jsonl")
	checkReplay(t, f, log, end)
}

// checkReplay checks that a replay ends as its run did.
func checkReplay(t *testing.T, f *oldFile, log *runfile.Log, end runfile.End) {
	run, _ := log.Run() // [runfile.ReadFile] checked it
	if err := os.MkdirAll(f.path("state/oneshot/runs"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.write("state/oneshot/runs/"+run.ID+".jsonl", readText(t, f.path("run.jsonl")))
	if runtime.GOOS != "linux" { // the run was in /proc/self/cwd
		return
	}
	exit, stdout, stderr := f.run("oneshot", "run", "--no-run-file", "--model", "replay:"+run.ID)
	if exit != end.Exit {
		t.Errorf("replay: exit %d, want %d\n%s", exit, end.Exit, stderr)
	}
	for _, r := range log.LiveRecords() {
		answer, ok := r.Body.(runfile.Answer)
		if ok && !isSameJSON(stdout, string(answer.JSON)) {
			t.Errorf("replay: the answer is %q, want %q", stdout, answer.JSON)
		}
	}
}

func isSameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// TestLaterFiles checks that a file of a later version of each format is refused and not changed. The message names the version
// if the format has one.
func TestLaterFiles(t *testing.T) {
	const update = "the format has version 2, and this oneshot reads version 1"
	run := readText(t, oldFiles+"/runfile/2-2026-11-28-cut-off/run.jsonl")
	line := readText(t, oldFiles+"/batch/1-2026-11-28-cut-off/verdicts.jsonl")
	tests := []struct{ file, text, why string }{
		{"version.jsonl", resealed(run, `"version":2`, `"version":3`), "has format version 3, and this oneshot reads version 2; update oneshot"},
		{"kind.jsonl", resealed(run, `"kind":"result"`, `"kind":"reflex"`), `unknown kind of record "reflex"; another version of oneshot wrote the file`},
		{"form.jsonl", resealed(run, `"turn":1`, `"turn":"1"`), "another version of oneshot wrote the file"},
		{"policy.yaml", "version: 2\ntools: {}\nagents: {}\n", update},
		{"agent.yaml", "version: 2\nmodel: ollama/scripted\nagents: {}\n", update},
		{"definition.yaml", "version: 2\nname: a\n", "definition.yaml:1:1: error TD002 unknown-key: version: unknown key"},
		{"config.yaml", "version: 2\nmodel: ollama/scripted\n", update},
		{"line.jsonl", strings.Replace(line, `"index":1`, `"index":1,"version":2`, 1), "the line has format version 2, and this oneshot reads version 1; update oneshot"},
		{"baseline.jsonl", `{"version":2,"fingerprint":"2412678bb53b6f437507dece0b1deae5","code":"TC301","file":"reply.txt"}` + "\n", "version"},
		{"starts.json", `{"version":2,"starts":{}}`, "starts.json is damaged"},
	}
	commands := map[string][][]string{
		"version.jsonl":   {{"runs", "show", "FILE"}, {"run", "--resume", "FILE"}, {"run", "--no-run-file", "--model", "replay:FILE", "Go"}, {"runs", "export", "--otlp", "127.0.0.1:9", "FILE"}, {"validate", "FILE"}},
		"kind.jsonl":      {{"run", "--resume", "FILE"}, {"run", "--no-run-file", "--model", "replay:FILE", "Go"}, {"validate", "FILE"}},
		"form.jsonl":      {{"run", "--resume", "FILE"}, {"run", "--no-run-file", "--model", "replay:FILE", "Go"}, {"validate", "FILE"}},
		"policy.yaml":     {{"run", "--model", "demo", "--policy", "FILE", "Go"}, {"validate", "--as", "policy", "FILE"}},
		"agent.yaml":      {{"run", "--agent", "FILE", "Go"}, {"validate", "--as", "agent", "FILE"}},
		"definition.yaml": {{"run", "--model", "demo", "--tools", "FILE", "Go"}, {"validate", "--as", "definition", "FILE"}},
		"config.yaml":     {{"run", "Go"}, {"validate", "--as", "config.v1", "FILE"}},
		"line.jsonl":      {{"batch", "--model", "ollama/scripted", "--prompt", "${review}", "-o", "FILE", "reviews.jsonl"}, {"batch", "--model", "ollama/scripted", "--prompt", "${review}", "-o", "new.jsonl", "--retry", "all", "FILE", "reviews.jsonl"}},
		"baseline.jsonl":  {{"parse", "--baseline", "FILE", "reviews.jsonl"}, {"validate", "--as", "baseline", "FILE"}},
		"starts.json":     {{"tools", "call", "file_read", "--root", ".", "--policy", "rate.yaml", "--args", `{"filePaths":["rate.yaml"]}`}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			f := newOldFile(t, oldFiles+"/batch/1-2026-11-28-failed")
			f.write("rate.yaml", "version: 1\ntools: {file_read: {allow: [{id: all}], limit: {rate: 1/h, per: user}}}\n")
			path := map[string]string{"config.yaml": "config/oneshot/config.yaml", "starts.json": "state/oneshot/rates/starts.json"}[test.file]
			if path == "" {
				path = "./" + test.file
			}
			if err := os.MkdirAll(filepath.Dir(f.path(path)), 0o700); err != nil {
				t.Fatal(err)
			}
			f.write(path, test.text)
			for _, args := range commands[test.file] {
				args = strings.Split(strings.ReplaceAll(strings.Join(args, "\n"), "FILE", path), "\n")
				exit, stdout, stderr := f.run("oneshot", args...)
				if (exit < 1 || exit > 3) || !strings.Contains(stdout+stderr, test.why) {
					t.Errorf("%q: exit %d, want 1 to 3 and %q:\n%s%s", args, exit, test.why, stdout, stderr)
				}
			}
			if readText(t, f.path(path)) != test.text {
				t.Errorf("%s was changed", path)
			}
		})
	}
}

// resealed replaces a part of the first record that contains it, and corrects the checksum.
func resealed(text, before, after string) string {
	head, rest, _ := strings.Cut(text, before)
	start := strings.LastIndexByte(head, '\n') + 1
	body, rest, _ := strings.Cut(rest, `,"crc":"`)
	body = head[start:] + after + body
	sum := crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli))
	return head[:start] + body + fmt.Sprintf(`,"crc":"%08x`, sum) + rest[8:]
}
