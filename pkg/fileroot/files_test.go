package fileroot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fileCase is a line of testdata/paths/files.jsonl: the files in the root, and the result of one operation
// on a path.
type fileCase struct {
	ID                   string
	Tree                 map[string]string // as for [world.make]
	Read, Write, Resolve *string
	Gives                string // the content that is read, or the resolved path
	Kind                 Kind   // of the error; "" for none
}

func TestFiles(t *testing.T) {
	src, err := os.ReadFile("../../testdata/paths/files.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	lines := bufio.NewScanner(bytes.NewReader(src))
	for ; lines.Scan(); ran++ {
		var c fileCase
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("line %d: %v", ran+1, err)
		}
		t.Run(c.ID, c.run)
	}
	if ran < 90 {
		t.Errorf("%d cases", ran)
	}
}

func (c fileCase) run(t *testing.T) {
	w := newWorld(t)
	here := strings.NewReplacer("{ROOT}", w.dir, "{BASE}", w.base)
	for name, what := range c.Tree {
		if err := os.MkdirAll(filepath.Join(w.dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		w.make(t, name, here.Replace(what))
	}
	before := w.snapshot(t)
	got, err := c.do(w.root, here)
	if c.Kind != "" {
		w.wantRefusal(t, err, c.Kind)
	} else if err != nil || got != c.Gives {
		t.Errorf("%q, %v; want %q", got, err, c.Gives)
	}
	if c.Write == nil || c.Kind != "" {
		if diff := cmp.Diff(before, w.snapshot(t)); diff != "" {
			t.Errorf("something changed (-before +after):\n%s", diff)
		}
	}
}

// do runs the operation.
func (c fileCase) do(root *Root, here *strings.Replacer) (string, error) {
	switch {
	case c.Read != nil:
		content, err := root.Read(here.Replace(*c.Read), 100)
		return string(content), err
	case c.Resolve != nil:
		return root.Resolve(*c.Resolve)
	}
	path := here.Replace(*c.Write)
	if err := root.Write(path, []byte("new"), ""); err != nil {
		return "", err
	}
	content, err := root.Read(path, 100)
	return strings.TrimPrefix(string(content), "new"), err
}
