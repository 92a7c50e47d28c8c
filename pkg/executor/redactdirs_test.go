package executor

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

func TestConceal(t *testing.T) {
	def := &tool.Definition{Name: "look", Builtin: "look", Effect: tool.Read, Schema: []byte(`{"type":"object"}`)}
	registry, findings := tool.NewRegistry(def)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	for path, want := range map[string]string{
		"/home/me/notes/a/b.md": "open a/b.md: file does not exist",
		"/home/me/notes":        "open .: file does not exist",
		"/home/me/notes/":       "open : file does not exist",
		"/home/me/.config/x":    "open ~/.config/x: file does not exist",
		"/home/me":              "open ~: file does not exist",
		"/home/melanie/x":       "open /home/melanie/x: file does not exist",
		"/home/me/notes2/x":     "open ~/notes2/x: file does not exist",
		"/srv/home/me/notes/x":  "open /srv/home/me/notes/x: file does not exist",
		"/etc/passwd":           "open /etc/passwd: file does not exist",
	} {
		r := New(registry, Env{Funcs: map[string]Func{"look": func(context.Context, json.RawMessage) (chat.Result, error) {
			return chat.Result{}, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}}})
		r.RedactDirPaths(RedactedDir{"/home/me/notes/", ""}, RedactedDir{"/home/me", "~"}, RedactedDir{"/", "!"}, RedactedDir{"", "!"}, RedactedDir{"me", "!"})
		result, err := r.Run(t.Context(), chat.Execution{Call: chat.Call{Name: "look", Arguments: []byte(`{}`)}})
		if err != nil || result.Error == nil || result.Error.Message != want {
			t.Errorf("%s: %+v, %v, want %q", path, result.Error, err, want)
		}
	}
}

// A secret is masked before a text is searched or truncated, so no part of it is shown and
// no search finds it.
func TestHideBeforeCut(t *testing.T) {
	const key = "tk-0123456789-abcdefghij"
	root := newRoot(t, map[string]string{"a.md": strings.Repeat("x ", previewContext-8) + "needle " + strings.Repeat("y", previewContext-9) + key + " the end"})
	env := Env{Root: root, Secrets: new(redact.Set)}
	env.Secrets.Add(key)
	result := call(t, env, VaultSearch, `{"query":"needle"}`)
	if !strings.Contains(string(result.Data), "yyy") || strings.Contains(string(result.Data), "tk-0") {
		t.Errorf("%s", result.Data)
	}
	if result = call(t, env, VaultSearch, `{"query":"tk-0"}`); string(result.Data) != "[]" {
		t.Errorf("%s", result.Data)
	}
}
