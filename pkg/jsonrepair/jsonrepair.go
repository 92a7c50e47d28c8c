package jsonrepair

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// MaxDepth is how deep arrays and objects may be nested. It is the same as in
// package literal.
const MaxDepth = 64

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
// readings, and invalid if there is no value.
func JSON(text string) Result {
	strict, deep := isStrict(text)
	if deep {
		return tooDeep(text)
	}
	r := newReader(text)
	r.steps = len(text)
	if strict {
		if !jsontext.Value(text).IsValid() { // a key twice: readers differ in which of its values counts
			r.duplicates++
		}
		return r.result(chat.StatusOK)
	}
	r.documents()
	r.gather()
	if r.deep {
		return tooDeep(text)
	}
	return r.result("")
}

// isStrict reports whether a text is one document of JSON, and whether it is not because it is too deep.
func isStrict(text string) (ok, deep bool) {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	for values := 0; ; {
		if _, err := d.ReadToken(); err != nil {
			return err == io.EOF && values == 1, false
		}
		if d.StackDepth() > MaxDepth {
			return false, true
		}
		if d.StackDepth() == 0 {
			values++
		}
	}
}

func tooDeep(text string) Result {
	f := diag.New(diag.TooDeep, diag.Bytes(0, len(text)), "arrays and objects are nested more than %d deep", MaxDepth)
	return Result{Text: text, Status: chat.StatusInvalid, Findings: []diag.Finding{f}, steps: len(text)}
}

// noReading is the result where the edits do not lead to JSON, which they should.
// Nothing is suggested then.
func noReading(text string) Result {
	f := diag.New(diag.NotJSON, diag.Bytes(0, len(text)), "no reading of it is JSON")
	return Result{source: text, Text: text, Status: chat.StatusInvalid, Findings: []diag.Finding{f}, steps: len(text), broken: true}
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
	if good, _ := isStrict(res.Text); !good {
		return noReading(r.text)
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
