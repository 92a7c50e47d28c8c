package main

import (
	"bytes"
	"encoding/json"

	"oneshot/pkg/chat"
	"oneshot/pkg/jsonrepair"
)

// checkRepair compares the repaired value of a text with the one of the reference.
// Where the reference refuses a text, the repair must not be certain.
func checkRepair(r *row) outcome {
	got := jsonrepair.JSON(r.Input)
	certain := got.Status == chat.StatusOK || got.Status == chat.StatusRepaired
	o := compareValue(r, got.Value, certain)
	o.setting, o.state = "repaired: "+string(got.Status), string(got.Status)
	return o
}

// trimsEnds are the repair libraries that drop blanks at the ends of strings
// and keys, one of all, the other of truncated ones. The model wrote them, and they are
// kept here; otherwise the values must be equal.
var trimsEnds = map[string]bool{"json_repair": true, "jsonrepair": true}

// compareValue compares a value with the expected one. If there is none, the reference
// has "" or an error.
func compareValue(r *row, got json.RawMessage, certain bool) outcome {
	wanted := r.Value
	if r.JSON != nil {
		wanted = json.RawMessage(*r.JSON)
	}
	f := comparedPart{name: "value", theirs: []string{compactJSON(wanted)}, ours: []string{compactJSON(got)}}
	o := outcome{row: r, facts: f.ours[0]}
	switch {
	case r.Error != nil:
		f.theirs = []string{"none: " + textOf(r.Error)}
		if certain {
			o.faults = []mismatch{f.name}
		}
	case len(wanted) == 0 && (got == nil || string(got) == `""`): // the reference has an empty text for both
	case isSameJSON(got, wanted):
	case trimsEnds[r.source] && isSameWhenTrimmed(got, wanted):
		o.ends = true
	default:
		o.faults = []mismatch{f.name}
	}
	o.facets = []comparedPart{f}
	return o.withVerdict()
}

// compactJSON returns a JSON value without white space, and any other text as it is.
func compactJSON(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
