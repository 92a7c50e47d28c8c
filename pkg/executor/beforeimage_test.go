package executor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// Decision 12: an intent describes the file that file_put is about to replace. A file that cannot be written is
// not read.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("ä", runfile.MaxBeforeText/2-3) + "x" + strings.Repeat("secret-of-the-run", 9)
	for name, content := range map[string]string{
		"text": "one\n", "empty": "", "binary": "a\x00b", "latin": "\xe4", "long": long,
		"odd": "x" + strings.Repeat("ä", runfile.MaxBeforeText), "keys/one": "hush", ".git/config": "hush",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for to, link := range map[string]string{"text": "link", "keys": "folder"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := fileroot.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	root.AddGuards(fileroot.DenyPaths(fileroot.Denial{}, "keys"))
	secrets := &redact.Set{}
	secrets.Add("secret-of-the-run")
	env := Env{Root: root, Secrets: secrets}
	put := &tool.Definition{Name: "file_put", Builtin: FilePut}
	sum := func(content string) string { return string(fileroot.Digest([]byte(content))) }

	for path, want := range map[string]*runfile.BeforeImage{
		"text":     {State: chat.FilePresent, Bytes: 4, SHA256: sum("one\n"), Text: "one\n"},
		"empty":    {State: chat.FilePresent, SHA256: sum("")},
		"binary":   {State: chat.FilePresent, Bytes: 3, SHA256: sum("a\x00b")},
		"latin":    {State: chat.FilePresent, Bytes: 1, SHA256: sum("\xe4")},
		"new/file": {State: chat.FileMissing},
	} {
		if got := env.BeforeImage(put, json.RawMessage(`{"path":"`+path+`"}`)); *got != *want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	for _, path := range []string{"link", "folder/one", "keys/one", ".git/config", "../out", "keys"} {
		got := env.BeforeImage(put, json.RawMessage(`{"path":"`+path+`"}`))
		if got.State == chat.FilePresent || *got != (runfile.BeforeImage{State: got.State}) {
			t.Errorf("%s was read: %+v", path, got)
		}
	}
	if got := env.BeforeImage(put, json.RawMessage(`{"path":"long"}`)); !got.Truncated || int(got.Bytes) != len(long) || got.SHA256 != sum(long) ||
		!strings.HasSuffix(got.Text, "äx"+strings.Repeat("*", 5)) || len(got.Text) > runfile.MaxBeforeText {
		t.Errorf("long: %d bytes, …%q, %v", got.Bytes, got.Text[len(got.Text)-20:], got.Truncated)
	}
	if got := env.BeforeImage(put, json.RawMessage(`{"path":"odd"}`)); len(got.Text) != runfile.MaxBeforeText-1 {
		t.Errorf("odd: %d bytes", len(got.Text))
	}
	if got := env.BeforeImage(&tool.Definition{Name: "file_put"}, json.RawMessage(`{"path":"text"}`)); got != nil {
		t.Errorf("of a tool that is another one: %+v", got)
	}
}
