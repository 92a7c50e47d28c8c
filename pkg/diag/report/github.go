package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"oneshot/pkg/diag"
)

// GitHub prints each finding as a workflow command, which GitHub shows as an annotation in a
// change. A multi-line span has no columns, because GitHub accepts columns only within one line.
// The error is the writer's.
func GitHub(w io.Writer, file File) error {
	out := bufio.NewWriter(w)
	for _, f := range file.Findings {
		fmt.Fprintf(out, "::%s %s::%s\n", annotationLevel(f.Severity), annotationProperties(file.Name, f), escapeCommandData(messageWithHint(f)))
	}
	return out.Flush()
}

// annotationLevel returns the workflow command for a severity.
func annotationLevel(s diag.Severity) string {
	switch s {
	case diag.Error, diag.Warning:
		return string(s)
	}
	return "notice"
}

// annotationProperties returns the properties for a finding's location and title.
func annotationProperties(name string, f diag.Finding) string {
	s, place := f.Span, ""
	switch {
	case s.Line == 0:
	case s.Line == s.EndLine:
		place = fmt.Sprintf(",line=%d,col=%d,endLine=%d,endColumn=%d", s.Line, s.Column, s.EndLine, s.EndColumn)
	default:
		place = fmt.Sprintf(",line=%d,endLine=%d", s.Line, max(s.Line, s.EndLine))
	}
	return "file=" + escapeCommandProperty(name) + place + ",title=" + escapeCommandProperty(codeLabel(f))
}

// The escapes of characters that would end a message or a property.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer(":", "%3A", ",", "%2C")
)

// escapeCommandData escapes text as the message of a workflow command, on one line and without control
// characters.
func escapeCommandData(text string) string {
	return EscapeLine(dataEscapes.Replace(text))
}

// escapeCommandProperty escapes text as a property of a workflow command.
func escapeCommandProperty(text string) string {
	return propertyEscapes.Replace(escapeCommandData(text))
}
