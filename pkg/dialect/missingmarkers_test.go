package dialect

import (
	"regexp"
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

// saysMissing matches messages about something missing.
var saysMissing = regexp.MustCompile(`\bmissing\b|\black|not closed`)

// namedMissing matches the missing text in a message, if the message names it.
var namedMissing = regexp.MustCompile(`(?:\black|\blacks (?:its end|its closing marker)) ("[^"]+"|\S+)|(?:^|: |where )("[^"]+"|'.') is missing`)

// missing returns the texts that a finding may report as missing: the one that its
// message names, or all brackets and markers. It returns nil for findings about
// something else.
func missing(d *Dialect, f diag.Finding) []string {
	if !saysMissing.MatchString(f.Message) || f.Code == diag.TruncatedCall || f.Code == diag.QuotedCall || f.Code == diag.UnclosedReasoning {
		return nil
	}
	if m := namedMissing.FindStringSubmatch(f.Message); m != nil {
		return []string{strings.Trim(m[1]+m[2], `"'`)}
	}
	texts := []string{",", ":", "}", "]", ")", `"`, "```", "\n```\n"}
	for _, m := range d.framing.markers {
		texts = append(texts, m.text)
	}
	return append(append(texts, d.framing.closers...), d.framing.affixes[0], d.framing.affixes[1])
}

// hasFinding reports whether a text has at least n findings with the code and the message
// of f.
func (m mode) hasFinding(text string, f diag.Finding, n int) bool {
	for _, g := range Scan(text, Options{Dialect: *m.row, Tools: m.tools}).Findings {
		if g.Code == f.Code && g.Message == f.Message {
			n--
		}
	}
	return n <= 0
}

// suppliable reports whether a finding disappears when one of its fixes is applied, or
// when one of the texts is inserted at the finding, at the damaged place, or at the
// end.
func (m mode) suppliable(text string, damaged int, f diag.Finding, n int, texts []string) bool {
	places := []int{damaged, f.Span.Start, f.Span.End, len(text)}
	for _, fix := range f.Fixes {
		if after, _, err := diag.Apply(text, []diag.Fix{fix}); err == nil && !m.hasFinding(after, f, n) {
			return true
		}
	}
	for _, at := range places {
		for _, what := range texts {
			if what != "" && !m.hasFinding(text[:at]+what+text[at:], f, n) {
				return true
			}
		}
	}
	return false
}

// TestMissingMarkersAreMissing checks findings about something missing: it is not at the
// finding already, and supplying it removes the finding.
func TestMissingMarkersAreMissing(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		whole, tools := threeCalls(t, d)
		m := mode{row: d, tools: tools}
		eachWithoutOneMark(d, strings.Join(whole, "\n"), func(text, taken string, damaged int) {
			r := Scan(text, Options{Dialect: *d, Tools: tools})
			for _, f := range r.Findings {
				n := 0
				for _, g := range r.Findings {
					if g.Code == f.Code && g.Message == f.Message {
						n++
					}
				}
				texts := missing(d, f)
				switch {
				case len(texts) == 0:
				case len(texts) > 1 && !m.hasFinding(text[:damaged]+taken+text[damaged:], f, n):
				case len(texts) == 1 && len(texts[0]) > 1 && strings.HasPrefix(text[f.Span.End:], texts[0]):
					t.Errorf("%s: it stands there in %q", f, text)
				case !m.suppliable(text, damaged, f, n, texts):
					t.Errorf("%s: nothing put there makes it go in %q", f, text)
				}
			}
		})
	})
}

// eachWithoutOneMark calls do for each bracket, quote and marker of a text, with the text
// without it.
func eachWithoutOneMark(d *Dialect, whole string, do func(text, taken string, damaged int)) {
	for i := range len(whole) {
		if strings.IndexByte("\"'`[]{}()<>|", whole[i]) >= 0 {
			do(whole[:i]+whole[i+1:], whole[i:i+1], i)
		}
	}
	for _, m := range d.framing.markers {
		for from := 0; m.text != ""; {
			i := strings.Index(whole[from:], m.text)
			if i < 0 {
				break
			}
			do(whole[:from+i]+whole[from+i+len(m.text):], m.text, from+i)
			from += i + len(m.text)
		}
	}
}
