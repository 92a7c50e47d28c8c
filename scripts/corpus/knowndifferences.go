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

// A difference is a row that oneshot intentionally reads differently than the
// reference. It does not copy the text of the row: Reads names the parts that
// differ, the state of the reading, and a digest of all of it. Any other
// reading fails.
type difference struct {
	ID     string `json:"id"`
	Theirs string `json:"theirs"` // the reading of the reference, in words
	Ours   string `json:"ours"`
	Reads  string `json:"reads"`
	Why    string `json:"why"`           // the same text for all rows with one reason
	See    string `json:"see,omitempty"` // the case, test or page that supports our reading
}

// readingFingerprint returns the reading of a row as the list records it.
func (o *outcome) readingFingerprint() string {
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

// markKnown turns failed rows that the list records with the same reading into
// different ones.
func (l diffList) markKnown(all []outcome) {
	for i := range all {
		o := &all[i]
		d := l[o.ID]
		switch {
		case d == nil || o.verdict != failed || o.isInexcusable():
		case d.Reads == o.readingFingerprint():
			o.verdict, o.why = different, d.Why
		default:
			o.why = "The list of differences excuses another reading: " + d.Reads + ", and not " + o.readingFingerprint() + "."
		}
	}
}

// save writes the list, with the current reading of each row. Review it before
// committing.
func (l diffList) save(name string, all []outcome) error {
	for i := range all {
		if d := l[all[i].ID]; d != nil && len(all[i].faults) > 0 && !all[i].isInexcusable() {
			d.Reads = all[i].readingFingerprint()
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

// isInexcusable reports whether a row failed in a way that the list cannot
// excuse, such as a panic.
func (o *outcome) isInexcusable() bool {
	return slices.ContainsFunc(o.faults, func(f mismatch) bool { return f == "panic" || f == "deadline" || f == "row" || f == faultDialect })
}

// A stale entry is an entry of the list that no longer applies.
type stale struct{ id, why string }

// staleEntries returns the entries of the list whose rows are equal now or have
// a third reading and, if every row of the folder was read, those without a
// row.
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
