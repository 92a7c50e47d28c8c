package dialect

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// maxTriedClosers bounds the quotes tried as the end of a string.
const maxTriedClosers = 8

// suggestEscapedQuotes adds an alternative to a call broken by an inner quote: the quotes of the string are
// escaped up to the first one with which the call parses. The scanner reads one call.
func (r *callReader) suggestEscapedQuotes(newScanner func(literal.Options) *literal.Scanner) {
	if len(r.call.Text) > maxRepairBytes {
		return
	}
	for i := range r.findings {
		f := &r.findings[i]
		if f.Code != diag.UnescapedQuote || f.Severity != diag.Error || len(f.Fixes) > 0 {
			continue
		}
		if c, edits, ok := r.escapeQuotes(f.Span.Start, newScanner); ok {
			r.call.Alternatives = []chat.Call{c}
			f.Fixes = newFix(diag.Unsafe, "escape the quotes inside the string", edits...)
		}
		return
	}
}

// escapeQuotes returns the call with its quotes escaped from an offset up to the quote that ends the string.
func (r *callReader) escapeQuotes(from int, newScanner func(literal.Options) *literal.Scanner) (c chat.Call, edits []diag.Edit, ok bool) {
	text, at := r.call.Text, from-r.call.Start
	if at < 0 || at >= len(text) {
		return c, nil, false
	}
	tried := 0
	for i := at; i < len(text) && tried < maxTriedClosers; i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] != text[at]:
		case i > at && canEndArgument(text[i+1:]):
			tried++
			if c, ok = parseCall(applyInsertions(text, edits, r.call.Start), newScanner); ok {
				c.Name, c.Start, c.End, c.Text = r.call.Name, r.call.Start, r.call.End, text
				c.Status, c.Executable, c.ValueChanged = chat.StatusAmbiguous, false, true
				return c, edits, true
			}
			fallthrough
		default:
			edits = append(edits, diag.Edit{Start: r.call.Start + i, End: r.call.Start + i, New: `\`})
		}
	}
	return c, nil, false
}

// canEndArgument reports whether a value can end before rest.
func canEndArgument(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && strings.IndexByte(",)]}", rest[0]) >= 0
}

// applyInsertions applies edits that only insert.
func applyInsertions(text string, edits []diag.Edit, base int) string {
	var b strings.Builder
	last := 0
	for _, e := range edits {
		b.WriteString(text[last:e.Start-base] + e.New)
		last = e.Start - base
	}
	return b.String() + text[last:]
}

// parseCall parses a text that consists of one call, and reports false if it does not or has errors.
func parseCall(text string, newScanner func(literal.Options) *literal.Scanner) (chat.Call, bool) {
	lit := newScanner(literal.Options{})
	n, state := lit.Write([]byte(text))
	c, ok := lit.Call()
	return c, ok && state == literal.Done && n == len(text) && !diag.HasErrors(lit.Findings())
}
