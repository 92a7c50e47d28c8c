package lint

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
)

// A Baseline is a set of findings that are known: one [Entry] a line, in JSON.
type Baseline struct {
	name    string
	entries []placed
	used    map[string]bool // by fingerprint
}

// A placed is an entry and where its line stands.
type placed struct {
	Entry
	line, offset int
}

// ReadBaseline reads a baseline of that name. Blank lines are skipped. The error
// names the line that is no entry.
func ReadBaseline(name string, src []byte) (*Baseline, error) {
	b := &Baseline{name: name, used: map[string]bool{}}
	number, offset := 0, 0
	for line := range bytes.Lines(src) {
		number++
		if len(bytes.TrimSpace(line)) > 0 {
			e, err := parseEntry(line)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: not an entry of a baseline: %w", name, number, err)
			}
			b.entries = append(b.entries, placed{e, number, offset})
			b.used[e.Fingerprint] = false
		}
		offset += len(line)
	}
	return b, nil
}

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e, json.RejectUnknownMembers(true)); err != nil {
		return e, err
	}
	if raw, err := hex.DecodeString(e.Fingerprint); err != nil || len(raw) != 16 {
		return e, errors.New("the fingerprint is not 32 hexadecimal digits")
	}
	return e, nil
}

// Knows reports whether a finding is recorded. Its entry counts as used from
// then on.
func (b *Baseline) Knows(e Entry) bool {
	if _, ok := b.used[e.Fingerprint]; !ok {
		return false
	}
	b.used[e.Fingerprint] = true
	return true
}

// Unused reports each entry that no finding has matched, among those for which
// looked holds.
func (b *Baseline) Unused(looked func(Entry) bool) []diag.Finding {
	var out []diag.Finding
	for _, e := range b.entries {
		if b.used[e.Fingerprint] || !looked(e.Entry) {
			continue
		}
		place := diag.At(e.line, 1)
		place.Start, place.End = e.offset, e.offset
		f := diag.New(diag.UnusedBaseline, place, "there is no such finding any more: %s", e.title())
		f.File, f.Hint = b.name, "delete the line"
		out = append(out, f)
	}
	return out
}

// title names the finding of an entry for people.
func (e Entry) title() string {
	text := string(e.Code) + " in " + e.File
	if e.Call != "" {
		text += ", call of " + e.Call
	}
	if e.Path != "" {
		text += ", at " + e.Path
	}
	if e.Nth > 0 {
		text += fmt.Sprintf(", number %d of equal ones", e.Nth)
	}
	return text
}

// FormatBaseline returns the text of a baseline with these entries, each once,
// in an order that does not depend on theirs, and how many there are.
func FormatBaseline(entries []Entry) (text []byte, count int, err error) {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Call, b.Call),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Nth, b.Nth), cmp.Compare(a.Fingerprint, b.Fingerprint),
		)
	})
	sorted = slices.Compact(sorted)
	for _, e := range sorted {
		line, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return nil, 0, err
		}
		text = append(append(text, line...), '\n')
	}
	return text, len(sorted), nil
}
