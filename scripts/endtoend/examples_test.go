package endtoend

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/scripts/modelserver"
)

// examples are the folders of examples: the exit code of run.sh, and the file that it writes.
var examples = map[string]struct {
	exit   int
	writes string
}{
	"log":         {0, ""},
	"digest":      {0, "digest.json"},
	"lint":        {1, "lint.sarif"},
	"follow":      {0, ""},
	"reviews":     {0, "verdicts.jsonl"},
	"pullrequest": {20, "findings.json"},
}

// runExample runs the run.sh of an example in a copy of all of them, and returns its stdout and the folder.
func runExample(t *testing.T, name string) (out, folder string) {
	t.Helper()
	all := filepath.Join(t.TempDir(), "examples")
	folder = filepath.Join(all, name)
	if err := os.CopyFS(all, os.DirFS("examples")); err != nil {
		t.Fatal(err)
	}
	if writes := examples[name].writes; writes != "" { // left by somebody who ran the example
		if err := os.RemoveAll(filepath.Join(folder, writes)); err != nil {
			t.Fatal(err)
		}
	}
	return runExampleIn(t, name, folder, "OLLAMA_HOST=127.0.0.1:9"), folder
}

// runExampleIn runs the run.sh of an example in a folder.
func runExampleIn(t *testing.T, name, folder, server string, args ...string) (out string) {
	t.Helper()
	c := exec.Command(filepath.Join(folder, "run.sh"), args...)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(filepath.Dir(folder), "state"), server)
	var stderr strings.Builder
	c.Stderr = &stderr
	stdout, err := c.Output()
	exit := 0
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		exit = e.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if exit != examples[name].exit {
		t.Fatalf("examples/%s/run.sh: exit %d, want %d\n%s", name, exit, examples[name].exit, stderr.String())
	}
	return string(stdout)
}

// TestExampleBatch runs the example of a batch with a scripted model, twice: the second run continues an export that
// has grown.
func TestExampleBatch(t *testing.T) {
	model := httptest.NewServer((&modelserver.Server{Answer: func(modelserver.Request) modelserver.Reply {
		return modelserver.Text(`{"verdict":"good","reason":"The customer likes it."}`)
	}}).Handler())
	defer model.Close()
	folder := filepath.Join(t.TempDir(), "reviews")
	if err := os.CopyFS(folder, os.DirFS("examples/reviews")); err != nil {
		t.Fatal(err)
	}
	export := readText(t, filepath.Join(folder, "reviews.csv"))
	for want := 3; want <= 4; want++ {
		runExampleIn(t, "reviews", folder, "OLLAMA_HOST="+model.Listener.Addr().String(), "ollama/scripted")
		verdicts := readText(t, filepath.Join(folder, "verdicts.jsonl"))
		if strings.Count(verdicts, "\n") != want || strings.Count(verdicts, `"verdict":"good"`) != want {
			t.Errorf("want %d verdicts, got:\n%s", want, verdicts)
		}
		export += "r4,lamp,\"Too dim.\"\n"
		if err := os.WriteFile(filepath.Join(folder, "reviews.csv"), []byte(export), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output(t, "cd "+folder+" && oneshot validate verdicts.jsonl verdict.schema.json")
}

// TestExamples runs every example without a model server, and checks its files.
func TestExamples(t *testing.T) {
	folders, err := filepath.Glob("examples/*/run.sh")
	if err != nil || len(folders) != len(examples) {
		t.Fatalf("%d examples, want %d (%v)", len(folders), len(examples), err)
	}
	log, folder := runExample(t, "log")
	if err := os.WriteFile(filepath.Join(folder, "answer.json"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "cd "+folder+" && oneshot validate --schema errors.schema.json answer.json && oneshot validate recorded.jsonl errors.schema.json")
	digest, folder := runExample(t, "digest")
	if digest != "" {
		t.Errorf("the digest prints %q", digest)
	}
	output(t, "cd "+folder+" && oneshot validate --schema digest.schema.json digest.json && oneshot validate recorded.jsonl policy.yaml")
	lint, folder := runExample(t, "lint")
	if report := readText(t, filepath.Join(folder, "lint.sarif")); !strings.Contains(lint, "::error file=captures/tomatoes.txt") || !strings.Contains(report, `"version": "2.1.0"`) {
		t.Errorf("the lint prints %q, and reports %q", lint, report)
	}
	output(t, "oneshot validate "+folder+"/tools.yaml")
	review, folder := runExample(t, "pullrequest")
	if !strings.Contains(review, `"severity":"error"`) {
		t.Errorf("the review prints %q", review)
	}
	output(t, "cd "+folder+" && oneshot validate --schema findings.schema.json findings.json && oneshot validate recorded.jsonl findings.schema.json")
	if steps, _ := runExample(t, "follow"); !strings.Contains(steps, "\nCall: vault_search with {") || !strings.HasSuffix(steps, "\nDone after 2 calls.\n") {
		t.Errorf("the follower prints %q", steps)
	}
}

// shownExample returns the commands of an example, for a real model, and their output.
func shownExample(t *testing.T, name string) string {
	out, folder := runExample(t, name)
	_, commands, ok := strings.Cut(readText(t, filepath.Join("examples", name, "run.sh")), "cd \"$(dirname \"$0\")\"\n\n")
	if !ok {
		t.Fatalf("examples/%s/run.sh does not change to its folder", name)
	}
	commands = strings.ReplaceAll(commands, `"${1:-replay:recorded.jsonl}"`, "ollama/qwen3:8b")
	var b strings.Builder
	for line := range strings.Lines(commands) {
		if !strings.HasPrefix(line, " ") {
			b.WriteString("$ ")
		}
		b.WriteString(line)
	}
	b.WriteString(out)
	if name == "digest" {
		b.WriteString("$ cat digest.json\n" + readText(t, filepath.Join(folder, "digest.json")))
	}
	if examples[name].exit != 0 {
		b.WriteString("$ echo $?\n1\n")
	}
	return fenced("console", b.String())
}
