package dialect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

func TestLookup(t *testing.T) {
	for _, d := range Dialects() {
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			if found, ok := Lookup(name); !ok || found.Name != d.Name {
				t.Errorf("Lookup(%q) = %q, %t", name, found.Name, ok)
			}
		}
	}
	if d, ok := Lookup("no such dialect"); ok {
		t.Errorf("found %q", d.Name)
	}
}

// TestRows checks that every dialect is documented and that its example is one
// faultless call.
func TestRows(t *testing.T) {
	for _, d := range Dialects() {
		if d.Name == "" || d.Title == "" || d.Doc == "" {
			t.Errorf("dialect %q is not documented", d.Name)
		}
		if r := Scan(d.Example, Options{Dialect: d}); len(r.Calls) != 1 || !r.Calls[0].Executable || len(r.Findings) > 0 {
			t.Errorf("the example of %s gives %+v", d.Name, r)
		}
	}
}

// TestContributingRow checks that the row shown in CONTRIBUTING.md is in the dialect table.
func TestContributingRow(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile("jsondialects.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	unindented := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		return strings.Join(lines, "\n")
	}
	if block == "" || !strings.Contains(unindented(string(rows)), unindented(block)) {
		t.Errorf("jsondialects.go has no row\n%s", block)
	}
}

// TestCodesHaveCases checks that every code used by the readers is raised by a case.
func TestCodesHaveCases(t *testing.T) {
	raised := map[diag.Code]bool{}
	for d, c := range allCases(t) {
		for _, f := range Scan(c.input, Options{Dialect: d}).Findings {
			raised[f.Code] = true
		}
	}
	used := codesIn(t, ".", "../literal")
	if len(used) == 0 {
		t.Fatal("no code is used")
	}
	for _, code := range used {
		if !raised[code] && code != diag.TooMany { // for that one see TestScanKeepsTheFirst
			t.Errorf("no case raises %s %s", code, code.Rule().Slug)
		}
	}
}

// codesIn returns the codes that the Go files of some folders use.
func codesIn(t *testing.T, folders ...string) []diag.Code {
	codes := codeNames(t)
	var used []diag.Code
	for _, folder := range folders {
		for _, file := range sources(t, folder) {
			ast.Inspect(file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := selector.X.(*ast.Ident); ok && x.Name == "diag" && codes[selector.Sel.Name] != "" {
					used = append(used, codes[selector.Sel.Name])
				}
				return true
			})
		}
	}
	return used
}

// codeNames returns the codes by the names of their constants.
func codeNames(t *testing.T) map[string]diag.Code {
	names := map[string]diag.Code{}
	for _, file := range sources(t, "../diag") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 {
				return true
			}
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if kind, isIdent := spec.Type.(*ast.Ident); ok && isIdent && kind.Name == "Code" {
				code, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				names[spec.Names[0].Name] = diag.Code(code)
			}
			return true
		})
	}
	return names
}

func sources(t *testing.T, folder string) []*ast.File {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sources in %s (%v)", folder, err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// TestRules checks the examples in the documentation of the codes: the bad one
// raises its code, the good one nothing.
func TestRules(t *testing.T) {
	for _, code := range codesIn(t, ".", "../literal") {
		rule := code.Rule()
		if code == diag.TooDeep || code == diag.TooMany || code == diag.DuplicateCall {
			continue // its example is abridged, or one of package lint
		}
		found := false
		for _, f := range Scan(inFence(rule.Bad), Options{}).Findings {
			found = found || f.Code == code
		}
		if !found {
			t.Errorf("%s is not raised by its bad example\n%s", code, rule.Bad)
		}
		said := !strings.ContainsAny(rule.Good, "({") // without any call
		if r := Scan(inFence(rule.Good), Options{}); len(r.Findings) > 0 || len(r.Calls) == 0 && !said {
			t.Errorf("the good example of %s gives %+v and %v\n%s", code, r.Calls, r.Findings, rule.Good)
		}
	}
}

// inFence returns an example as a response: in a fence, unless it begins with markup or
// is JSON.
func inFence(example string) string {
	if strings.ContainsAny(example[:1], "`<{") || strings.Contains(example, `{"tool`) || !strings.Contains(example, "(") {
		return example
	}
	return "```tool\n" + example + "\n```"
}

// TestHolderKeys checks that an object whose only key is a holder key is not a call, but a
// finding if the call in it names a known tool.
func TestHolderKeys(t *testing.T) {
	for text, want := range map[string]int{
		`{"tool_call": {"name": "note", "arguments": {}}}`:              1,
		`So: {"function_call": {"name": "note", "arguments": "{}"}}`:    1,
		`{"tool_call": {"function": {"name": "note"}}}`:                 1,
		`{"tool_call": {"name": "other", "arguments": {}}}`:             0,
		`{"tool_call": {"name": "note", "arguments": {}}, "kind": "x"}`: 0,
		`{"tool_call": "note"}`:                                         0,
	} {
		for _, d := range []Dialect{{}, find(t, "json_generic")} {
			r := Scan(text, Options{Dialect: d, Tools: Toolset{"note": nil}})
			if len(r.Calls) != 0 || len(r.Findings) != want {
				t.Errorf("%s, dialect %q: calls %v, findings %v", text, d.Name, r.Calls, r.Findings)
			}
		}
	}
}
