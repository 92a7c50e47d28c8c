package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
	"oneshot/pkg/schema"
	"oneshot/prompts"
	"oneshot/tooldefs"
)

// oneshot runs a command line with text on stdin.
func oneshot(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(t.Context(), Env{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
		Getenv: func(string) string { return "" }, Now: time.Now, Tools: tooldefs.FS, Prompts: prompts.FS,
	})
	return out.String(), err.String(), code
}

// C2: with --format jsonl the record of a file is on stdout before the next file
// is read.
func TestParseStreams(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first.txt")
	if err := os.WriteFile(first, []byte("No call."), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, reply := io.Pipe()
	records, stdout := io.Pipe()
	ended := make(chan int)
	go func() {
		code := Main(t.Context(), Env{
			Args: []string{"parse", "--format", "jsonl", first, "-"}, Stdin: stdin, Stdout: stdout, Stderr: io.Discard,
			Getenv: func(string) string { return "" }, Now: time.Now, Tools: tooldefs.FS, Prompts: prompts.FS,
		})
		stdout.Close()
		ended <- code
	}()
	lines := bufio.NewScanner(records)
	for _, name := range []string{first, "-"} {
		if name == "-" { // the first record has arrived before stdin has any data
			io.WriteString(reply, "No call either.")
			reply.Close()
		}
		var record struct{ File string }
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &record) != nil || record.File != name {
			t.Fatalf("no record of %s: %q", name, lines.Bytes())
		}
	}
	if code := <-ended; code != 0 || lines.Scan() {
		t.Errorf("exit %d, and then %q", code, lines.Bytes())
	}
}

// C2: the record of a JSON line is on stdout before the next line arrives, and a signal ends the command while stdin is still
// open.
func TestParseStreamsRecords(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stdin, lines := io.Pipe()
	defer lines.Close()
	records, stdout := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- Main(ctx, Env{
			Args: []string{"parse", "--field", "text", "--format", "jsonl", "-"}, Stdin: stdin, Stdout: stdout, Stderr: io.Discard,
			Getenv: func(string) string { return "" }, Now: time.Now, Tools: tooldefs.FS, Prompts: prompts.FS,
		})
	}()
	read := bufio.NewScanner(records)
	for n := 1; n <= 3; n++ {
		io.WriteString(lines, `{"text":"Fine."}`+"\n")
		var record struct{ Record int }
		if !read.Scan() || json.Unmarshal(read.Bytes(), &record) != nil || record.Record != n {
			t.Fatalf("no record %d: %q", n, read.Bytes())
		}
	}
	cancel(&InterruptError{syscall.SIGINT})
	if code := <-ended; code != 130 {
		t.Errorf("exit %d", code)
	}
}

// C6: --fix prints nothing of a file with a line that is too long to be kept.
func TestFixOfLongLine(t *testing.T) {
	long := `{"text":"` + strings.Repeat("x", lint.MaxRecordBytes) + `"}` + "\n"
	stdout, stderr, code := oneshot(t, long, "parse", "--fix", "--field", "text", "-")
	if code != 3 || stdout != "" || !strings.Contains(stderr, "stdin: line 1 is too long for --fix") {
		t.Errorf("exit %d, %d bytes and %q", code, len(stdout), stderr)
	}
	stdout, stderr, code = oneshot(t, `{"text":"Fine."}`+"\n"+long, "parse", "--fix", "--field", "text", "-")
	if code != 3 || stdout != "" || !strings.Contains(stderr, "stdin: line 2 is too long for --fix") {
		t.Errorf("exit %d, %d bytes and %q", code, len(stdout), stderr)
	}
	stdout, _, code = oneshot(t, long+`{"text":"Fine."}`, "parse", "--field", "text", "--format", "jsonl", "-")
	if code != 1 || strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, `"code":"TC024"`) {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

// K2: each record of "parse --format json" fits the published schema, whatever
// is wrong with the response.
func TestParseFitsSchema(t *testing.T) {
	text, ok := schema.PublishedText("parse_result.v1")
	if !ok {
		t.Fatal("the schema is not published")
	}
	fits, findings := schema.Compile("parse_result.v1", text)
	if fits == nil {
		t.Fatal(findings)
	}
	responses := []string{"", "No call.", "```tool\nreturn wget(\"https://go.dev/\", +5);\nwget({});\nwgett();\n```"}
	for _, r := range diag.Rules {
		responses = append(responses, r.Bad, "```tool\n"+r.Bad+"\n```")
	}
	for _, response := range responses {
		for _, args := range [][]string{
			{"parse", "--format", "json"},
			{"parse", "--format", "json", "--strict"},
			{"parse", "--format", "json", "--max-findings", "1"},
			{"parse", "--format", "json", "--tool", "*"},
		} {
			stdout, stderr, code := oneshot(t, response, append(args, "-")...)
			if code > 1 {
				t.Fatalf("%q: exit %d: %s", response, code, stderr)
			}
			var records []json.RawMessage
			if err := json.Unmarshal([]byte(stdout), &records); err != nil || len(records) == 0 {
				t.Fatalf("%q: %d records, %v", response, len(records), err)
			}
			for _, record := range records {
				for _, f := range fits.Check(record) {
					t.Errorf("%q: %s", response, f)
				}
			}
		}
		record, err := json.Marshal(map[string]any{"id": response, "text": response})
		if err != nil {
			t.Fatal(err)
		}
		stdout, _, _ := oneshot(t, string(record)+"\n"+response, "parse", "--format", "jsonl", "--field", "text", "--id-field", "id", "-")
		for line := range strings.Lines(stdout) {
			for _, f := range fits.Check([]byte(line)) {
				t.Errorf("%q: %s", line, f)
			}
		}
	}
}

// C2: every code can be explained, by its name and by its slug.
func TestExplain(t *testing.T) {
	for _, r := range diag.Rules {
		for _, name := range []string{string(r.Code), strings.ToLower(string(r.Code)), r.Slug} {
			stdout, stderr, code := oneshot(t, "", "explain", name)
			if code != 0 || !strings.Contains(stdout, r.Text) {
				t.Errorf("explain %s: exit %d, %s%s", name, code, stdout, stderr)
			}
		}
	}
}

// C6: a report that cannot be written is exit 74, and never exit 0 or 1.
func TestReportNotWritten(t *testing.T) {
	for _, args := range [][]string{
		{"parse", "-"}, {"parse", "--format", "json", "-"}, {"parse", "--list-codes"}, {"explain"}, {"explain", "TC301"},
		{"validate", "--as", "schema", "-"}, {"validate", "--as", "schema", "--format", "json", "-"},
		{"tools", "list"}, {"tools", "show", "wget"}, {"schema"}, {"schema", "result.v1"}, {"version"}, {"explain", "exit-codes"}, {"explain", "error-codes"},
	} {
		var stderr bytes.Buffer
		code := Main(context.Background(), Env{
			Args: args, Stdin: strings.NewReader("{"), Stdout: full{}, Stderr: &stderr,
			Getenv: func(string) string { return "" }, Now: time.Now, Tools: tooldefs.FS, Prompts: prompts.FS,
		})
		if code != 74 {
			t.Errorf("%v: exit %d, want 74: %s", args, code, &stderr)
		}
	}
}

// full fails each write like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left on device")
