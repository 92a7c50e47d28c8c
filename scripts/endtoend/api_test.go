package endtoend

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

const apiFile = "testdata/api.txt"

// TestAPIFresh compares the exported API of the packages with its golden file, so that each change
// of it is visible in a diff.
func TestAPIFresh(t *testing.T) {
	t.Parallel()
	want := renderAPI(t)
	if *update {
		if err := os.WriteFile(apiFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, readText(t, apiFile)); diff != "" {
		t.Errorf("%s is stale, make fresh writes it (-want +have):\n%s", apiFile, diff)
	}
}

// renderAPI prints the exported declarations of all packages as they are on Linux.
func renderAPI(t *testing.T) string {
	t.Helper()
	platform := build.Default
	platform.GOOS, platform.GOARCH = "linux", "amd64"
	declarations := map[string][]declaration{} // by folder
	err := filepath.WalkDir("pkg", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "third_party") {
			return err
		}
		dir, base := filepath.Split(name)
		if included, err := platform.MatchFile(dir, base); err != nil || !included {
			return err
		}
		found, err := exportedDeclarations(name)
		pkg := filepath.Clean(dir)
		declarations[pkg] = append(declarations[pkg], found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(declarations)) {
		fmt.Fprintf(&b, "# %s\n\n", dir)
		slices.SortFunc(declarations[dir], func(x, y declaration) int { return cmp.Compare(x.key, y.key) })
		for _, d := range declarations[dir] {
			b.WriteString(d.text + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A declaration is an exported declaration, sorted by its key: constants and variables come first,
// methods after their type.
type declaration struct{ key, text string }

// exportedDeclarations returns the exported declarations of a file, without comments, bodies and
// values of variables.
func exportedDeclarations(name string) (all []declaration, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.FileExports(file)
	for _, decl := range file.Decls {
		key := ""
		switch d := decl.(type) {
		case *ast.FuncDecl:
			d.Body = nil
			receiver := receiverName(d)
			if receiver != "" && !ast.IsExported(receiver) {
				continue
			}
			if key = "func " + d.Name.Name; receiver != "" {
				key = "type " + receiver + " method " + d.Name.Name
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			key = d.Tok.String()
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					key += " " + spec.Name.Name
				case *ast.ValueSpec:
					key += " " + spec.Names[0].Name
					if d.Tok == token.VAR {
						spec.Values = nil
					}
				}
			}
		}
		text, err := printDeclaration(fset, decl)
		if err != nil {
			return nil, err
		}
		all = append(all, declaration{key, text})
	}
	return all, nil
}

// receiverName returns the name of the type of a method, or "".
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if pointer, ok := t.(*ast.StarExpr); ok {
		t = pointer.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	return t.(*ast.Ident).Name
}

// printDeclaration prints a declaration without empty lines and alignment, which depend on comments.
func printDeclaration(fset *token.FileSet, decl ast.Decl) (string, error) {
	var b bytes.Buffer
	if err := printer.Fprint(&b, fset, decl); err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		if words := strings.Fields(line); len(words) > 0 {
			indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
			lines = append(lines, indent+strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n"), nil
}
