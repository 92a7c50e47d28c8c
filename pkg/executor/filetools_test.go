package executor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/tool"
)

// plain masks no secrets.
func plain(text string) string { return text }

// A read returns the file that the path resolved to at approval.
func TestFileReadLeads(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	for name, text := range map[string]string{"hid": "HIDDEN", "a.md": "a", "b.md": "b"} {
		if err := root.Write(name+"/key", []byte(text), ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"kept": "a.md/key", "moved": "hid/key", "made": "hid/key", "dir": "hid"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := files{root: root, hide: plain}.read(t.Context(), task{
		args: json.RawMessage(`{"filePaths":["kept","./moved","made","dir/key","a.md/key"]}`), maxResult: defaultMaxBytes,
		resolved: map[string]string{"kept": "a.md/key", "moved": "b.md/key", "made": "made", "dir/key": "dir/key"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []fileContent{
		{"kept", "a", 1, ""},
		{"./moved", "b", 1, ""},
		{"made", "Error reading file: it resolves to a different file than a moment ago", 0, ""},
		{"dir/key", "Error reading file: it resolves to a different file than a moment ago", 0, ""},
		{"a.md/key", "a", 1, ""},
	}
	if diff := cmp.Diff(want, data[[]fileContent](t, r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A file that does not fit into the result does not prevent other files from being read, in any order.
func TestFileReadRoom(t *testing.T) {
	root := newRoot(t, map[string]string{
		"full.md": strings.Repeat("x", maxFileBytes), "over.md": strings.Repeat("x", maxFileBytes+1), "half.md": strings.Repeat("y", maxFileBytes/2),
		"quoted.md": strings.Repeat("\"", maxFileBytes*3/4), "small.md": "small",
	})
	for paths, want := range map[string][]int{
		"full.md":                           {0},
		"full.md over.md small.md":          {0, 0, 5},
		"half.md half.md small.md none.md":  {maxFileBytes / 2, 0, 5, 0},
		"small.md quoted.md half.md":        {5, 0, maxFileBytes / 2},
		"half.md quoted.md full.md none.md": {maxFileBytes / 2, 0, 0, 0},
	} {
		args, err := json.Marshal(map[string]any{"filePaths": strings.Fields(paths)})
		if err != nil {
			t.Fatal(err)
		}
		r := limitSize(call(t, Env{Root: root}, FileRead, string(args)), defaultMaxBytes)
		var got []int
		for _, one := range data[[]fileContent](t, r) {
			got = append(got, one.Size)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: sizes: -want +got:\n%s", paths, diff)
		}
	}
}

// A file is replaced only if its content is the one that was read, and created only if missing.
func TestFilePutIfMatch(t *testing.T) {
	f := files{root: newRoot(t, map[string]string{"a.md": "key-12345678"}), hide: func(s string) string { return strings.ReplaceAll(s, "12345678", "***") }}
	r, err := f.read(t.Context(), task{args: json.RawMessage(`{"filePaths":["a.md","none.md"],"digest":true}`), maxResult: defaultMaxBytes})
	if err != nil {
		t.Fatal(err)
	}
	read := data[[]fileContent](t, r)
	if read[0].Digest != fileroot.Digest([]byte("key-12345678")) || read[0].Content != "key-***" || read[1].Digest != "" {
		t.Errorf("%+v", read)
	}
	put := func(path, content string, want fileroot.Precondition) chat.Result {
		r, err := f.put(t.Context(), task{args: json.RawMessage(fmt.Sprintf(`{"path":%q,"content":%q,"ifMatch":%q}`, path, content, want))})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	wantError(t, put("a.md", "x", fileroot.Missing), chat.Conflict, "the file already exists")
	wantError(t, put("none.md", "x", read[0].Digest), chat.Conflict, "no such file")
	if r := put("a.md", "first", read[0].Digest); !r.OK() {
		t.Errorf("%+v", r.Error)
	}
	wantError(t, put("a.md", "second", read[0].Digest), chat.Conflict, "its content has changed")
	if r := put("none.md", "x", fileroot.Missing); !r.OK() {
		t.Errorf("%+v", r.Error)
	}
	if got, err := f.root.Read("a.md", 100); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
}

// H1: the result of a read has the denial in the place of a denied file, and the other files are read. A search omits
// denied files, and its labels are those of the found files.
func TestDeniedFiles(t *testing.T) {
	root := newRoot(t, map[string]string{"a.md": "battery", "Keys/b.md": "battery"})
	root.AddGuards(fileroot.DenyPaths(fileroot.Denial{Rule: "policy.files.keys", Because: "keys stay here"}, "Keys"))
	f := files{root: root, hide: plain, labels: func(path string) []tool.Label { return []tool.Label{tool.Label(path), tool.Untrusted} }}
	r, err := f.read(t.Context(), task{args: json.RawMessage(`{"filePaths":["a.md","keys/b.md"]}`), maxResult: defaultMaxBytes})
	if err != nil {
		t.Fatal(err)
	}
	want := []fileContent{
		{Path: "a.md", Content: "battery", Size: 7},
		{Path: "keys/b.md", Content: "Error reading file: keys stay here (policy.files.keys)"},
	}
	if diff := cmp.Diff(want, data[[]fileContent](t, r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r, err = f.search(t.Context(), json.RawMessage(`{"query":"b"}`))
	if err != nil {
		t.Fatal(err)
	}
	if hits := data[[]hit](t, r); len(hits) != 1 || hits[0].Path != "a.md" || !slices.Equal(r.Labels, []string{"a.md", "untrusted"}) {
		t.Errorf("%+v, labels %q", hits, r.Labels)
	}
	r, err = f.put(t.Context(), task{args: json.RawMessage(`{"path":"Keys/b.md","content":"","ifMatch":"none"}`)})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, r, chat.Denied, "keys stay here (policy.files.keys)")
}
