// Package report prints findings: as text for people, inside documents as JSON
// for programs, and in the formats that other programs read: SARIF, GitHub's
// annotations and JUnit's XML.
//
// It decides neither what a finding means for an exit code nor whether anyone
// looks: colour comes from a [Painter] that the caller hands in.
package report

import (
	"bufio"
	"bytes"
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
func Text(w io.Writer, findings []diag.Finding, sources map[string]diag.Text, paint Painter) error {
	out := bufio.NewWriter(w)
	lines := map[string]*diag.Lines{}
	for _, f := range findings {
		text, ok := sources[f.File]
		if ok && lines[f.File] == nil && f.Span.Line > 0 {
			lines[f.File] = text.Lines()
		}
		_, _ = out.Write(appendFinding(out.AvailableBuffer(), f, lines[f.File], paint)) // Flush returns the error
	}
	return out.Flush()
}

// appendFinding appends what [Text] prints about a finding. Without the lines of its text
// there are no excerpt and no suggestions.
func appendFinding(out []byte, f diag.Finding, lines *diag.Lines, paint Painter) []byte {
	out = appendHeadline(out, f, paint)
	if lines != nil && f.Span.Line > 0 {
		out = appendExcerpt(out, f, lines, paint)
	}
	if f.Hint != "" {
		out = append(appendVisible(append(out, "  hint: "...), f.Hint), '\n')
	}
	if lines != nil {
		out = appendSuggestions(out, lines.Text, f.Fixes)
	}
	return out
}

// appendHeadline appends the first line of a finding.
func appendHeadline(out []byte, f diag.Finding, paint Painter) []byte {
	text := f.String()
	if label := f.Label(); paint != nil {
		place, rest, _ := strings.Cut(text, label)
		out = appendVisible(out, place)
		out = append(out, paint(f.Severity, label)...)
		text = rest
	}
	return append(appendVisible(out, text), '\n')
}

// Summary says how many findings there are of each severity, for example "2 errors,
// 1 warning".
func Summary(t diag.Tally) string {
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Info, diag.Hint} {
		if n := t.Of(s); n > 0 {
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
// end. Raw JSON in it keeps its digits and its key order; characters that nobody would see are
// escapes.
func JSON(w io.Writer, document any) error { return encode(w, document, "  ") }

// JSONLine prints a document as [JSON] does, on one line.
func JSONLine(w io.Writer, document any) error { return encode(w, document, "") }

func encode(w io.Writer, document any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(diag.VisibleJSON(b.Bytes()))
	return err
}
