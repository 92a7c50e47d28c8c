package schema

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A step is the visit of one value with one subschema, or other work of that size. The validator has no bound of
// its own: in a schema of a few lines, alternatives that refer to alternatives double the steps at each level. A
// document that fits takes a few steps for each of its values. To explain why a document does not fit takes
// memory for each step, in proportion to the depth of the value.
const (
	baseSteps    = 1 << 18
	stepsPerByte = 16 // of the document

	baseExplained    = 1 << 16
	explainedPerByte = 4
	maxExplained     = 1 << 20
)

// errTooManySteps ends a check that exceeds its budget.
var errTooManySteps = errors.New("too many steps")

// overBudgetViolation is the violation of a document whose check exceeds its budget.
func overBudgetViolation() Violation {
	return Violation{
		Keyword: "schema", Message: "cannot be checked: the alternatives and references of the schema multiply too often",
		Hint: `name each alternative once, and tell them apart by a "const" of their own`,
	}
}

// tooManyViolations is the violation of a document with too many violations to tell apart.
func tooManyViolations() Violation {
	return Violation{Keyword: "schema", Message: "does not match the schema, with too many violations to list"}
}

// A stepMeter counts the steps of one check at a time: a subschema reports a visit without knowing its check.
type stepMeter struct {
	mu   sync.Mutex
	left int
}

// validate validates a decoded document and reports whether the steps were enough.
func (m *stepMeter) validate(s *jsonschema.Schema, value any, steps int) (within bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = steps
	err = s.Validate(value)
	return m.left >= 0, err
}

// validate validates a decoded document of that many bytes. With a nil error the violations are complete.
func (s *Schema) validate(value any, size int) ([]Violation, error) {
	within, misfit := s.meter.validate(s.negated, value, baseSteps+stepsPerByte*size)
	switch {
	case !within:
		return []Violation{overBudgetViolation()}, nil
	case misfit != nil: // the negation fails: the document is valid
		return nil, nil
	}
	steps := min(baseExplained+explainedPerByte*size, maxExplained) / (1 + depth(value)/8)
	within, err := s.meter.validate(s.compiled, value, steps)
	if !within {
		return []Violation{tooManyViolations()}, nil
	}
	return nil, err
}

// depth returns the nesting depth of a decoded document, which is bounded.
func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			deepest = max(deepest, 1+depth(item))
		}
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, 1+depth(item))
		}
	}
	return deepest
}

// A price is the cost of a visit of a subschema in steps. The parent pays for leaves, because a value of the wrong
// type is rejected before the meter runs.
type price struct {
	fixed   int // per visit
	each    int // per member or item of the value
	pattern int // instructions per character
	names   int // instructions per character of each key
}

// Work of other kinds, in units that take about as long as a step.
const (
	comparisonsPerStep  = 32
	instructionsPerStep = 64 // matched against one character
	bytesPerStep        = 256
	membersPerStep      = 4 // of an object, each of which is looked up in the subschema
	digitsPerStep       = 32
	dynamicSteps        = 32 // for the scopes that a dynamic reference is looked up in
)

// costOf returns the cost of a visit of a value.
func (p price) costOf(value any) int {
	switch v := value.(type) {
	case string:
		return p.fixed + len(v)/bytesPerStep + len(v)*p.pattern/instructionsPerStep
	case json.Number:
		return p.fixed + len(v)/digitsPerStep
	case []any:
		return p.fixed + len(v)*p.each
	case map[string]any:
		n := p.fixed + len(v)*p.each + len(v)/membersPerStep
		for key := range v {
			if p.names == 0 {
				break
			}
			n += len(key) * p.names / instructionsPerStep
		}
		return n
	}
	return p.fixed
}

// install makes a subschema report its visits. The validator checks the format first for a value of the right type.
func (m *stepMeter) install(s *jsonschema.Schema, p price) {
	format := jsonschema.Format{}
	if s.Format != nil {
		format = *s.Format
	}
	validate := format.Validate
	format.Validate = func(v any) error {
		if m.left -= p.costOf(v); m.left < 0 {
			return errTooManySteps
		}
		if validate == nil {
			return nil
		}
		return validate(v)
	}
	s.Format = &format
	if s.UniqueItems {
		s.UniqueItems, s.Extensions = false, append(s.Extensions, uniqueItems{})
	}
}

// priceOf returns the price of a subschema.
func (i *pricer) priceOf(s *jsonschema.Schema) price {
	out := price{fixed: 1 + (len(s.Required)+len(s.DependentRequired)+len(s.Dependencies)+len(s.DependentSchemas))/4}
	inside, below := inPlaceSchemas(s), schemasForAnyChild(s)
	for _, sub := range inside {
		out.fixed += enumAndConstSteps(sub)
	}
	for _, sub := range s.Properties {
		out.fixed += enumAndConstSteps(sub)
	}
	for _, sub := range s.PrefixItems {
		out.fixed += enumAndConstSteps(sub)
	}
	for _, sub := range below {
		out.each += enumAndConstSteps(sub)
	}
	if s.UniqueItems {
		out.each++
	}
	if i.unevaluated { // each notes the members it evaluates
		out.each += len(inside)
	}
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		out.fixed += dynamicSteps
	}
	if s.Pattern != nil {
		out.pattern = i.sizes[s.Pattern.String()]
	}
	for re := range s.PatternProperties {
		out.each++
		out.names += i.sizes[re.String()]
	}
	return out
}

// enumAndConstSteps returns the cost of comparing a value with enum and const, beyond the visit.
func enumAndConstSteps(s *jsonschema.Schema) int {
	n := 0
	if s.Enum != nil {
		n = comparisonCost(s.Enum.Values)
	}
	if s.Const != nil {
		n += comparisonCost([]any{*s.Const})
	}
	return n / comparisonsPerStep
}

// comparisonCost returns the cost of comparing with values, in text comparisons. The depth of the schema bounds the
// recursion.
func comparisonCost(values []any) int {
	const number = 16 // compared exactly
	n := 0
	for _, v := range values {
		switch v := v.(type) {
		case json.Number:
			n += number
		case []any:
			n += number + comparisonCost(v)
		case map[string]any:
			n += number + comparisonCost(slices.Collect(maps.Values(v)))
		default:
			n++
		}
	}
	return n
}

// inPlaceSchemas returns the subschemas that apply to the value itself, except those that depend on the path to it.
func inPlaceSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else})
	for _, sub := range s.DependentSchemas {
		out = append(out, sub)
	}
	for _, sub := range s.Dependencies {
		if sub, ok := sub.(*jsonschema.Schema); ok {
			out = append(out, sub)
		}
	}
	return dropNil(out)
}

// schemasForAnyChild returns the subschemas that can apply to any member or item.
func schemasForAnyChild(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems}
	for _, any := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		if sub, ok := any.(*jsonschema.Schema); ok {
			out = append(out, sub)
		}
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	return dropNil(out)
}

// directSubschemas returns all direct subschemas.
func directSubschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat(inPlaceSchemas(s), schemasForAnyChild(s), s.PrefixItems, []*jsonschema.Schema{s.RecursiveRef, s.ContentSchema})
	if items, ok := s.Items.([]*jsonschema.Schema); ok {
		out = append(out, items...)
	}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	for _, sub := range s.Properties {
		out = append(out, sub)
	}
	return dropNil(out)
}

func dropNil(all []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(all, func(s *jsonschema.Schema) bool { return s == nil })
}
