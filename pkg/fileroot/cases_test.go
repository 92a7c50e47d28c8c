package fileroot

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A pathCase is a line of path_cases.jsonl.
type pathCase struct {
	ID, Op, Path, Expect, Platform string
	Fixture                        json.RawMessage
}

// notHere names the cases that other tests cover, or that concern features which a root does not have,
// with the test or the reason.
var notHere = map[string]string{
	"ln-denied-by-rule": "rules belong to package policy; script policy_links",
	"prot-read":         "rules belong to package policy, and nothing is read that no rule or flag lets be read",
	"bind-mount":        "TestMounts",
	"short-name":        "only on Windows",
	"growing":           "TestReadLimit: the limit is on bytes read",
	"race-write-rename": "TestKilledWrite, TestWrite",
}

// noOperation names the operations that a root does not offer, with the tests that check this.
var noOperation = map[string]string{
	"list": "TestOperations, TestWalk", "search": "TestOperations, TestWalk: no pattern is a path", "symlink": "TestOperations", "chmod": "TestOperations",
	"rename": "TestOperations", "delete": "TestOperations", "mkdir": "TestOperations",
}

// A root has no methods for links, permissions, moving, removing or listing.
func TestOperations(t *testing.T) {
	for m := range reflect.TypeFor[*Root]().Methods() {
		for _, word := range []string{"link", "ch", "rename", "move", "remove", "delete", "mk", "open", "search", "list", "glob"} {
			if strings.HasPrefix(strings.ToLower(m.Name), word) {
				t.Errorf("a root can %s", m.Name)
			}
		}
	}
}

// fixtures holds the files of the cases that refer to a fixture only by name.
var fixtures = map[string]map[string]string{
	"ln-depth-9": {"c0": "->ok.txt", "c1": "->c0", "c2": "->c1", "c3": "->c2", "c4": "->c3", "c5": "->c4", "c6": "->c5", "c7": "->c6", "c8": "->c7"},
}

func TestPathCases(t *testing.T) {
	dir := os.Getenv("ONESHOT_SHARED")
	if dir == "" {
		t.Skip("ONESHOT_SHARED is not set")
	}
	f, err := os.Open(filepath.Join(dir, "cases", "path_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ran := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c pathCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			if notHere[c.ID] != "" {
				t.Skip(notHere[c.ID])
			}
			if noOperation[c.Op] != "" {
				t.Skipf("the root cannot %s: %s", c.Op, noOperation[c.Op])
			}
			ran++
			c.run(t)
		})
	}
	if err := lines.Err(); err != nil || ran < 50 {
		t.Errorf("%d cases were run, %v", ran, err)
	}
}

func (c pathCase) run(t *testing.T) {
	w := newWorld(t)
	fixture := fixtures[c.ID]
	if fixture == nil && len(c.Fixture) > 0 {
		if err := json.Unmarshal(c.Fixture, &fixture); err != nil {
			t.Fatal(err)
		}
	}
	for name, what := range fixture {
		w.make(t, name, what)
	}
	link := filepath.Join(w.base, "link")
	if err := os.Symlink("vault", link); err != nil {
		t.Fatal(err)
	}
	before := w.snapshot(t)
	path := strings.NewReplacer("{ROOT}", w.dir, "{BASE}", w.base, "{LINK_TO_ROOT}", link, "{TOOLS_DIR}", "tools").Replace(c.Path)
	start := time.Now()
	var err error
	switch c.Op {
	case "read":
		_, err = w.root.Read(path, 1<<20)
	case "write":
		err = w.root.Write(path, []byte("CANARY"), "")
	case "open":
		var r *Root
		if r, err = Open(path); err == nil {
			_, err = r.Read("ok.txt", 100)
			err = errors.Join(err, r.Close())
		}
	default:
		t.Fatalf("unknown operation %q", c.Op)
	}
	if (err == nil) != (c.Expect == "ok") {
		t.Errorf("%s %q: %v, want %s", c.Op, path, err, c.Expect)
	}
	if c.Op != "open" && err != nil {
		w.wantRefusal(t, err)
	}
	if time.Since(start) > 20*time.Second {
		t.Errorf("took %v", time.Since(start))
	}
	if c.Expect == "deny" {
		for name, was := range before {
			if now := w.snapshot(t)[name]; now != was {
				t.Errorf("%s changed from %q to %q", name, was, now)
			}
		}
	}
}
