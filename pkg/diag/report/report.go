// Package report prints findings: as text for people, as JSON inside documents, and as SARIF,
// GitHub annotations and JUnit XML for other programs.
//
// It does not map findings to exit codes or detect terminals: the caller passes a [Style].
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

// A Style is the look of findings. The zero Style is for files and pipes.
type Style struct {
	Paint   Painter
	Columns int // of the terminal, into which excerpts and suggestions are cut; 0 without a terminal
}

// A Painter colours text for a severity, and emphasises it for the severity "". A nil painter leaves it unchanged.
type Painter func(s diag.Severity, text string) string

func (p Painter) paint(s diag.Severity, text string) string {
	if p == nil {
		return text
	}
	return p(s, text)
}

// Text prints each finding on a line "file:line:column: severity CODE slug: message", followed by
// an excerpt of the source with the span marked, the hint, and previews of unsafe fixes. Sources
// holds the texts by the findings' file names; without a source there is no excerpt. Control
// characters are escaped. The error is the writer's.
func Text(w io.Writer, findings []diag.Finding, sources map[string]diag.Text, style Style) error {
	out := bufio.NewWriter(w)
	lines := map[string]*diag.Lines{}
	for _, f := range findings {
		text, ok := sources[f.File]
		if ok && lines[f.File] == nil && f.Span.Line > 0 {
			lines[f.File] = text.Lines()
		}
		_, _ = out.Write(appendFinding(out.AvailableBuffer(), f, lines[f.File], style)) // Flush returns the error
	}
	return out.Flush()
}

// appendFinding appends the output of [Text] for a finding. Without lines it has no excerpt and no
// suggestions.
func appendFinding(out []byte, f diag.Finding, lines *diag.Lines, style Style) []byte {
	out = appendHeadline(out, f, style.Paint)
	if lines != nil && f.Span.Line > 0 {
		out = appendExcerpt(out, f, lines, style)
	}
	if f.Hint != "" {
		out = append(appendVisible(style.appendLabel(out, "hint:"), f.Hint), '\n')
	}
	if lines != nil {
		out = appendSuggestions(out, lines.Text, f.Fixes, style)
	}
	return out
}

// appendLabel appends the first word of a line below a finding.
func (s Style) appendLabel(out []byte, word string) []byte {
	out = append(append(out, "  "...), s.Paint.paint(diag.Hint, word)...)
	return append(out, ' ')
}

// appendHeadline appends the first line of a finding.
func appendHeadline(out []byte, f diag.Finding, paint Painter) []byte {
	text := f.String()
	if label := f.Label(); paint != nil {
		place, rest, _ := strings.Cut(text, label)
		severity, code, _ := strings.Cut(label, " ")
		out = append(appendVisible(out, place), paint(f.Severity, severity)...)
		out = append(append(out, ' '), paint("", code)...)
		text = rest
	}
	return append(appendVisible(out, text), '\n')
}

// Summary counts the findings of each severity: "2 errors, 1 warning".
func Summary(t diag.Tally) string {
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Info, diag.Hint} {
		if n := t.Count(s); n > 0 {
			parts = append(parts, Count(n, string(s)))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

// Count returns a number with its noun: "1 error", "2 errors". "info" has no plural.
func Count(n int, noun string) string {
	if n != 1 && noun != string(diag.Info) {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// JSON prints a document that contains findings as indented JSON, with a final line feed. Raw JSON
// in it keeps its digits and key order; invisible characters are escaped.
func JSON(w io.Writer, document any) error { return encode(w, document, "  ") }

// JSONLine prints a document like [JSON], on one line.
func JSONLine(w io.Writer, document any) error { return encode(w, document, "") }

func encode(w io.Writer, document any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(diag.EscapeInvisibleJSON(b.Bytes()))
	return err
}
