package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// JUnit has no standard. This output is valid by both schemas in use, Apache Ant's and
// Jenkins'. Ant's requires a host, a time and every element, Jenkins' at least one property
// in properties. Equal findings give equal reports, so host and time are constants.

type junitDoc struct {
	XMLName struct{}     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Package    string          `xml:"package,attr"`
	ID         int             `xml:"id,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Time       int             `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Hostname   string          `xml:"hostname,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Out        junitText       `xml:"system-out"`
	Err        junitText       `xml:"system-err"`

	pendingOut []byte     // the text of Out so far
	omitted    diag.Tally // see [File.Omitted]
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    int           `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	junitText
}

type junitText struct {
	Text string `xml:",cdata"`
}

// A JUnit is a report with one test suite per file: a failed test for each error and warning, or one passed test if there
// are none. One more failed test reports omitted errors and warnings. Other findings go to the suite's output. Characters
// that XML cannot represent are escaped.
type JUnit struct {
	version string
	doc     junitDoc
	number  int // of the last file
}

// NewJUnit returns an empty report by a program version.
func NewJUnit(version string) *JUnit { return &JUnit{version: EscapeLine(version)} }

// Add collects the findings of a file. It writes nothing, because the counts precede the tests.
func (j *JUnit) Add(_ io.Writer, f File) error {
	if len(j.doc.Suites) == 0 || f.Number != j.number {
		j.doc.Suites = append(j.doc.Suites, newSuite(len(j.doc.Suites), f.Name, j.version))
	}
	j.number = f.Number
	j.doc.Suites[len(j.doc.Suites)-1].add(f)
	return nil
}

// End writes the report.
func (j *JUnit) End(w io.Writer) error {
	for i := range j.doc.Suites {
		j.doc.Suites[i].setCounts()
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(j.doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func newSuite(id int, file, version string) junitSuite {
	name := suiteName(file)
	return junitSuite{
		Name: name, Package: name, ID: id, Timestamp: "1970-01-01T00:00:00", Hostname: "localhost",
		Properties: []junitProperty{{"oneshot", version}},
	}
}

// add adds the findings of a part of the file.
func (s *junitSuite) add(file File) {
	s.omitted = s.omitted.Add(file.Omitted)
	for i, text := range findingTexts(file) {
		f := file.Findings[i]
		if f.Severity.Rank() < diag.Warning.Rank() {
			s.pendingOut = append(s.pendingOut, text...)
			continue
		}
		s.addFailure(caseName(f), f.Severity, EscapeLine(f.Message), text)
	}
}

func (s *junitSuite) addFailure(name string, severity diag.Severity, message, text string) {
	s.Cases = append(s.Cases, junitCase{Name: name, Class: s.Name, Failure: &junitFailure{
		Type: string(severity), Message: message, junitText: junitText{text},
	}})
}

// setCounts counts the tests.
func (s *junitSuite) setCounts() {
	s.Out.Text = string(s.pendingOut)
	if omitted := (diag.Tally{Errors: s.omitted.Errors, Warnings: s.omitted.Warnings}); omitted != (diag.Tally{}) {
		message := "not printed: " + Summary(omitted)
		s.addFailure("more findings", omitted.Worst(), message, message+"\n")
	}
	s.Failures = len(s.Cases)
	if s.Failures == 0 {
		s.Cases = []junitCase{{Name: "no errors or warnings", Class: s.Name}}
	}
	s.Tests = len(s.Cases)
}

// suiteName returns a suite name, which must not be blank, for a file.
func suiteName(file string) string {
	if strings.TrimSpace(file) == "" {
		return strconv.Quote(file)
	}
	return EscapeLine(file)
}

// caseName returns the test name for a finding: its code and position.
func caseName(f diag.Finding) string {
	if f.Span.Line == 0 {
		return codeLabel(f)
	}
	return fmt.Sprintf("%s at %d:%d", codeLabel(f), f.Span.Line, f.Span.Column)
}

// findingTexts returns the output of [Text] for each finding.
func findingTexts(file File) []string {
	texts, lines := make([]string, len(file.Findings)), file.Text.Lines()
	var text []byte
	for i, f := range file.Findings {
		text = appendFinding(text[:0], f, lines, Style{})
		texts[i] = string(text)
	}
	return texts
}
