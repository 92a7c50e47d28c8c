package schema

import (
	"cmp"
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// An errorReader turns the errors of the validator, which have no fixed order, into violations.
type errorReader struct {
	value  any // the document
	schema any // nil if unknown

	objectPaths map[keyAtDepth][]string // paths of objects by key; built on demand
	knownKeys   map[string][]string     // properties of subschemas, quoted and sorted, by URL
}

// A keyAtDepth is a key of some object at a depth.
type keyAtDepth struct {
	key   string
	depth int
}

// violations returns the violations in an error of the validator, sorted and without duplicates.
func (r *errorReader) violations(err error) []Violation {
	var e *jsonschema.ValidationError
	if !errors.As(err, &e) {
		return []Violation{{Message: "cannot be checked: " + err.Error()}}
	}
	return sortUnique(r.flattenErrors(e))
}

func sortUnique(vs []Violation) []Violation {
	slices.SortStableFunc(vs, compareViolations)
	return slices.CompactFunc(vs, func(a, b Violation) bool { return compareViolations(a, b) == 0 })
}

// flattenErrors returns the violations in a tree of errors. The depth of documents bounds its depth.
func (r *errorReader) flattenErrors(e *jsonschema.ValidationError) []Violation {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return r.closestAlternative(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return r.closestAlternative(e)
		}
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var out []Violation
		for _, cause := range e.Causes {
			out = append(out, r.flattenErrors(cause)...)
		}
		return out
	}
	return r.leafViolations(e)
}

// closestAlternative returns the violations of a value that fits no alternative of an anyOf or oneOf: those of the
// alternative that was probably meant, or all allowed values, or the violations common to all, or one violation that
// lists the alternatives.
func (r *errorReader) closestAlternative(e *jsonschema.ValidationError) []Violation {
	here := joinPointer(e.InstanceLocation...)
	var want []string // types that other alternatives accept
	var open [][]Violation
	for _, cause := range e.Causes {
		vs := sortUnique(r.flattenErrors(cause))
		if len(vs) == 1 && vs[0].Path == here && vs[0].Keyword == "type" {
			want = append(want, vs[0].allowed...)
			continue
		}
		open = append(open, vs)
	}
	if len(open) == 0 {
		return []Violation{r.wrongTypeViolation(here, valueAt(r.value, e.InstanceLocation), want)}
	}
	open = filterByDiscriminator(here, open)
	if at, values := findDiscriminator(here, open); values != nil && len(open) > 1 {
		return []Violation{r.notAllowedViolation(at, valueAt(r.value, splitPointer(at)), values)}
	}
	open = dropAlternatives(open, func(v Violation) bool { return v.Path == here && v.Key != "" }) // with other keys
	if len(open) == 1 {
		return open[0]
	}
	if common := commonViolations(open); len(common) > 0 {
		return common
	}
	if best := closestByKeys(here, open); best != nil {
		return best
	}
	return []Violation{noAlternativeViolation(here, e.ErrorKind.KeywordPath()[0], open)}
}

// findDiscriminator returns the path of the value, or of one of its members, for which every alternative requires another
// value, and all values allowed there. values is nil if no such path exists.
func findDiscriminator(here string, open [][]Violation) (at string, values []string) {
	wants := make([]map[string][]string, len(open)) // by path
	for i, vs := range open {
		wants[i] = map[string][]string{}
		for _, v := range vs {
			if v.Keyword == "enum" && (len(vs) == 1 || v.Path != here) && (v.Path == here || parentPointer(v.Path) == here) {
				wants[i][v.Path] = v.allowed
			}
		}
	}
	for _, first := range open[0] {
		if !slices.ContainsFunc(wants, func(w map[string][]string) bool { return w[first.Path] == nil }) {
			for _, w := range wants {
				values = append(values, w[first.Path]...)
			}
			return first.Path, values
		}
	}
	return "", nil
}

// commonViolations returns the violations that all alternatives share, whichever was meant.
func commonViolations(open [][]Violation) []Violation {
	type saying struct{ path, keyword, key, message string }
	have := map[saying]int{}
	var out []Violation
	for i, vs := range open {
		for _, v := range vs {
			s := saying{v.Path, v.Keyword, v.Key, v.Message}
			if have[s] == i {
				have[s]++
			}
			if have[s] == len(open) {
				out = append(out, v)
			}
		}
	}
	return out
}

// closestByKeys returns the alternative with the fewest unknown keys or, if several have none, with the fewest
// violations. A tie returns nil.
func closestByKeys(here string, open [][]Violation) []Violation {
	unknown := func(vs []Violation) int {
		n := 0
		for _, v := range vs {
			if v.AtKey && v.Path == here {
				n++
			}
		}
		return n
	}
	rank := func(a, b []Violation) int {
		ua, ub := unknown(a), unknown(b)
		if ua == 0 && ub == 0 {
			return cmp.Compare(len(a), len(b))
		}
		return cmp.Compare(ua, ub)
	}
	sorted := slices.SortedStableFunc(slices.Values(open), rank)
	if rank(sorted[0], sorted[1]) == 0 {
		return nil
	}
	return sorted[0]
}

// filterByDiscriminator drops the alternatives that were not meant: a member with a fixed value, or "not", excludes
// them. If that would drop all it drops none.
func filterByDiscriminator(here string, open [][]Violation) [][]Violation {
	return dropAlternatives(open, func(v Violation) bool {
		member := parentPointer(v.Path) == here && v.Path != here
		return v.Keyword == "enum" && member || v.Keyword == "not" && (member || v.Path == here)
	})
}

// dropAlternatives drops the alternatives with a violation that matches, unless all have one.
func dropAlternatives(open [][]Violation, such func(Violation) bool) [][]Violation {
	meant := slices.DeleteFunc(slices.Clone(open), func(vs []Violation) bool { return slices.ContainsFunc(vs, such) })
	if len(meant) == 0 {
		return open
	}
	return meant
}

// noAlternativeViolation is the violation of a value that could have been meant as several alternatives. It lists the first
// violation of each.
func noAlternativeViolation(here, keyword string, open [][]Violation) Violation {
	const shown = 4
	v := Violation{Path: here, Keyword: keyword, Message: "matches none of the alternatives"}
	for i, vs := range open[:min(len(open), shown)] {
		sep := "; or "
		if i == 0 {
			sep = ": "
		}
		first := vs[0].Message
		if vs[0].Path != here {
			first = vs[0].String()
		}
		v.Message += sep + first
	}
	return v
}
