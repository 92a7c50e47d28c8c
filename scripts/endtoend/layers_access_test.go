package endtoend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// starting are the names that can start a program, by package. A star is every name of the
// package except those that follow.
var starting = map[string][]string{
	"os/exec":               {"*", "LookPath", "ErrNotFound", "ExitError"},
	"os":                    {"StartProcess"},
	"syscall":               {"Exec", "ForkExec", "StartProcess", "RawSyscall", "RawSyscall6", "Syscall", "Syscall6", "SYS_EXECVE", "SYS_CLONE", "SYS_FORK", "SYS_VFORK"},
	"golang.org/x/sys/unix": {"Exec", "RawSyscall", "RawSyscall6", "Syscall", "Syscall6", "SYS_EXECVE", "SYS_EXECVEAT", "SYS_CLONE", "SYS_CLONE3", "SYS_FORK", "SYS_VFORK"},
	"plugin":                {"*"},
	"C":                     {"*"},
}

// filing are the names that can reach a file. After the star of package os follow its names
// that reach none.
var filing = map[string][]string{
	"os":                    {"*", "File", "ErrExist", "ErrNotExist", "ErrProcessDone", "PathError", "IsNotExist", "IsExist"},
	"io/ioutil":             {"*"},
	"golang.org/x/sys/unix": {"Open", "Openat", "Openat2", "Creat", "Mkdir", "Mkdirat", "Unlink", "Unlinkat", "Rename", "Renameat", "Renameat2", "Link", "Linkat", "Symlink", "Symlinkat"},
	"syscall":               {"Open", "Openat", "Creat", "Mkdir", "Mkdirat", "Unlink", "Unlinkat", "Rename", "Renameat", "Link", "Symlink"},
}

// uses returns the listed names that a file uses, under any name of an import.
func uses(t *testing.T, file string, names map[string][]string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{}
	var found []string
	for _, imp := range parsed.Imports {
		of, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(of)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		if imports[name] = of; names[of] != nil && (name == "." || of == "C") {
			found = append(found, of)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		selected, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := selected.X.(*ast.Ident); ok && of.Obj == nil {
			if all := names[imports[of.Name]]; all != nil && (all[0] == "*") != slices.Contains(all, selected.Sel.Name) {
				found = append(found, imports[of.Name]+"."+selected.Sel.Name)
			}
		}
		return true
	})
	return found
}

// TestLayersPrograms checks that one package starts programs, and that the packages that
// execute and judge calls access no files except through package fileroot, so that no kind of
// tool bypasses its limits.
func TestLayersPrograms(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		for _, name := range uses(t, file, starting) {
			seen[dir] = true
			if dir != "pkg/subprocess" && !reasoned[file+" "+name] {
				t.Errorf("%s: %s is for pkg/subprocess only", file, name)
			}
		}
		for _, name := range uses(t, file, commanding) {
			if dir != "pkg/executor" && !reasoned[file+" "+name] {
				t.Errorf("%s: %s is for pkg/executor only, where a call has passed what every call passes", file, name)
			}
		}
		if !slices.Contains([]string{"pkg/executor", "pkg/agent", "pkg/policy", "pkg/tool", "pkg/prompt", "pkg/dialect"}, dir) {
			continue
		}
		for _, name := range uses(t, file, filing) {
			t.Errorf("%s: %s reaches a file beside package fileroot", file, name)
		}
	}
	if !seen["pkg/subprocess"] {
		t.Error("pkg/subprocess starts no programs: this test looks for the wrong names")
	}
}

// commanding is the name with which a tool runs a program.
var commanding = map[string][]string{"oneshot/pkg/subprocess": {"Command"}}

// reasoned are permitted other uses, with their reasons.
var reasoned = map[string]bool{
	"cmd/doctorsubprocess.go oneshot/pkg/subprocess.Command": true, // checks the access of programs on this machine
}

// TestFindsUses checks that uses finds the names under any name of an import.
func TestFindsUses(t *testing.T) {
	dir := t.TempDir()
	for src, want := range map[string]string{
		`import "os/exec"; var _ = exec.Command("x")`:                              "os/exec.Command",
		`import run "os/exec"; var _ = run.Cmd{}`:                                  "os/exec.Cmd",
		`import . "os/exec"; var _ = Command("x")`:                                 "os/exec",
		`import "os/exec"; var _, _ = exec.LookPath("x")`:                          "",
		`import "os"; var _, _ = os.StartProcess("x", nil, nil)`:                   "os.StartProcess",
		`import "os"; var _, _ = os.Open("x")`:                                     "",
		`import "syscall"; var _ = syscall.Exec("x", nil, nil)`:                    "syscall.Exec",
		`import "golang.org/x/sys/unix"; var _ = unix.SYS_EXECVE`:                  "golang.org/x/sys/unix.SYS_EXECVE",
		`type s struct{ Command int }; func f(exec s) int { return exec.Command }`: "",
	} {
		file := filepath.Join(dir, "x.go")
		if err := os.WriteFile(file, []byte("package x\n"+strings.ReplaceAll(src, "; ", "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(uses(t, file, starting), " "); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
