package endtoend

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages under pkg from the lowest layer to the highest. A
// package imports only packages of layers below its own, and those in its own
// folder. The list is also the order to read the code in.
var layers = [][]string{
	{"failpoint", "ahocorasick", "quote", "sleep"},
	{"atomicfile", "diag", "chat"},
	{"literal", "schema", "jsonrepair", "redact", "runfile", "fileroot", "netguard", "subprocess", "pricing"},
	{"tool", "dialect", "provider", "agentfile", "batch"},
	{"prompt", "policy", "executor", "events"},
	{"lint", "agent", "telemetry"},
}

// onlyCmd lists the imports that are for cmd only: the packages that read a command
// line, and the embedded data.
var onlyCmd = []string{"github.com/spf13/", "oneshot/cmd", "oneshot/tooldefs", "oneshot/prompts"}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("pkg", func(dir string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() == "testdata" || dir == "pkg" {
			return err
		}
		p, err := build.ImportDir(dir, 0)
		if _, none := err.(*build.NoGoError); none {
			return nil
		}
		name := strings.TrimPrefix(filepath.ToSlash(dir), "pkg/")
		seen[name] = true
		checkImports(t, name, p.Imports)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(layers...) {
		if !seen[name] {
			t.Errorf("layer list: there is no package pkg/%s", name)
		}
	}
}

func checkImports(t *testing.T, name string, imports []string) {
	parent, _, _ := strings.Cut(name, "/")
	own := layerOf(parent)
	if own < 0 {
		t.Errorf("pkg/%s stands in no layer", name)
	}
	for _, imp := range imports {
		if slices.ContainsFunc(onlyCmd, func(p string) bool { return strings.HasPrefix(imp, p) }) {
			t.Errorf("pkg/%s imports %s, which only cmd may", name, imp)
		}
		if strings.HasPrefix(imp, "oneshot/internal/") {
			t.Errorf("pkg/%s imports %s, which is for tests", name, imp)
		}
		below, ours := strings.CutPrefix(imp, "oneshot/pkg/")
		top, _, _ := strings.Cut(below, "/")
		if !ours || top == parent {
			continue
		}
		if layerOf(top) >= own {
			t.Errorf("pkg/%s (layer %d) imports pkg/%s (layer %d)", name, own+1, below, layerOf(top)+1)
		}
	}
}

// layerOf returns the index of a package's layer, or -1.
func layerOf(name string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, name) })
}

// TestLayersEnvironment checks that only the allowed packages read the environment,
// print or exit.
func TestLayersEnvironment(t *testing.T) {
	allowed := map[string][]string{
		"os.Getenv":          {"cmd", "pkg/failpoint"}, // the latter only in a build for tests
		"os.Exit(":           {"."},
		"os.Stdout":          {"cmd"},
		"os.Stderr":          {"cmd"},
		"fmt.Print":          nil,
		"context.Background": {"."},
		"regexp.":            {"pkg/schema", "pkg/tool", "pkg/policy"}, // patterns in definitions, schemas and policies
	}
	for _, file := range sources(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for word, dirs := range allowed {
			if strings.Contains(string(text), word) && !slices.Contains(dirs, filepath.Dir(file)) {
				t.Errorf("%s: %s stands there, which is for %v only", file, word, dirs)
			}
		}
	}
}

// TestLayersRaced checks that the Makefile's list of packages that are tested with the race detector has all that start
// goroutines.
func TestLayersRaced(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nRACED := ")
	list, _, _ := strings.Cut(rest, "\n")
	for _, file := range sources(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := "./" + filepath.ToSlash(filepath.Dir(file))
		ast.Inspect(parsed, func(n ast.Node) bool {
			if startsGoroutine(n) && !slices.Contains(append(strings.Fields(list), "./pkg/subprocess/programtest"), dir) {
				t.Errorf("%s starts a goroutine: RACED in the Makefile lacks %s", file, dir)
			}
			return true
		})
	}
}

// startsGoroutine reports whether a node is a go statement, or a call such as WaitGroup.Go or context.AfterFunc.
func startsGoroutine(n ast.Node) bool {
	call, isCall := n.(*ast.CallExpr)
	if !isCall {
		_, isGo := n.(*ast.GoStmt)
		return isGo
	}
	called, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (called.Sel.Name == "Go" || called.Sel.Name == "AfterFunc")
}

// sources lists the Go files of the program, without tests and scripts.
func sources(t *testing.T) []string {
	var files []string
	for _, pattern := range []string{"*.go", "cmd/*.go", "pkg/*/*.go", "pkg/*/*/*.go", "tooldefs/*.go", "prompts/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	if len(files) < 50 {
		t.Fatalf("only %d files found: this test looks in the wrong place", len(files))
	}
	return files
}
