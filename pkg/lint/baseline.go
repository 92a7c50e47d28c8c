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

// A Baseline is a set of known findings, stored as one JSON [BaselineEntry] a line.
type Baseline struct {
	name    string
	entries []baselineLine
	used    map[string]bool // by fingerprint
}

// A baselineLine is an entry with its line number and offset.
type baselineLine struct {
	BaselineEntry
	line, offset int
}

// ReadBaseline parses a baseline. Blank lines are skipped. An error names the invalid line.
func ReadBaseline(name string, src []byte) (*Baseline, error) {
	b := &Baseline{name: name, used: map[string]bool{}}
	number, offset := 0, 0
	for line := range bytes.Lines(src) {
		number++
		if len(bytes.TrimSpace(line)) > 0 {
			e, err := parseEntry(line)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: invalid baseline entry: %w", name, number, err)
			}
			b.entries = append(b.entries, baselineLine{e, number, offset})
			b.used[e.Fingerprint] = false
		}
		offset += len(line)
	}
	return b, nil
}

func parseEntry(line []byte) (BaselineEntry, error) {
	var e BaselineEntry
	if err := json.Unmarshal(line, &e, json.RejectUnknownMembers(true)); err != nil {
		return e, err
	}
	if raw, err := hex.DecodeString(e.Fingerprint); err != nil || len(raw) != 16 {
		return e, errors.New("the fingerprint must be 32 hexadecimal digits")
	}
	return e, nil
}

// Match reports whether the baseline lists a finding, and marks its entry as used.
func (b *Baseline) Match(e BaselineEntry) bool {
	if _, ok := b.used[e.Fingerprint]; !ok {
		return false
	}
	b.used[e.Fingerprint] = true
	return true
}

// Unused reports each entry for which checked is true and that no finding has matched.
func (b *Baseline) Unused(checked func(BaselineEntry) bool) []diag.Finding {
	var out []diag.Finding
	for _, e := range b.entries {
		if b.used[e.Fingerprint] || !checked(e.BaselineEntry) {
			continue
		}
		place := diag.At(e.line, 1)
		place.Start, place.End = e.offset, e.offset
		f := diag.New(diag.UnusedBaseline, place, "no finding matches this entry: %s", e.describe())
		f.File, f.Hint = b.name, "delete the line"
		out = append(out, f)
	}
	return out
}

func (e BaselineEntry) describe() string {
	text := string(e.Code) + " in " + e.File
	if e.Call != "" {
		text += ", call of " + e.Call
	}
	if e.Path != "" {
		text += ", at " + e.Path
	}
	if e.Nth > 0 {
		text += fmt.Sprintf(", occurrence %d", e.Nth)
	}
	return text
}

// FormatBaseline returns the text and size of a baseline with these entries, sorted and without
// duplicates.
func FormatBaseline(entries []BaselineEntry) (text []byte, count int, err error) {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b BaselineEntry) int {
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
