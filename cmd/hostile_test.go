package cmd

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/prompts"
	"oneshot/tooldefs"
)

// hostile has characters that a terminal interprets, hides or reorders: ESC, DEL, C1, a bidirectional override, a tag character
// and a zero-width space.
const hostile = "a\x1b[2J\x7f\u009b31m\u202eb\U000e0041c\u200bd"

// sealed returns the lines of a run file with their checksums.
func sealed(lines ...string) []byte {
	var out []byte
	for _, line := range lines {
		line = strings.TrimSuffix(line, "}")
		out = fmt.Appendf(out, "%s,\"crc\":\"%08x\"}\n", line, crc32.Checksum([]byte(line), crc32.MakeTable(crc32.Castagnoli)))
	}
	return out
}

// hostileRun is a run file whose members hold [hostile], escaped as JSON demands.
func hostileRun() []byte {
	h := strings.NewReplacer("\x1b", `\u001b`).Replace(hostile)
	head := func(seq int, kind string) string {
		return fmt.Sprintf(`{"seq":%d,"run":"r","time":"2026-11-21T09:00:00Z","kind":%q,`, seq, kind)
	}
	return sealed(
		head(1, "run")+`"version":2,"id":"r","model":"`+h+`","dialect":"tool","prompt":"`+h+`"}`,
		head(2, "request")+`"turn":1,"purpose":"`+h+`","messages":[{"role":"`+h+`","content":"`+h+`"}]}`,
		head(3, "response")+`"turn":1,"stop":"`+h+`","content":"`+h+`","calls":[{"id":"`+h+`","name":"`+h+`","arguments":{"`+h+`":"`+h+`"},"status":"`+h+`"}]}`,
		head(4, "call")+`"id":"`+h+`","name":"`+h+`","verdict":"`+h+`","rule":"`+h+`","why":"`+h+`","effective":{"a":"`+h+`"}}`,
		head(5, "end")+`"exit":1,"name":"`+h+`","why":"`+h+`"}`,
	)
}

// M9: no command prints a character that a terminal interprets or hides, in text or in JSON, whatever a file or its name
// contains.
func TestHostileOutput(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := write("run.jsonl", hostileRun())
	text := write("said "+strings.ReplaceAll(hostile, "/", "")+".txt", []byte("```tool\nsearch({\"q\": \""+hostile+"\", \""+hostile+"\": 1})\n```\n"+hostile))
	doc := write("doc.json", []byte("{\"a\":\"\u009b\u202e\x7f\",\"\u009b\":1}"))
	answers := write("schema.json", []byte("{\"properties\":{\"a\":{\"enum\":[\"\u009b\"]}},\"additionalProperties\":false,\"required\":[\"\u202e\"]}"))
	def := write("def.yaml", []byte("name: search\ndescription: Finds \u202e words \u009b31m here.\neffect: read\nbuiltin: file_read\nparameters:\n  q: {type: string, enum: [\"\u009b\"], description: \"\u009b\"}\n"))
	records := write("records.jsonl", []byte("{\"id\":\"\u009b\u202e\",\"text\":\"```tool\\nsearch({\\\"q\\\": \\\"\u009b\\\"})\\n```\"}\n"))
	missing := filepath.Join(dir, hostile)
	for _, args := range [][]string{
		{"parse", run}, {"parse", "--format", "json", run}, {"parse", "--format", "jsonl", run}, {"parse", "--format", "sarif", run},
		{"parse", "--format", "junit", run}, {"parse", "--format", "github", run},
		{"parse", text}, {"parse", "--format", "json", text}, {"parse", "--format", "jsonl", text}, {"parse", "--format", "sarif", text},
		{"parse", "--format", "junit", text}, {"parse", "--format", "github", text}, {"parse", "--tools", def, text},
		{"parse", "--tools", def, "--format", "json", text}, {"parse", "--field", "text", "--id-field", "id", records},
		{"parse", "--fix", text}, {"parse", "--fix", "--diff", text}, {"parse", missing}, {"parse", "--dialect", hostile, text}, {hostile}, {"parse", "--" + hostile},
		{"validate", run}, {"validate", "--format", "json", run}, {"validate", "--format", "jsonl", run}, {"validate", "--format", "sarif", run},
		{"validate", "--schema", answers, doc}, {"validate", "--schema", answers, "--format", "json", doc}, {"validate", def}, {"validate", "--fix", def},
		{"validate", "--format", "sarif", def}, {"validate", missing}, {"validate", text},
		{"runs", "show", run}, {"runs", "show", "--format", "json", run}, {"runs", "show", missing}, {"runs", "show", hostile},
		{"tools", "list", "--tools", def}, {"tools", "list", "--format", "json", "--tools", def},
		{"tools", "show", "--tools", def, "search"}, {"tools", "show", "--format", "json", "--tools", def, "search"}, {"tools", "show", hostile},
		{"tools", "call", "--tools", def, "search", `{"q":"` + "\u009b" + `"}`}, {"tools", "call", "--dry-run", "--tools", def, "search", `{"q":"` + "\u009b" + `"}`},
		{"prompt", "--tools", def, "--tool", "search"}, {"prompt", "--dialect", "native", "--tools", def, "--tool", "search"},
		{"explain", hostile}, {"schema", hostile}, {"run", "--model", hostile, "x"}, {"run", "--model", "replay:" + missing, "x"},
	} {
		env, stdout, stderr := testEnv(args...)
		env.Screen, env.Tools, env.Prompts = true, tooldefs.FS, prompts.FS
		env.Getenv = func(name string) string {
			return map[string]string{"XDG_STATE_HOME": dir, "HOME": dir, "NO_COLOR": "1"}[name] // colour has control characters
		}
		if code := Main(t.Context(), env); code == 70 {
			t.Errorf("%q: exit code 70: %s", args, stderr)
		}
		for name, out := range map[string]*bytes.Buffer{"stdout": stdout, "stderr": stderr} {
			if bad := unsafe(out.String()); bad != "" {
				t.Errorf("%.100q: %s has %s", args, name, bad)
			}
		}
	}
}

// unsafe returns the first line of a text with an invisible character or invalid UTF-8, or "".
func unsafe(text string) string {
	for line := range strings.Lines(text) {
		before := rune(0)
		for _, r := range line {
			if diag.IsInvisible(before, r) || !utf8.ValidString(line) {
				return fmt.Sprintf("%.300q", line)
			}
			before = r
		}
	}
	return ""
}

// --fix prints a text byte for byte to a pipe, and with escapes on a terminal.
func TestFixedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	text := "```tool\nf({\"q\": \"\u009b\u202e\x7f\"})\n```\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for screen, want := range map[bool]string{false: text, true: "```tool\nf({\"q\": \"" + `\u009b\u202e\u007f` + "\"})\n```\n"} {
		env, stdout, stderr := testEnv("parse", "--fix", path)
		env.Screen = screen
		Main(t.Context(), env)
		if stdout.String() != want || strings.Contains(stderr.String(), "shown as escapes") != screen {
			t.Errorf("screen %v: %q, want %q; %s", screen, stdout, want, stderr)
		}
	}
}

// No damaged or newer run file makes a command panic, and runs show explains exit 3. It once panicked on a bad first record.
func FuzzRunsShow(f *testing.F) {
	whole := strings.Split(strings.TrimSpace(string(hostileRun())), "\n")
	plain := make([]string, len(whole))
	for i, line := range whole {
		plain[i] = line[:strings.LastIndex(line, `,"crc"`)] + "}"
	}
	f.Add(strings.Join(plain, "\n"), false)
	f.Add(strings.Replace(plain[0], `"version":2`, `"version":99`, 1), false)
	f.Add(strings.Join(plain[1:], "\n"), false)
	f.Add("x", true)
	f.Add(plain[0]+"\n"+`{"seq":2,"run":"r","kind":"result","call":"x"}`+"\n"+`{"seq":3,"run":"r","kind":"resumed","keep":-1}`+"\n"+`{"seq":4,"run":"r","kind":"resumed","keep":99}`, false)
	for _, kind := range []string{"attempt", "approval", "intent", "discarded", "unknown_outcome", "answer", "user_input", "end", "resumed", "response", "call", "result", "request", "attachment"} {
		f.Add(plain[0]+"\n"+`{"seq":2,"run":"r","kind":"`+kind+`"}`, false)
	}
	f.Fuzz(func(t *testing.T, lines string, raw bool) {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		text := []byte(lines)
		if !raw {
			text = sealed(strings.Split(lines, "\n")...)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"runs", "show", path}, {"runs", "show", "--format", "json", path}, {"parse", path}, {"validate", path}} {
			env, stdout, stderr := testEnv(args...)
			code := Main(t.Context(), env)
			if code == 70 || code == 3 && args[0] == "runs" && stderr.Len() == 0 {
				t.Errorf("%q: exit code %d: %s", args, code, stderr)
			}
			if bad := unsafe(stdout.String() + stderr.String()); bad != "" {
				t.Errorf("%q: %s", args, bad)
			}
		}
	})
}
