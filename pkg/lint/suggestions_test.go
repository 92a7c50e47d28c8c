package lint

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// Every suggestion works: its edits resolve the finding, add no syntax error, and delete no model
// text.
func TestSuggestions(t *testing.T) {
	count := 0
	for file, text := range caseInputs(t) {
		d, _ := dialect.Lookup(filepath.Base(filepath.Dir(file)))
		for _, o := range []Options{{}, {Dialect: d}} {
			count += checkSuggestions(t, file, text, o)
		}
	}
	for _, m := range malformations {
		for _, c := range m.cases {
			count += checkSuggestions(t, m.what, c.src, Options{Tools: malformationRegistry(t)})
		}
	}
	o := Options{Tools: malformationRegistry(t)}
	eachDamaged(t, o, func(d dialect.Dialect, x damage, text string, _, _ int) {
		o.Dialect = d
		count += checkSuggestions(t, d.Name+" "+x.what, text, o)
	})
	if count < 500 {
		t.Errorf("there are only %d suggestions", count)
	}
}

func checkSuggestions(t *testing.T, name, text string, o Options) (count int) {
	t.Helper()
	before := response(name, []byte(text), o).Findings
	for _, f := range before {
		for _, x := range f.Fixes {
			if x.Kind == diag.Display {
				continue
			}
			count++
			if lost := deleted(text, f, x); lost != "" {
				t.Errorf("%s: %s: %q deletes %q of %q", name, f, x.Title, lost, text)
			}
			after, _, err := diag.Apply(text, []diag.Fix{x})
			if err != nil {
				t.Errorf("%s: %s: %v", name, f, err)
				continue
			}
			now := response(name, []byte(after), o).Findings
			if remains(before, now, f, x) || syntaxErrors(now) > syntaxErrors(before) {
				t.Errorf("%s: %s: %q makes %q of %q, with %v", name, f, x.Title, after, text, now)
			}
		}
	}
	return count
}

// remains reports whether a finding still occurs after a fix, as often and in the same place.
func remains(before, now []diag.Finding, f diag.Finding, x diag.Fix) bool {
	at := f.Span.Start
	for _, e := range x.Edits {
		if e.End <= f.Span.Start && e.Start < f.Span.Start {
			at += len(e.New) - (e.End - e.Start)
		}
	}
	count := func(all []diag.Finding) (n int) {
		for _, g := range all {
			if g.Code == f.Code && g.Message == f.Message {
				n++
			}
		}
		return n
	}
	return count(now) >= count(before) && slices.ContainsFunc(now, func(g diag.Finding) bool { return g.Code == f.Code && g.Span.Start == at })
}

// syntaxErrors counts the errors in the notation of values.
func syntaxErrors(all []diag.Finding) (n int) {
	for _, f := range all {
		if f.Severity == diag.Error && f.Code.Family().Name == "literal" {
			n++
		}
	}
	return n
}

// deleted returns the model's text that a fix deletes: letters and digits, except those of markers,
// comments, namespaces, and words and number forms that JSON lacks and a value replaces.
func deleted(text string, f diag.Finding, x diag.Fix) string {
	switch f.Code {
	case diag.StrayMarker, diag.MarkupInName, diag.WrongCloser, diag.Comment, diag.NameNoise, diag.NonstandardNumber, diag.PythonLiteral:
		return ""
	}
	for _, e := range x.Edits {
		old := text[e.Start:e.End]
		if strings.HasPrefix(old, "/") || e.New == "null" && (strings.HasSuffix(old, "NaN") || strings.HasSuffix(old, "Infinity") || old == "undefined") {
			continue
		}
		rest := strings.ToLower(e.New)
		for _, c := range strings.ToLower(old) {
			i := strings.IndexRune(rest, c)
			switch {
			case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			case i < 0:
				return old
			default:
				rest = rest[i+len(string(c)):]
			}
		}
	}
	return ""
}
