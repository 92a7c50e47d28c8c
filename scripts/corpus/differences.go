package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// A difference is a row, or several of one id, that oneshot reads in another way
// than the reference, on purpose.
type difference struct {
	ID     string `json:"id"`
	Theirs string `json:"theirs"` // what the reference reads, in words
	Ours   string `json:"ours"`
	Why    string `json:"why"`
	See    string `json:"see,omitempty"` // the case, test or page that holds ours
}

// A diffList is the list of differences by id.
type diffList map[string]*difference

// loadDifferences reads the list: an object a line, sorted by id, each complete.
func loadDifferences(name string) (diffList, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := json.NewDecoder(f)
	lines.DisallowUnknownFields()
	list, last := diffList{}, ""
	for {
		d := &difference{}
		err := lines.Decode(d)
		switch {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("%s: entry %d: %w", name, len(list)+1, err)
		case d.ID == "" || d.Theirs == "" || d.Ours == "" || d.Why == "":
			return nil, fmt.Errorf("%s: entry %q: id, theirs, ours and why must all be there", name, d.ID)
		case d.ID <= last:
			return nil, fmt.Errorf("%s: entry %q stands behind %q: sort by id, once each", name, d.ID, last)
		}
		list[d.ID], last = d, d.ID
	}
}

// apply turns failed rows that are in the list into different ones.
func (l diffList) apply(all []outcome) {
	for i := range all {
		if d := l[all[i].ID]; d != nil && all[i].verdict == failed && !all[i].broken() {
			all[i].verdict, all[i].why = different, d.Why
		}
	}
}

// broken reports whether a row failed for another reason than that it is read in
// another way: no entry of the list excuses that.
func (o *outcome) broken() bool {
	return slices.ContainsFunc(o.faults, func(f fault) bool { return f == "panic" || f == "row" || f == faultDialect })
}

// A stale entry of the list has outlived its reason.
type stale struct{ id, why string }

// stale returns the entries of the list whose rows are equal now, and, where
// every row of the folder was read, those that name none.
func (l diffList) stale(all []outcome, everything bool) []stale {
	seen := map[string]bool{} // by id: a row of it is different
	for _, o := range all {
		seen[o.ID] = seen[o.ID] || o.verdict == different
	}
	var old []stale
	for id := range l {
		switch differs, there := seen[id]; {
		case !there && everything:
			old = append(old, stale{id, "there is no such row"})
		case there && !differs:
			old = append(old, stale{id, "it is read as the reference reads it"})
		}
	}
	slices.SortFunc(old, func(a, b stale) int { return cmp.Compare(a.id, b.id) })
	return old
}
