// Package report prints findings: as text for people, inside documents as JSON
// for programs, and in the formats that other programs read: SARIF, GitHub's
// annotations and JUnit's XML.
//
// It decides neither what a finding means for an exit code nor whether anyone
// looks: colour comes from a [Painter] that the caller hands in.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"oneshot/pkg/diag"
)

// A Painter colours text as befits a severity. A nil painter leaves it as it is.
type Painter func(s diag.Severity, text string) string

func (p Painter) paint(s diag.Severity, text string) string {
	if p == nil {
		return text
	}
	return p(s, text)
}

// Text prints each finding on a line "file:line:column: severity CODE slug:
// message", under it the line of the source with the place marked, what to do, and
// what fixes that are not safe would make of the place. Sources holds the texts by the findings' file names; a finding whose text
// is not there has no excerpt. What a terminal would obey is made visible. The
// error is the writer's.
func Text(w io.Writer, findings []diag.Finding, sources map[string][]byte, paint Painter) error {
	out := bufio.NewWriter(w)
	lines := map[string]*diag.Lines{}
	for _, f := range findings {
		text, ok := sources[f.File]
		if ok && lines[f.File] == nil && f.Span.Line > 0 {
			lines[f.File] = diag.NewLines(text)
		}
		one(out, f, lines[f.File], paint)
	}
	return out.Flush()
}

// one prints a finding. Without the lines of its text there are no excerpt
// and no suggestions.
func one(w io.Writer, f diag.Finding, lines *diag.Lines, paint Painter) {
	headline(w, f, paint)
	if lines != nil && f.Span.Line > 0 {
		excerpt(w, f, lines, paint)
	}
	if f.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", Visible(f.Hint))
	}
	if lines != nil {
		suggest(w, lines.Text(), f.Fixes)
	}
}

// headline prints the first line of a finding.
func headline(w io.Writer, f diag.Finding, paint Painter) {
	label := fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Code.Rule().Slug)
	line := Visible(f.String())
	if place, rest, ok := strings.Cut(line, label); ok {
		line = place + paint.paint(f.Severity, label) + rest
	}
	fmt.Fprintln(w, line)
}

// Summary counts findings by severity, for example "2 errors, 1 warning".
func Summary(findings []diag.Finding) string {
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Info, diag.Hint} {
		n := 0
		for _, f := range findings {
			if f.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, Count(n, string(s)))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

// Count writes a number with its noun: "1 error", "2 errors". Nouns that have
// no plural, such as "info", stay as they are.
func Count(n int, noun string) string {
	if n != 1 && noun != string(diag.Info) {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// JSON prints a document that holds findings, indented, with a line feed at its
// end. Raw JSON in it keeps its digits and its key order.
func JSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// JSONLine prints a document as [JSON] does, on one line.
func JSONLine(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}
