package jsonrepair

import (
	"cmp"
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// mostFindings bounds how many findings are kept, each with its edits. The edits
// of the others are in one finding more.
const mostFindings = 10_000

// A side orders edits at the same offset.
type side int

const (
	behind side = iota // inserted behind what ends here
	around             // inserted before what begins here; a later one goes before an earlier one
	before             // inserted before what begins here
	over               // replaces what begins here
)

// An edit is one edit of a note.
type edit struct {
	diag.Edit
	side side
	seq  int
}

// remove, replace and insert make edits.
func remove(start, end int) edit { return replace(start, end, "") }

func replace(start, end int, with string) edit {
	return edit{Edit: diag.Edit{Start: start, End: end, New: with}, side: over}
}

func insert(s side, at int, what string) edit {
	return edit{Edit: diag.Edit{Start: at, End: at, New: what}, side: s}
}

// A note is a finding while the text is being read.
type note struct {
	code       diag.Code
	start, end int
	text       string // what is wrong
	title      string // what the edits do
	kind       diag.FixKind
	edits      []edit
}

// notes collects notes. Reading something again takes back those that were made
// since a mark.
type notes struct {
	list []note
}

func (n *notes) add(x note) {
	x.edits = slices.DeleteFunc(x.edits, func(e edit) bool { return e.Start == e.End && e.New == "" })
	n.list = append(n.list, x)
}

func (n *notes) mark() int { return len(n.list) }

func (n *notes) back(mark int) { n.list = n.list[:mark] }

// unsafe reports whether an edit may have changed the meaning.
func (n *notes) unsafe() bool {
	return slices.ContainsFunc(n.list, func(x note) bool { return x.kind != diag.Safe })
}

// edits returns all edits in the order in which they apply.
func (n *notes) edits() []diag.Edit {
	var all []edit
	for _, x := range n.list {
		for _, e := range x.edits {
			e.seq = len(all)
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, compareEdits)
	list := make([]diag.Edit, 0, len(all))
	for _, e := range all {
		list = append(list, e.Edit)
	}
	return list
}

func compareEdits(a, b edit) int {
	if c := cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.side, b.side)); c != 0 {
		return c
	}
	if a.side == around {
		return cmp.Compare(b.seq, a.seq)
	}
	return cmp.Compare(a.seq, b.seq)
}

// Apply returns the text with edits applied, which must be sorted and not overlap.
// What overlaps is left out.
func Apply(text string, edits []diag.Edit) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			continue
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// findings returns the notes as findings in the order of the text.
func (n *notes) findings() []diag.Finding {
	list := make([]diag.Finding, 0, min(len(n.list), mostFindings+1))
	for _, x := range n.list[:min(len(n.list), mostFindings)] {
		list = append(list, x.finding())
	}
	if len(n.list) > mostFindings {
		list = append(list, merged(n.list[mostFindings:]).finding())
	}
	diag.Sort(list)
	return list
}

// merged joins the notes over the limit.
func merged(rest []note) note {
	all := note{code: diag.TooMany, kind: diag.Unsafe, start: rest[0].start, end: rest[0].end,
		text: "there is more to mend than is listed", title: "mend the rest"}
	for _, x := range rest {
		all.start, all.end = min(all.start, x.start), max(all.end, x.end)
		all.edits = append(all.edits, x.edits...)
	}
	return all
}

func (x note) finding() diag.Finding {
	f := diag.New(x.code, diag.Bytes(x.start, x.end), "%s", x.text)
	if x.edits == nil {
		return f
	}
	sorted := slices.SortedStableFunc(slices.Values(x.edits), compareEdits)
	fix := diag.Fix{Title: x.title, Kind: x.kind}
	for _, e := range sorted {
		fix.Edits = append(fix.Edits, e.Edit)
	}
	f.Fixes = []diag.Fix{fix}
	return f
}
