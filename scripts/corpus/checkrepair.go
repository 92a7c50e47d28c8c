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

// trimsEnds are the libraries of repairs that drop blanks at the ends of strings
// and keys, one of all, the other of what is cut off. They were written, and are
// kept here; nothing else about the cases changes.
var trimsEnds = map[string]bool{"json_repair": true, "jsonrepair": true}

// compareValue holds a value against the expected one. The reference says "" or
// an error where there is none.
func compareValue(r *row, got json.RawMessage, certain bool) outcome {
	wanted := r.Value
	if r.JSON != nil {
		wanted = json.RawMessage(*r.JSON)
	}
	f := facet{name: "value", theirs: []string{compactJSON(wanted)}, ours: []string{compactJSON(got)}}
	o := outcome{row: r, facts: f.ours[0]}
	switch {
	case r.Error != nil:
		f.theirs = []string{"none: " + textOf(r.Error)}
		if certain {
			o.faults = []fault{f.name}
		}
	case len(wanted) == 0 && (got == nil || string(got) == `""`): // the reference says both with an empty text
	case sameJSON(got, wanted):
	case trimsEnds[r.source] && sameButEnds(got, wanted):
		o.ends = true
	default:
		o.faults = []fault{f.name}
	}
	o.facets = []facet{f}
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
