package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// A difference is a row that oneshot reads in another way than the reference, on
// purpose. Texts of rows are not copied: Reads says in which facets the reading
// differs, how what was read stands, and, in a digest, exactly what it is. A
// reading that is not the one that was excused fails.
type difference struct {
	ID     string `json:"id"`
	Theirs string `json:"theirs"` // what the reference reads, in words
	Ours   string `json:"ours"`
	Reads  string `json:"reads"`
	Why    string `json:"why"`           // the same words for all rows of one reason
	See    string `json:"see,omitempty"` // the case, test or page that holds ours
}

// readingSummary returns what a row was read as, to be held against the list.
func (o *outcome) readingSummary() string {
	facets := make([]string, len(o.faults))
	for i, f := range o.faults {
		facets[i] = string(f)
	}
	digest := sha256.Sum256([]byte(o.facts))
	return fmt.Sprintf("%s | %s | %x", strings.Join(facets, ", "), o.state, digest[:6])
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
		case d.ID == "" || d.Theirs == "" || d.Ours == "" || d.Reads == "" || d.Why == "":
			return nil, fmt.Errorf("%s: entry %q: id, theirs, ours, reads and why must all be there", name, d.ID)
		case d.ID <= last:
			return nil, fmt.Errorf("%s: entry %q after %q: sort by id, once each", name, d.ID, last)
		}
		list[d.ID], last = d, d.ID
	}
}

// apply turns failed rows that are in the list, and read as it says, into different
// ones.
func (l diffList) apply(all []outcome) {
	for i := range all {
		o := &all[i]
		d := l[o.ID]
		switch {
		case d == nil || o.verdict != failed || o.isBroken():
		case d.Reads == o.readingSummary():
			o.verdict, o.why = different, d.Why
		default:
			o.why = "The list of differences excuses another reading: " + d.Reads + ", and not " + o.readingSummary() + "."
		}
	}
}

// update writes the list again, each entry with what its row is read as now. What
// that is must be looked at before it is kept.
func (l diffList) update(name string, all []outcome) error {
	for i := range all {
		if d := l[all[i].ID]; d != nil && len(all[i].faults) > 0 && !all[i].isBroken() {
			d.Reads = all[i].readingSummary()
		}
	}
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, id := range slices.Sorted(maps.Keys(l)) {
		if err := lines.Encode(l[id]); err != nil {
			return err
		}
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}

// isBroken reports whether a row failed for another reason than that it is read in
// another way: no entry of the list excuses that.
func (o *outcome) isBroken() bool {
	return slices.ContainsFunc(o.faults, func(f fault) bool { return f == "panic" || f == "deadline" || f == "row" || f == faultDialect })
}

// A stale entry of the list has outlived its reason.
type stale struct{ id, why string }

// staleEntries returns the entries of the list whose rows are equal now or read in a
// third way, and, where every row of the folder was read, those that name none.
func (l diffList) staleEntries(all []outcome, everything bool) []stale {
	seen := map[string]verdict{}
	for _, o := range all {
		seen[o.ID] = o.verdict
	}
	var old []stale
	for id := range l {
		switch v, there := seen[id]; {
		case !there && everything:
			old = append(old, stale{id, "there is no such row"})
		case there && v == failed:
			old = append(old, stale{id, "it is not read as the list says"})
		case there && v != different:
			old = append(old, stale{id, "it is read as the reference reads it"})
		}
	}
	slices.SortFunc(old, func(a, b stale) int { return cmp.Compare(a.id, b.id) })
	return old
}
