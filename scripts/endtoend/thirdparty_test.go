package endtoend

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The release of which pkg/schema/third_party/jsonschema is a copy, and its sum in the checksum database.
const (
	copiedModule = "github.com/santhosh-tekuri/jsonschema/v6@v6.0.3"
	copiedSum    = "h1:1EYB5IzjZawrrnELUi78f9fPu57HuXjmddZPjrls/28="
)

// B1: the copy of the schema library is the release with the patch applied, and nothing else.
func TestThirdParty(t *testing.T) {
	cmd := exec.Command("go", "mod", "download", "-json", copiedModule)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GONOSUMDB=*")
	text, _ := cmd.Output() // its JSON reports a failure
	var module struct{ Dir, Sum string }
	if json.Unmarshal(text, &module); module.Dir == "" {
		t.Skipf("the module cache does not have %s (to get it: go mod download %[1]s)", copiedModule)
	}
	if module.Sum != copiedSum {
		t.Fatalf("%s has the sum %s, want %s", copiedModule, module.Sum, copiedSum)
	}
	patch, err := filepath.Abs("pkg/schema/third_party/jsonschema.patch")
	if err != nil {
		t.Fatal(err)
	}
	patched := t.TempDir()
	if err := os.CopyFS(patched, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(patched, "draft.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	apply := exec.Command("git", "apply", patch)
	apply.Dir, apply.Env = patched, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(patched))
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	want, got := copiedFiles(t, patched), copiedFiles(t, "pkg/schema/third_party/jsonschema")
	for name, text := range want {
		if got[name] != text {
			t.Errorf("pkg/schema/third_party/jsonschema/%s is not the patched file of the release", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("pkg/schema/third_party/jsonschema/%s is not in the release", name)
		}
	}
}

// copiedFiles reads the Go sources, metaschemas, license and module files of a copy, without commands, tests, their data
// and hidden folders.
func copiedFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == "cmd" || name == "testdata" || strings.HasPrefix(name, ".") && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		base, inMeta := entry.Name(), strings.HasPrefix(name, "metaschemas/")
		source := strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go")
		if inMeta || source || base == "LICENSE" || base == "go.mod" || base == "go.sum" {
			text, err := os.ReadFile(filepath.Join(dir, name))
			files[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil || len(files) < 30 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	return files
}

// B1: no package does much before main. The schema library once made 21,000 allocations, the table of dialects
// 1,100. Every command paid for them, and every call of a program twice more.
func TestStartAllocations(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^$")
	cmd.Dir = "scripts/endtoend" // as go test does
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line) // init PACKAGE @TIME ms, TIME ms clock, BYTES bytes, COUNT allocs
		if len(words) != 11 || words[0] != "init" {
			continue
		}
		packages++
		if n, err := strconv.Atoi(words[9]); err != nil || n > 400 {
			t.Errorf("%s: %q allocations, %v", words[1], words[9], err)
		}
	}
	if packages < 50 {
		t.Errorf("%d packages in\n%s", packages, out)
	}
}
