package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// The JUnit format has no standard. What is written here is valid by both schemas
// in use, that of Apache Ant and that of Jenkins: Ant's asks for a host, a time
// and every element, Jenkins' for a property where there are properties. The
// same findings give the same report, so host and time say nothing.

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

// JUnit prints a test suite for each file: a test that fails for each error and
// warning, and one that passes where there is neither. What is below a warning
// stands in the output of the suite. Characters that XML cannot hold are
// made visible. The version is that of the program.
func JUnit(w io.Writer, files []File, version string) error {
	doc := junitDoc{Suites: make([]junitSuite, len(files))}
	for i, f := range files {
		doc.Suites[i] = newSuite(i, f, version)
	}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func newSuite(id int, file File, version string) junitSuite {
	name := suiteName(file.Name)
	s := junitSuite{
		Name: name, Package: name, ID: id, Timestamp: "1970-01-01T00:00:00", Hostname: "localhost",
		Properties: []junitProperty{{"oneshot", Visible(version)}},
	}
	var failing, rest []diag.Finding
	for _, f := range file.Findings {
		if f.Severity.Rank() >= diag.Warning.Rank() {
			failing = append(failing, f)
		} else {
			rest = append(rest, f)
		}
	}
	for i, text := range details(file, failing) {
		s.Cases = append(s.Cases, junitCase{Name: caseName(failing[i]), Class: name, Failure: &junitFailure{
			Type: string(failing[i].Severity), Message: Visible(failing[i].Message), junitText: junitText{text},
		}})
	}
	s.Out.Text = strings.Join(details(file, rest), "")
	s.Failures = len(failing)
	if len(failing) == 0 {
		s.Cases = []junitCase{{Name: "no errors or warnings", Class: name}}
	}
	s.Tests = len(s.Cases)
	return s
}

// suiteName makes a file name the name of a suite, which must not be blank.
func suiteName(file string) string {
	if strings.TrimSpace(file) == "" {
		return strconv.Quote(file)
	}
	return Visible(file)
}

// caseName names the test for a finding after its code and place.
func caseName(f diag.Finding) string {
	if f.Span.Line == 0 {
		return label(f)
	}
	return fmt.Sprintf("%s at %d:%d", label(f), f.Span.Line, f.Span.Column)
}

// details returns for each finding what [Text] prints about it.
func details(file File, findings []diag.Finding) []string {
	texts, lines := make([]string, len(findings)), diag.NewLines(file.Text)
	for i, f := range findings {
		var b bytes.Buffer
		one(&b, f, lines, nil)
		texts[i] = b.String()
	}
	return texts
}
