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

// reportOtherDialects reports calls of other dialects than the named one, in parts of the text
// without calls or findings. They are never executable. A call without markers, or a faulty one
// without arguments, counts only if a tool has its name.
func (r *scanResult) reportOtherDialects(src []byte, o Options) {
	tools := o.toolShapes()
	all := dialect.ScanBytes(src, dialect.Options{Reasoning: o.Reasoning, Tools: tools})
	var found []diag.Finding
	at := map[string]int{} // index of the finding, by dialect
	more := map[string]int{}
	covered := r.coveredSpans()
	quoted := map[int]bool{} // calls that their own dialect treats as text
	for _, f := range all.Findings {
		if f.Code == diag.QuotedCall && f.Call != nil {
			quoted[*f.Call] = true
		}
	}
	for i, c := range all.Calls {
		row := all.CallDialects[i]
		_, known := tools[c.Name]
		surely := known || row.HasMarkers() && (c.Executable || quoted[i] || len(c.Arguments) > len(`{}`))
		if c.Status == chat.StatusSuppressed && !quoted[i] || row.Name == o.Dialect.Name || !surely || covered.overlaps(c.Start, c.End) {
			continue
		}
		if _, ok := at[row.Name]; ok {
			more[row.Name]++
			continue
		}
		at[row.Name] = len(found)
		f := diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End), "this call is in the dialect %s, not %s, and is not executed", row.Name, o.Dialect.Name)
		if !quoted[i] {
			f.Hint = "use --dialect auto to read it"
		}
		found = append(found, f)
	}
	for name, n := range more {
		found[at[name]].Message += fmt.Sprintf(", nor are %d more", n)
	}
	r.findings = append(r.findings, found...)
	if len(found) == 0 {
		r.reportOtherMarkers(all.Findings, covered)
	}
}

// reportOtherMarkers reports the first markers of another dialect with no call between them.
func (r *scanResult) reportOtherMarkers(all []diag.Finding, covered spanSet) {
	for _, f := range all {
		if f.Code == diag.NotACall && f.Severity != diag.Info && !covered.overlaps(f.Span.Start, f.Span.End) {
			f.Call = nil
			r.findings = append(r.findings, f)
			return
		}
	}
}

// A spanSet is a list of spans, sorted by start.
type spanSet []diag.Span

// coveredSpans returns the spans of calls and of findings above info.
func (r *scanResult) coveredSpans() spanSet {
	var all spanSet
	for _, c := range r.calls {
		all = append(all, diag.Bytes(c.Start, c.End))
	}
	for _, f := range r.findings {
		if f.Severity.Rank() > diag.Info.Rank() {
			all = append(all, f.Span)
		}
	}
	return all.sortedAndMerged()
}

// sortedAndMerged returns the spans sorted, with touching ones merged.
func (c spanSet) sortedAndMerged() spanSet {
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

// nextStart returns the start of the first span after an offset that no span covers, or end without one.
func (c spanSet) nextStart(offset, end int) int {
	i := sort.Search(len(c), func(i int) bool { return c[i].Start > offset })
	if i == len(c) {
		return end
	}
	return c[i].Start
}

// overlaps reports whether a span overlaps [start, end).
func (c spanSet) overlaps(start, end int) bool {
	i := sort.Search(len(c), func(i int) bool { return c[i].End > start })
	return i < len(c) && c[i].Start < end
}
