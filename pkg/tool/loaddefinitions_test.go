package tool

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"oneshot/pkg/diag"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

const casesDir = "../../testdata/definitions"

var loader = Loader{Builtins: BuiltinNames()}

// line writes a finding in the format of the cases.
func line(f diag.Finding) string {
	s := f.String()
	if f.Hint != "" {
		s += " [" + f.Hint + "]"
	}
	return s
}

func lines(findings []diag.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, line(f))
	}
	return out
}

// definitionCases returns the case files. A case is an archive of definition files, and a file "want" with
// their findings and the signatures of the valid tools.
func definitionCases(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(casesDir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s: %v", casesDir, err)
	}
	return paths
}

func readCase(t testing.TB, path string) (*txtar.Archive, fstest.MapFS) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, f := range archive.Files {
		if f.Name != "want" {
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return archive, fsys
}

func TestDefinitions(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, path := range definitionCases(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, fsys := readCase(t, path)
			defs, findings, err := loader.Load(fsys, ".")
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, f := range findings {
				seen[f.Code] = true
				got.WriteString(line(f) + "\n")
			}
			for _, d := range defs {
				got.WriteString(d.Signature.String() + "\n")
			}
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if i < 0 {
				t.Fatal(`the case has no file "want"`)
			}
			if *update {
				archive.Files[i].Data = []byte(got.String())
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[i].Data), got.String()); diff != "" {
				t.Errorf("findings and signatures (-want +got):\n%s", diff)
			}
		})
	}
	for _, rule := range diag.Rules {
		if strings.HasPrefix(string(rule.Code), "TD") && !seen[rule.Code] {
			t.Errorf("no case raises %s", rule.Code)
		}
	}
}

func TestLoad(t *testing.T) {
	const def = "name: NAME\ndescription: d\nsignature: NAME()\nexamples: [{call: NAME()}, {call: NAME()}, {call: NAME()}]\neffect: read\nbuiltin: wget\n"
	file := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.ReplaceAll(def, "NAME", name))}
	}
	fsys := fstest.MapFS{
		"b.yml": file("b"), "a.yaml": file("a"), "sub/c.yaml": file("c"), "sub/notes.txt": {Data: []byte("x")},
		".hidden.yaml": file("h"), ".git/config.yaml": file("g"), "sub/big.yaml": {Data: []byte(strings.Repeat("#", 2<<20))},
	}
	defs, findings, err := Loader{Dir: "tools"}.Load(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range defs {
		names = append(names, d.File+":"+d.Name)
	}
	if diff := cmp.Diff([]string{"tools/a.yaml:a", "tools/b.yml:b", "tools/sub/c.yaml:c"}, names); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	want := []string{"tools/sub/big.yaml:1:1: error TD001 " + diag.DefSyntax.Rule().Slug + ": the file has more than 1048576 bytes"}
	if diff := cmp.Diff(want, lines(findings)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}

	if defs, findings, err := (Loader{}).Load(fsys, "sub/c.yaml"); err != nil || len(findings) != 0 || len(defs) != 1 {
		t.Errorf("one file: %v, %v, %v", defs, findings, err)
	}
	if _, _, err := (Loader{}).Load(fsys, "nope.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	var none *NoDefinitionsError
	if _, _, err := (Loader{}).Load(fstest.MapFS{"d/x.txt": {}}, "d"); !errors.As(err, &none) || none.Dir != "d" {
		t.Errorf("a folder without definitions: %v", err)
	}
}

// FuzzDefinition checks that no YAML causes a panic, that every finding has a place, that a file
// without findings has definitions, and that their schemas, signatures and examples are valid. It
// also checks the source as a signature.
func FuzzDefinition(f *testing.F) {
	for _, path := range definitionCases(f) {
		_, fsys := readCase(f, path)
		for _, file := range fsys {
			f.Add(file.Data)
		}
	}
	for _, src := range signatureSeeds {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		checkSignature(t, string(src))
		defs, findings := loader.Parse("f.yaml", src)
		for _, finding := range findings {
			s := finding.Span
			if finding.File != "f.yaml" || s.Line < 1 || s.Column < 1 || s.Start < 0 || s.End < s.Start || s.End > len(src) || finding.Message == "" {
				t.Fatalf("finding without a place: %+v", finding)
			}
		}
		if len(defs) == 0 && len(findings) == 0 {
			t.Fatal("nothing was read and nothing found")
		}
		for _, d := range defs {
			if _, faults := d.argumentsSchema(); faults != nil {
				t.Fatalf("the schema %s is wrong: %v", d.Schema, faults)
			}
			again, _, err := parseSignature(d.Signature.String())
			if err != nil || again.String() != d.Signature.String() {
				t.Fatalf("the signature %s reads as %s, %v", d.Signature, again, err)
			}
			for _, e := range d.Examples {
				if faults := d.Check(e.Parsed.Arguments); faults != nil {
					t.Fatalf("the example %s does not fit: %v", e.Call, faults)
				}
			}
		}
	})
}
