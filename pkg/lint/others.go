package lint

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// others finds calls of other dialects than the one that was named, in a text of which
// nothing is said yet where they stand. They are never executable. A call without marks,
// or with a fault and without arguments, counts if a tool has its name.
func (r *reading) others(src []byte, o Options) {
	tools := o.toolset()
	all := dialect.ScanBytes(src, dialect.Options{Reasoning: o.Reasoning, Tools: tools})
	var found []diag.Finding
	at := map[string]int{} // by dialect, where its finding is
	more := map[string]int{}
	covered := r.covered()
	quoted := map[int]bool{} // calls that are text where their dialect is read
	for _, f := range all.Findings {
		if f.Code == diag.QuotedCall && f.Call != nil {
			quoted[*f.Call] = true
		}
	}
	for i, c := range all.Calls {
		row := all.Rows[i]
		_, known := tools[c.Name]
		surely := known || row.HasMarks() && (c.Executable || quoted[i] || len(c.Arguments) > len(`{}`))
		if c.Status == chat.StatusSuppressed && !quoted[i] || row.Name == o.Dialect.Name || !surely || covered.overlaps(c.Start, c.End) {
			continue
		}
		if _, ok := at[row.Name]; ok {
			more[row.Name]++
			continue
		}
		at[row.Name] = len(found)
		f := diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End), "this is a call in the dialect %s, and %s was named; it is not run", row.Name, o.Dialect.Name)
		if !quoted[i] {
			f.Hint = "--dialect auto reads it"
		}
		found = append(found, f)
	}
	for name, n := range more {
		found[at[name]].Message += fmt.Sprintf(", nor are %d more", n)
	}
	r.findings = append(r.findings, found...)
	if len(found) == 0 {
		r.otherMarks(all.Findings, covered)
	}
}

// otherMarks finds marks of another dialect with no call between them, the first of them.
func (r *reading) otherMarks(all []diag.Finding, covered cover) {
	for _, f := range all {
		if f.Code == diag.NotACall && f.Severity != diag.Info && !covered.overlaps(f.Span.Start, f.Span.End) {
			f.Call = nil
			r.findings = append(r.findings, f)
			return
		}
	}
}

// A cover is stretches of a text, by their beginnings.
type cover []diag.Span

// covered returns what calls and findings say something about.
func (r *reading) covered() cover {
	var all cover
	for _, c := range r.calls {
		all = append(all, diag.Bytes(c.Start, c.End))
	}
	for _, f := range r.findings {
		if f.Severity.Rank() > diag.Info.Rank() {
			all = append(all, f.Span)
		}
	}
	return all.joined()
}

// joined returns the stretches by their beginnings, those that touch as one.
func (c cover) joined() cover {
	slices.SortFunc(c, func(a, b diag.Span) int { return cmp.Compare(a.Start, b.Start) })
	out := c[:0]
	for _, s := range c {
		if last := len(out) - 1; last >= 0 && s.Start <= out[last].End {
			out[last].End = max(out[last].End, s.End)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// overlaps reports whether any of the stretches has a byte of [start, end).
func (c cover) overlaps(start, end int) bool {
	i := sort.Search(len(c), func(i int) bool { return c[i].End > start })
	return i < len(c) && c[i].Start < end
}
