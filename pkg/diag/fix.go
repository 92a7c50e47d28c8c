package diag

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// SafeFixes returns the first safe fix of each finding.
func SafeFixes(findings []Finding) []Fix {
	var safe []Fix
	for _, f := range findings {
		if i := slices.IndexFunc(f.Fixes, func(x Fix) bool { return x.Kind == Safe }); i >= 0 {
			safe = append(safe, f.Fixes[i])
		}
	}
	return safe
}

// LocalFixes converts fixes from offsets in the file to offsets in the text.
func (t Text) LocalFixes(fixes []Fix) []Fix {
	if t.Offset == 0 {
		return fixes
	}
	inside := slices.Clone(fixes)
	for i, f := range inside {
		inside[i].Edits = slices.Clone(f.Edits)
		for j := range f.Edits {
			inside[i].Edits[j].Start -= t.Offset
			inside[i].Edits[j].End -= t.Offset
		}
	}
	return inside
}

// Apply applies fixes to a text and returns how many it applied. Fixes are atomic:
// of overlapping ones, only the first by position is applied. Insertions at the same
// offset do not overlap; they are applied in the order of their fixes. All other
// bytes stay unchanged, UTF-8 or not. A fix with an edit outside the text, or with
// overlapping edits, is an error.
func Apply(text string, fixes []Fix) (fixed string, made int, err error) {
	fixes = slices.DeleteFunc(slices.Clone(fixes), func(f Fix) bool { return len(f.Edits) == 0 })
	for i := range fixes {
		if fixes[i].Edits, err = sortEdits(fixes[i], len(text)); err != nil {
			return text, 0, err
		}
	}
	slices.SortStableFunc(fixes, func(a, b Fix) int { return compareEdits(a.Edits[0], b.Edits[0]) })
	var all editList
	for _, f := range fixes {
		if !slices.ContainsFunc(f.Edits, all.overlaps) {
			made++
			for _, e := range f.Edits {
				all.add(e)
			}
		}
	}
	return all.apply(text), made, nil
}

// sortEdits returns the edits of a fix sorted by position. It fails if they overlap or
// exceed the length of the text.
func sortEdits(f Fix, length int) ([]Edit, error) {
	edits := slices.SortedStableFunc(slices.Values(f.Edits), compareEdits)
	done := 0
	for _, e := range edits {
		if e.Start < done || e.End < e.Start || e.End > length {
			return nil, fmt.Errorf("fix %q: the edit of bytes %d to %d overlaps another one or exceeds the text (%d bytes, %d already edited)",
				f.Title, e.Start, e.End, length, done)
		}
		done = e.End
	}
	return edits, nil
}

func compareEdits(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// An editList holds edits without overlaps, sorted by position.
type editList []Edit

func (l editList) overlaps(e Edit) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].End > e.Start })
	return i < len(l) && l[i].Start < e.End
}

// add inserts an edit after those at the same or an earlier position.
func (l *editList) add(e Edit) {
	at := sort.Search(len(*l), func(i int) bool { return compareEdits((*l)[i], e) > 0 })
	*l = slices.Insert(*l, at, e)
}

func (l editList) apply(text string) string {
	var b strings.Builder
	done := 0
	for _, e := range l {
		b.WriteString(text[done:e.Start])
		b.WriteString(e.New)
		done = e.End
	}
	b.WriteString(text[done:])
	return b.String()
}
