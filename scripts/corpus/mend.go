package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/mend"
)

// checkMend holds what is made of a text that should be JSON against what the
// reference makes of it. Where the reference refuses a text, a value that is
// offered here must not pass for certain, or must not fit the schema: that is for
// package schema to say.
func checkMend(r *row) outcome {
	got := mend.JSON(r.Input, mend.Options{Schema: r.Schema, Salvage: r.Options.SchemaRepair == "salvage"})
	certain := got.Value != nil && (got.Status == chat.StatusOK || got.Status == chat.StatusRepaired) && !slices.ContainsFunc(got.Findings, isError)
	certain = certain && (r.Schema == nil || fits(got.Value, r.Schema))
	o := valueOutcome(r, got.Value, certain)
	o.codes, o.setting, o.state = codesOf(got.Findings), "mended: "+string(got.Status), string(got.Status)
	return o
}

// checkPartial holds what is read of a JSON document that was cut off against
// what the reference reads: the same value, or none.
func checkPartial(r *row) outcome {
	allow := mend.Everything
	if r.Allow != nil {
		allow &= mend.Kinds(*r.Allow) // the bits are the same; those of NaN and Infinity have no counterpart
	}
	got, err := mend.Partial(r.Input, allow)
	o := valueOutcome(r, got, err == nil)
	if o.setting, o.state = "completed", "completed"; err != nil {
		o.facets[0].ours, o.state = []string{"none: " + err.Error()}, "none"
	}
	return o
}

// trimsEnds are the libraries of repairs that drop blanks at the ends of strings
// and keys, one of all, the other of what is cut off. They were written, and are
// kept here; nothing else about the cases changes.
var trimsEnds = map[string]bool{"json_repair": true, "jsonrepair": true}

// valueOutcome holds a value against the expected one. The reference says "" or
// an error where there is none.
func valueOutcome(r *row, got json.RawMessage, certain bool) outcome {
	wanted := r.Value
	if r.JSON != nil {
		wanted = json.RawMessage(*r.JSON)
	}
	f := facet{name: "value", theirs: []string{inOneLine(wanted)}, ours: []string{inOneLine(got)}}
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
	return o.settle()
}

// inOneLine returns a JSON value without white space, and any other text as it is.
func inOneLine(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// checkExtract holds the JSON that stands in a text against what the reference
// cuts out of it: the text from the first bracket to the last. Here every object
// and array is found apart, so it is the first value that counts; and where the
// reference returns the whole text, there must be none.
func checkExtract(r *row) outcome {
	if r.Extracted == nil {
		return fail(r, "row", "nothing is expected")
	}
	places := mend.Extract(r.Input)
	f := facet{name: "value", theirs: []string{quote(*r.Extracted)}}
	for _, place := range places {
		f.ours = append(f.ours, quote(r.Input[place.Start:place.End]))
	}
	o := outcome{row: r, setting: "extracted", facets: []facet{f}, state: "extracted", facts: strings.Join(f.ours, "\n")}
	nothing := *r.Extracted == r.Input
	if nothing != (len(places) == 0) || !nothing && *r.Extracted != r.Input[places[0].Start:places[0].End] {
		o.faults = []fault{f.name}
	}
	return o.settle()
}
