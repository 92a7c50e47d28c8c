package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/diag"
)

// collect writes a report on files.
func collect(w io.Writer, c Collector, files []File) error {
	for i, f := range files {
		f.Number = i
		if err := c.Add(w, f); err != nil {
			return err
		}
	}
	return c.End(w)
}

// A sarifLog holds the members of a log that tests read.
type sarifLog struct {
	Runs []struct {
		Tool    sarifTool
		Results []sarifResult
	}
}

func TestGitHub(t *testing.T) {
	line := diag.Span{Start: 4, End: 7, Line: 2, Column: 1, EndLine: 2, EndColumn: 4}
	lines := diag.Span{Start: 4, End: 9, Line: 2, Column: 1, EndLine: 3, EndColumn: 1}
	for _, tt := range []struct {
		name     string
		severity diag.Severity
		span     diag.Span
		message  string
		hint     string
		want     string
	}{
		{"f", diag.Error, line, "m", "", "::error file=f,line=2,col=1,endLine=2,endColumn=4,title=TR002 torn::m"},
		{"f", diag.Warning, lines, "m", "h", "::warning file=f,line=2,endLine=3,title=TR002 torn::m%0Ahint: h"},
		{"f", diag.Info, diag.Span{}, "m", "", "::notice file=f,title=TR002 torn::m"},
		{"f", diag.Hint, diag.Span{}, "m", "", "::notice file=f,title=TR002 torn::m"},
		{"a,b:c%\r\n", diag.Error, diag.Span{}, "a,b:c%\r\n::error::x", "", "::error file=a%2Cb%3Ac%25%0D%0A,title=TR002 torn::a,b:c%25%0D%0A::error::x"},
		{"\x1b[2J", diag.Error, diag.Span{}, "\xff\x00\u2028", "", `::error file=\u001b[2J,title=TR002 torn::\xff\u0000\u2028`},
	} {
		f := diag.New(diag.RunTorn, tt.span, "%s", tt.message)
		f.Severity, f.Hint = tt.severity, tt.hint
		var b bytes.Buffer
		if err := GitHub(&b, File{Name: tt.name, Findings: []diag.Finding{f}}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want+"\n", b.String()); d != "" {
			t.Error(d)
		}
	}
}

// Each finding is one line, even if its text contains line breaks.
func TestGitHubLines(t *testing.T) {
	files := everything()
	var b bytes.Buffer
	n := 0
	for _, f := range files {
		if err := GitHub(&b, f); err != nil {
			t.Fatal(err)
		}
		n += len(f.Findings)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != n {
		t.Errorf("%d lines for %d findings", len(lines), n)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "::") || EscapeLine(line) != line {
			t.Errorf("not a safe workflow command: %q", line)
		}
	}
}

func TestFileURI(t *testing.T) {
	for name, want := range map[string]string{
		"reply.txt": "reply.txt", "a b/é%.txt": "a%20b/%C3%A9%25.txt", "a:b": "./a:b", "/tmp/x#y?": "file:///tmp/x%23y%3F",
		"-": "-", "\xff\n": "%FF%0A", "../x": "../x",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", name, got, want)
		}
	}
}

// A span with only lines and columns has no byte offsets, and a finding without a span has no
// region.
func TestRegion(t *testing.T) {
	for _, tt := range []struct {
		span diag.Span
		want string
	}{
		{diag.Span{}, "null"},
		{diag.At(3, 4), `{"startLine":3,"startColumn":4,"endLine":3,"endColumn":4}`},
		{diag.At(1, 1), `{"startLine":1,"startColumn":1,"endLine":1,"endColumn":1,"byteOffset":0,"byteLength":0}`},
		{diag.Span{Start: 5, End: 9, Line: 2, Column: 1, EndLine: 2, EndColumn: 3},
			`{"startLine":2,"startColumn":1,"endLine":2,"endColumn":3,"byteOffset":5,"byteLength":4}`},
	} {
		got, err := json.Marshal(newRegion(tt.span))
		if err != nil || string(got) != tt.want {
			t.Errorf("newRegion(%+v) = %s, %v, want %s", tt.span, got, err, tt.want)
		}
	}
}

func TestNewFixes(t *testing.T) {
	edit := []diag.Edit{{Start: 1, End: 3, New: "{"}, {Start: 5, End: 5, New: "\xff"}, {Start: 7, End: 9}}
	got, err := json.Marshal(newFixes(sarifArtifact{"f"}, []diag.Fix{
		{Title: "open {", Kind: diag.Unsafe, Edits: edit}, {Title: "shown", Kind: diag.Display, Edits: edit}, {Title: "by hand", Kind: diag.Safe},
	}))
	want := `[{"description":{"text":"open {{"},"artifactChanges":[{"artifactLocation":{"uri":"f"},"replacements":[` +
		`{"deletedRegion":{"byteOffset":1,"byteLength":2},"insertedContent":{"text":"{"}},` +
		`{"deletedRegion":{"byteOffset":5,"byteLength":0},"insertedContent":{"binary":"/w=="}},` +
		`{"deletedRegion":{"byteOffset":7,"byteLength":2},"insertedContent":{"text":""}}]}],"properties":{"kind":"unsafe"}}]`
	if d := cmp.Diff(want, string(got)); err != nil || d != "" {
		t.Error(err, d)
	}
}

// Every result refers to its own rule.
func TestSARIFRules(t *testing.T) {
	var b bytes.Buffer
	if err := collect(&b, NewSARIF("1.0"), everything()); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	rules := log.Runs[0].Tool.Driver.Rules
	if want := len(diag.Rules) + 1; len(rules) != want {
		t.Errorf("%d rules, want %d", len(rules), want)
	}
	for _, r := range log.Runs[0].Results {
		if rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is %s, want %s", r.RuleIndex, rules[r.RuleIndex].ID, r.RuleID)
		}
	}
}

// The counts of a suite match the findings, a file without errors and warnings passes, and any text
// is valid XML.
func TestJUnitAny(t *testing.T) {
	severities := []diag.Severity{diag.Error, diag.Warning, diag.Info, diag.Hint}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"]]>", "\x00\x1b", "\xff", "\ufffe", "<&\"'>\n"})).Draw(t, "text")
		file := File{Name: text, Text: diag.Text{Bytes: []byte(text)}}
		failing := 0
		for _, s := range rapid.SliceOfN(rapid.SampledFrom(severities), 0, 6).Draw(t, "severities") {
			f := diag.New(diag.RunTorn, diag.At(1, 1), "%s", text)
			f.Severity, f.Hint = s, text
			if file.Findings = append(file.Findings, f); s == diag.Error || s == diag.Warning {
				failing++
			}
		}
		var b bytes.Buffer
		if err := collect(&b, NewJUnit(text), []File{file}); err != nil {
			t.Fatal(err)
		}
		got := countXML(t, b.Bytes())
		want := map[string]int{"testsuites": 1, "testsuite": 1, "testcase": max(1, failing), "failure": failing}
		for name, n := range want {
			if got[name] != n {
				t.Errorf("%d elements %s, want %d:\n%s", got[name], name, n, b.String())
			}
		}
		var doc junitDoc
		if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if s := doc.Suites[0]; s.Tests != max(1, failing) || s.Failures != failing || s.Errors != 0 {
			t.Errorf("counts are wrong:\n%s", b.String())
		}
		if strings.ContainsRune(b.String(), utf8.RuneError) && !strings.ContainsRune(text, utf8.RuneError) {
			t.Errorf("a character was lost:\n%s", b.String())
		}
	})
}

// countXML counts elements by name.
func countXML(t *rapid.T, text []byte) map[string]int {
	n := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			n[e.Name.Local]++
		}
	}
}

// The parts of a file form one suite, even if the next file has the same name.
func TestJUnitParts(t *testing.T) {
	f := diag.New(diag.RunTorn, diag.At(1, 1), "x")
	var b bytes.Buffer
	j := NewJUnit("1.0")
	for _, number := range []int{0, 0, 1} {
		_ = j.Add(&b, File{Name: "f", Number: number, Findings: []diag.Finding{f}})
	}
	if err := j.End(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="0" tests="2" failures="2"`, `id="1" tests="1" failures="1"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no suite with %s:\n%s", want, &b)
		}
	}
}

// A file whose errors and warnings are all omitted has a failed test.
func TestJUnitOmitted(t *testing.T) {
	for _, tt := range []struct {
		omitted diag.Tally
		want    string
	}{
		{diag.Tally{Infos: 1}, `tests="1" failures="0"`},
		{diag.Tally{Warnings: 2, Hints: 1}, `<failure type="warning" message="not printed: 4 warnings">`},
		{diag.Tally{Errors: 1, Warnings: 2}, `<failure type="error" message="not printed: 2 errors, 4 warnings">`},
	} {
		var b bytes.Buffer
		j := NewJUnit("1.0")
		for range 2 {
			_ = j.Add(&b, File{Name: "f", Omitted: tt.omitted})
		}
		if err := j.End(&b); err != nil || !strings.Contains(b.String(), tt.want) {
			t.Errorf("%v, no %s in:\n%s", err, tt.want, &b)
		}
	}
}

// A log is written incrementally: a finding is written when its file is added, and the rest does
// not depend on the number of findings.
func TestSARIFIsIncremental(t *testing.T) {
	finding := diag.New(diag.RunTorn, diag.At(1, 1), "x")
	s := NewSARIF("1.0")
	for n := 1; n <= 3; n++ {
		var b bytes.Buffer
		if err := s.Add(&b, File{Name: "f", Findings: []diag.Finding{finding}}); err != nil || !strings.Contains(b.String(), `"ruleId": "TR002"`) {
			t.Errorf("%v, file %d: %s", err, n, &b)
		}
	}
	var rest bytes.Buffer
	if err := s.End(&rest); err != nil || strings.Contains(rest.String(), "ruleId") {
		t.Errorf("%v, the end: %s", err, &rest)
	}
}
