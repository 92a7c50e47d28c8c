// Package schema checks JSON documents against JSON Schema: the answers of
// models, the arguments of calls, and everything else the tool reads or writes.
//
// Each violation is a finding with a JSON pointer and a span,
// worded so that a model or a person can act on it, and the same in every run.
// The package resolves no reference out of a schema and never touches a file or
// the network.
package schema

import (
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"oneshot/pkg/diag"
)

// A Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	raw      []byte
	doc      any // raw, decoded
	compiled *jsonschema.Schema
	negated  *jsonschema.Schema // accepts exactly the documents that compiled rejects
	meter    *stepMeter         // shared by both
	shape    func() *Shape
}

// maxFindings bounds the findings about one document.
const maxFindings = 50

// Raw returns the text of the schema, which must not be changed.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Check reads doc as strict JSON and validates it. Text that is not JSON gives one [diag.NotJSON] finding, otherwise
// there is one finding per violation, by position. After 50 findings a last one counts the rest.
func (s *Schema) Check(doc []byte) []diag.Finding {
	violations, faults := s.Violations(doc)
	return append(faults, reportViolations(diag.SchemaMismatch, doc, violations)...)
}

// Violations is like [Schema.Check] for callers that describe violations themselves. It returns all violations, or the
// findings about invalid JSON.
func (s *Schema) Violations(doc []byte) ([]Violation, []diag.Finding) {
	if fault := CheckStrict(doc); fault != nil {
		return nil, []diag.Finding{*fault}
	}
	value, err := decodeExact(doc)
	if err != nil {
		return nil, []diag.Finding{diag.New(diag.NotJSON, diag.Bytes(0, len(doc)), "%v", err)}
	}
	violations, err := s.validate(value, len(doc))
	if err == nil {
		return violations, nil
	}
	r := errorReader{value: value, schema: s.doc}
	violations = r.violations(err)
	locateViolations(doc, violations)
	return violations, nil
}

// Findings describes violations as [Schema.Check] does, at most 50: a last finding at end counts the rest. place
// returns the span of a violation; a span without a line must be located by the caller.
func Findings(violations []Violation, place func(Violation) diag.Span, end diag.Span) []diag.Finding {
	return newFindings(diag.SchemaMismatch, violations, place, end)
}

func newFindings(code diag.Code, violations []Violation, place func(Violation) diag.Span, end diag.Span) []diag.Finding {
	more := max(0, len(violations)-maxFindings)
	var out []diag.Finding
	for _, v := range violations[:len(violations)-more] {
		f := diag.New(code, place(v), "%s", v.String())
		f.Path, f.Hint = v.Path, v.Hint
		out = append(out, f)
	}
	if more > 0 {
		out = append(out, diag.New(code, end, "document: %d more faults like these are not listed", more))
	}
	return out
}

// reportViolations turns violations in a document into located findings.
func reportViolations(code diag.Code, doc []byte, violations []Violation) []diag.Finding {
	out := newFindings(code, violations, func(v Violation) diag.Span { return v.Span }, diag.Bytes(len(doc), len(doc)))
	diag.NewLines(doc).LocateAll(out)
	return out
}

// locateViolations sets the spans of violations and sorts by them.
func locateViolations(doc []byte, violations []Violation) {
	pointers := make([]string, 0, 2*len(violations))
	for _, v := range violations {
		pointers = append(pointers, v.Path)
		if v.AtKey {
			pointers = append(pointers, v.Path+joinPointer(v.Key))
		}
	}
	spots := Locate(doc, pointers)
	for i, v := range violations {
		violations[i].Span = spots[v.Path].Value
		if v.AtKey {
			violations[i].Span = spots[v.Path+joinPointer(v.Key)].Name
		}
	}
	slices.SortStableFunc(violations, compareViolations)
}
