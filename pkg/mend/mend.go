package mend

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// MaxDepth is how deep arrays and objects may be nested. It is the same as in
// package literal.
const MaxDepth = 64

// Options say what is known about a value.
type Options struct {
	// Schema, if set, is the JSON Schema of the value. It decides what a value
	// is that could be several things, and what stands for one that is missing.
	Schema json.RawMessage
	// Salvage also lets the schema drop items that do not fit, and rearrange
	// what has another shape.
	Salvage bool
}

// A Result is an opinion about a text.
type Result struct {
	Value    json.RawMessage // strictly valid JSON; nil when there is none
	Text     string          // the text with the edits applied, white space kept
	Edits    []diag.Edit     // all edits, sorted and apart: see [Apply]
	Findings []diag.Finding  // what is wrong, each with its own edits as a fix
	Status   chat.Status     // ok, repaired, ambiguous, truncated or invalid
	Changed  bool            // an edit may have changed the meaning

	source string // the text that was read
	steps  int    // bytes looked at; tests count them
	broken bool   // the edits do not lead to JSON; tests hold that it does not happen
}

// JSON returns the best reading of a text that should be one JSON document.
// Strict JSON is returned byte for byte. The status is repaired if every edit is
// safe, truncated if the text ends too early, ambiguous if there are other
// readings, and invalid if there is no value, or none that fits the schema.
func JSON(text string, o Options) Result {
	guide, err := newGuide(o.Schema)
	if err != nil {
		f := diag.New(diag.BadSchema, diag.Span{}, "%s", err)
		return Result{Text: text, Status: chat.StatusInvalid, Findings: []diag.Finding{f}}
	}
	r := readText(text, guide, o.Salvage)
	if r.Value != nil && guide != nil {
		r = guide.fit(r, o.Salvage)
	}
	return r
}

// readText reads a text without fitting its value to a schema.
func readText(text string, guide *guide, salvage bool) Result {
	strict, deep, steps := isStrict(text)
	if deep {
		return tooDeep(text, steps)
	}
	r := newReader(text)
	r.steps = steps
	if strict {
		r.noteDuplicates(text)
		return r.result(chat.StatusOK)
	}
	r.guide, r.salvage = guide, salvage
	r.documents()
	r.gather()
	if r.deep {
		return tooDeep(text, r.steps)
	}
	return r.result("")
}

func tooDeep(text string, steps int) Result {
	f := diag.New(diag.TooDeep, diag.Bytes(0, len(text)), "arrays and objects are nested more than %d deep", MaxDepth)
	return Result{Text: text, Status: chat.StatusInvalid, Findings: []diag.Finding{f}, steps: steps}
}

// noReading is the result where the edits do not lead to JSON, which they should.
// Nothing is suggested then.
func noReading(text string, steps int) Result {
	f := diag.New(diag.NotJSON, diag.Bytes(0, len(text)), "no reading of it is JSON")
	return Result{source: text, Text: text, Status: chat.StatusInvalid, Findings: []diag.Finding{f}, steps: steps, broken: true}
}

// result is what was read.
func (r *reader) result(status chat.Status) Result {
	res := Result{source: r.text, Text: r.text, Findings: r.findings(), steps: r.steps}
	if len(r.docs) == 0 && status == "" {
		res.Status = chat.StatusInvalid
		if len(res.Findings) == 0 {
			res.Findings = append(res.Findings, diag.New(diag.NotJSON, diag.Bytes(0, len(r.text)), "there is no value"))
		}
		for i := range res.Findings {
			res.Findings[i].Fixes = nil
		}
		return res
	}
	res.Edits = r.edits()
	res.Text = Apply(r.text, res.Edits)
	if good, _, steps := isStrict(res.Text); !good {
		return noReading(r.text, steps)
	}
	res.Value = json.RawMessage(res.Text)
	res.Changed = r.unsafe()
	res.Status = r.status(status)
	return res
}

func (r *reader) status(status chat.Status) chat.Status {
	switch {
	case r.cut:
		return chat.StatusTruncated
	case r.unsafe() || r.duplicates > 0:
		return chat.StatusAmbiguous
	case status == "":
		return chat.StatusRepaired
	}
	return status
}

// excerpt shortens what is quoted in a message.
func excerpt(text string) string {
	const most = 40
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
