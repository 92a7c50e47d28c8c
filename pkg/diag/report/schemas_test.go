package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"oneshot/pkg/diag"
)

// schemaFolder returns the folder with the schemas of other projects. They are not in this
// repository: scripts/report-schemas downloads them.
func schemaFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("ONESHOT_SCHEMAS")
	if folder == "" {
		t.Skip("ONESHOT_SCHEMAS names no folder with the schemas: see scripts/report-schemas")
	}
	return folder
}

// everything returns files with every code, severity, kind of span and kind of fix, and with names
// and texts that a format could break on.
func everything() []File {
	nasty := "a<b>&\"'{0} [x](1) ]]> %0A\r\n\t\x00\x1b[31m\xff\u0085\u2028\ufffe\U0001f600"
	var byCode []diag.Finding
	for _, r := range diag.Rules {
		f := diag.New(r.Code, diag.Span{Start: 1, End: 3, Line: 1, Column: 2, EndLine: 1, EndColumn: 4}, "%s", nasty)
		f.Hint = nasty
		for _, kind := range []diag.FixKind{diag.Safe, diag.Unsafe, diag.Display} {
			f.Fixes = append(f.Fixes, diag.Fix{Title: nasty, Kind: kind, Edits: []diag.Edit{{Start: 0, End: 0, New: nasty}, {Start: 1, End: 2}}})
		}
		f.Fixes = append(f.Fixes, diag.Fix{Title: "by hand", Kind: diag.Unsafe})
		byCode = append(byCode, f)
	}
	var places []diag.Finding
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info, diag.Hint} {
		for _, s := range []diag.Span{{}, diag.At(1, 1), diag.At(9, 9), {Start: 3, End: 3, Line: 2, Column: 1, EndLine: 5, EndColumn: 1}} {
			f := diag.New(diag.RunTorn, s, "m")
			f.Severity = severity
			places = append(places, f)
		}
	}
	unknown := diag.New("ZZ999", diag.At(1, 1), "")
	return []File{
		{Name: "a/b c.txt", Text: diag.Text{Bytes: []byte(nasty)}, Findings: byCode},
		{Name: "-", Text: diag.Text{}, Findings: places},
		{Name: "/tmp/x%y:#?.json", Text: diag.Text{Bytes: []byte("x")}, Findings: []diag.Finding{unknown}},
		{Name: "a:b", Findings: places[:1]}, {Name: nasty, Findings: places[:1]}, {Name: " "}, {Name: ""}, {Name: "no findings"},
	}
}

func TestSARIFSchema(t *testing.T) {
	folder := schemaFolder(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.AssertContent()
	schema, err := compiler.Compile(filepath.Join(folder, "sarif-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]File{nil, everything()} {
		var b bytes.Buffer
		if err := collect(&b, NewSARIF("1.0"), files); err != nil {
			t.Fatal(err)
		}
		if err := validJSON(schema, b.String()); err != nil {
			t.Error(err)
		}
	}
	// The validation works: it rejects an invalid log.
	if validJSON(schema, `{"version": "2.1.0", "runs": [{}]}`) == nil {
		t.Error("the schema takes a run without a tool")
	}
}

func validJSON(schema *jsonschema.Schema, text string) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

func TestJUnitSchemas(t *testing.T) {
	folder := schemaFolder(t)
	for _, name := range []string{"JUnit.xsd", "jenkins-junit.xsd"} {
		for _, files := range [][]File{nil, everything()} {
			var b bytes.Buffer
			if err := collect(&b, NewJUnit("1.0"), files); err != nil {
				t.Fatal(err)
			}
			if err := validXML(filepath.Join(folder, name), b.String()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if validXML(filepath.Join(folder, name), "<testsuites><testsuite/></testsuites>") == nil {
			t.Errorf("%s takes a suite without a name", name)
		}
	}
}

func validXML(schema, text string) error {
	c := exec.Command("xmllint", "--noout", "--nonet", "--schema", schema, "-")
	c.Stdin = strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
