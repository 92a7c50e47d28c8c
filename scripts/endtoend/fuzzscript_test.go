package endtoend

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/internal/testsize"
)

// TestFuzzScript checks that scripts/fuzz runs all targets, moves failing inputs out of testdata, and distinguishes
// them from a failing seed.
func TestFuzzScript(t *testing.T) {
	t.Parallel()
	if !testsize.IsLong() {
		t.Skip("it builds with the instruments of the fuzzer: make test-long runs it")
	}
	script, err := os.ReadFile("scripts/fuzz")
	if err != nil {
		t.Fatal(err)
	}
	const target = "package x\n\nimport \"testing\"\n\nfunc FuzzA(f *testing.F) {\n\tf.Add(\"seed\")\n\tf.Fuzz(func(t *testing.T, s string) {\n\t\tif CONDITION {\n\t\t\tt.Fatal(\"a fault\")\n\t\t}\n\t})\n}\n"
	for _, c := range []struct {
		condition, prints string
		code, moved       int
	}{
		{`s == "none"`, "2 fuzz targets ran", 0, 0},
		{`s != "seed"`, "an input fails: a/testdata/fuzz/FuzzA/", 3, 2},
		{`s == "seed"`, "a fault", 1, 0},
	} {
		dir, folder := t.TempDir(), t.TempDir()
		source := strings.ReplaceAll(target, "CONDITION", c.condition)
		for name, text := range map[string]string{"go.mod": "module x\n", "scripts/fuzz": string(script), "a/a_test.go": source, "b/b_test.go": source} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(filepath.Join(dir, "scripts/fuzz"), "100x", folder)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.prints) {
			t.Errorf("%s: exit %d, want %d and %q in\n%s", c.condition, code, c.code, c.prints, out)
		}
		moved, _ := filepath.Glob(filepath.Join(folder, "*/testdata/fuzz/FuzzA/*"))
		left, _ := filepath.Glob(filepath.Join(dir, "*/testdata/fuzz/FuzzA/*"))
		if len(moved) != c.moved || len(left) != 0 {
			t.Errorf("%s: moved %q, left %q", c.condition, moved, left)
		}
	}
}
