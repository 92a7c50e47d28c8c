package jsonrepair

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// MaxDepth is how deep arrays and objects may be nested. It is the same as in
// package literal.
const MaxDepth = 64

// A Result is a suggested reading of a text.
type Result struct {
	Value   json.RawMessage // the text with the edits applied: one JSON document; nil if there is none
	Edits   []diag.Edit     // sorted and without overlaps; see [diag.Apply]
	Status  chat.Status     // ok, repaired, ambiguous, truncated or invalid
	Changed bool            // an edit may have changed the meaning
}

// JSON returns the best reading of a text that should be one JSON document.
// Strict JSON is returned byte for byte. The status is repaired if every edit is
// safe, truncated if the text ends too early, ambiguous if there are other
// readings, and invalid if there is no value.
func JSON(text string) Result {
	if isStrict(text) {
		return newResult(text, nil, chat.StatusOK, false)
	}
	r := newReader(text)
	if !r.readDocument() {
		return Result{Status: chat.StatusInvalid}
	}
	edits := r.sorted()
	value, _, err := diag.Apply(text, []diag.Fix{{Edits: edits}})
	switch {
	case err != nil || !isStrict(value): // it holds half of a surrogate pair, which has no meaning
		return Result{Status: chat.StatusInvalid}
	case r.cut:
		return newResult(value, edits, chat.StatusTruncated, true)
	}
	return newResult(value, edits, chat.StatusRepaired, r.unsafe)
}

// newResult returns the result for a strict value. A value with a duplicate key is
// ambiguous, because readers differ in which member counts.
func newResult(value string, edits []diag.Edit, status chat.Status, changed bool) Result {
	if status != chat.StatusTruncated && (changed || !jsontext.Value(value).IsValid()) {
		status = chat.StatusAmbiguous
	}
	return Result{Value: json.RawMessage(value), Edits: edits, Status: status, Changed: changed}
}

// isStrict reports whether a text is one JSON document that is not too deep.
func isStrict(text string) bool {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	for values := 0; ; {
		if _, err := d.ReadToken(); err != nil {
			return err == io.EOF && values == 1
		}
		switch d.StackDepth() {
		case 0:
			values++
		case MaxDepth + 1:
			return false
		}
	}
}

// edits collects the edits of a text.
type edits struct {
	list   []diag.Edit
	unsafe bool // one of them may change the meaning
}

// edit replaces bytes by others. A safe edit cannot change the meaning.
func (e *edits) edit(start, end int, text string, safe bool) {
	if start == end && text == "" {
		return
	}
	e.list = append(e.list, diag.Edit{Start: start, End: end, New: text})
	e.unsafe = e.unsafe || !safe
}

// insert inserts missing text.
func (e *edits) insert(at int, text string) { e.edit(at, at, text, false) }

// sorted returns the edits in the order of the text. Insertions at the same offset
// keep the order in which they were made; neighbouring deletions become one.
func (e *edits) sorted() []diag.Edit {
	slices.SortStableFunc(e.list, func(a, b diag.Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	all := e.list[:0]
	for _, x := range e.list {
		if n := len(all) - 1; n >= 0 && x.New == "" && all[n].New == "" && all[n].End == x.Start {
			all[n].End = x.End
			continue
		}
		all = append(all, x)
	}
	return all
}
