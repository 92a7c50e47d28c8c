package schema

import (
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds on the work of a schema for one value before it descends into the
// value.
const (
	maxInPlace = 1 << 14 // subschemas, counted per application
	maxChain   = 256     // subschemas that refer to the next one
)

// A measurement holds the number of subschemas that a subschema applies to one
// value, including itself, and the length of the longest chain of references
// among them.
type measurement struct {
	count, chain int
	open         bool // measurement in progress
}

// A measurer finds subschemas that apply too many subschemas, or themselves, to
// one value.
type measurer struct {
	extents    map[*jsonschema.Schema]*measurement
	violations []Violation
}

// measure measures a subschema at the end of a chain of that length. It reports only the first violation.
func (m *measurer) measure(s *jsonschema.Schema, chain int) measurement {
	if e := m.extents[s]; e != nil {
		if e.open {
			m.report(s, "refers to itself without descending into the value: the check would never end")
		}
		return *e
	}
	e := &measurement{count: 1, chain: 1, open: true}
	m.extents[s] = e
	for _, sub := range inPlaceSchemas(s) {
		if len(m.violations) > 0 || chain > maxChain {
			break
		}
		inner := m.measure(sub, chain+1)
		e.count, e.chain = min(e.count+inner.count, maxInPlace+1), max(e.chain, inner.chain+1)
	}
	e.open = false
	switch {
	case e.chain > maxChain || chain > maxChain:
		m.report(s, "chains more than "+countNoun(maxChain, "reference")+" for one value")
	case e.count > maxInPlace:
		m.report(s, "applies more than "+countNoun(maxInPlace, "subschema")+" to one value: its alternatives and references multiply")
	}
	return *e
}

func (m *measurer) report(s *jsonschema.Schema, message string) {
	if len(m.violations) > 0 {
		return
	}
	_, at, _ := strings.Cut(s.Location, "#")
	if plain, err := url.PathUnescape(at); err == nil {
		at = plain
	}
	m.violations = append(m.violations, Violation{Path: at, Keyword: "schema", Message: message})
}

// reachableSchemas returns all subschemas reachable from some, each once.
func reachableSchemas(from []*jsonschema.Schema) []*jsonschema.Schema {
	seen := map[*jsonschema.Schema]bool{}
	var out []*jsonschema.Schema
	for open := slices.Clone(from); len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		out = append(out, s)
		open = append(open, directSubschemas(s)...)
	}
	return out
}

// dynamicTargets returns the subschemas that a dynamic reference can resolve to. Nothing else may refer to them.
func dynamicTargets(c *jsonschema.Compiler, doc any) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	explainMembers(doc, func(path []string, _ any) string {
		if last := len(path) - 1; path[last] == "$dynamicAnchor" {
			if s, err := c.Compile(schemaURL(joinPointer(path[:last]...))); err == nil {
				out = append(out, s)
			} // otherwise a value or a property of that name
		}
		return ""
	})
	return out
}

// schemaURL returns the URL of the subschema at a JSON pointer.
func schemaURL(at string) string { return baseURL + "#" + (&url.URL{Fragment: at}).EscapedFragment() }

// installCostMeter bounds the cost of checks with a compiled schema, or returns why
// it cannot.
func (s *Schema) installCostMeter(c *jsonschema.Compiler, p *patternCompiler) []Violation {
	all := reachableSchemas(append(dynamicTargets(c, s.doc), s.compiled))
	m := measurer{extents: map[*jsonschema.Schema]*measurement{}}
	i := pricer{sizes: p.sizes}
	for _, sub := range all {
		m.measure(sub, 1)
		i.unevaluated = i.unevaluated || sub.UnevaluatedItems != nil || sub.UnevaluatedProperties != nil
	}
	if len(m.violations) > 0 {
		return m.violations
	}
	for _, sub := range all {
		if sub.Bool == nil {
			s.meter.install(sub, i.priceOf(sub))
		}
	}
	return nil
}

// A pricer computes the cost of subschemas.
type pricer struct {
	sizes       map[string]int // instructions by pattern
	unevaluated bool           // the schema uses unevaluatedItems or unevaluatedProperties
}
