package schema

import (
	"cmp"
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"oneshot/pkg/diag"
)

// A Violation is one way in which a value does not fit a schema.
type Violation struct {
	// Path is the JSON pointer of the value that does not fit. For a missing
	// and for an unknown key it is that of the object.
	Path    string
	Keyword string // the keyword of the schema that is broken, such as "type"
	Key     string // the key that is missing ("required") or unknown ("additionalProperties")
	Message string // what is wrong, without the path
	Hint    string // what was probably meant, or ""
	Span    diag.Span

	// What the value may be, for "type" and "enum": alternatives are merged.
	want []string
}

// String returns the path and the message, for example
// `/items/2/price: must be a number, is the string "12"`.
func (v Violation) String() string {
	if v.Path == "" {
		return "document: " + v.Message
	}
	return v.Path + ": " + v.Message
}

func (v Violation) unknownKey() bool { return v.Keyword == "additionalProperties" && v.Key != "" }

func compare(a, b Violation) int {
	return cmp.Or(
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Keyword, b.Keyword),
		cmp.Compare(a.Key, b.Key),
		cmp.Compare(a.Message, b.Message),
	)
}

// A reader turns the errors of the validator, which come in any order, into
// violations.
type reader struct {
	value  any // the document
	schema any // nil if it is not known

	keys  map[keyAt][]string  // paths of the objects that have a key; made when needed
	known map[string][]string // keys that subschemas know, quoted and sorted, by URL
}

// A keyAt is a key in some object at a depth.
type keyAt struct {
	key   string
	depth int
}

// read returns the violations in an error of the validator, sorted by path,
// each once.
func (r *reader) read(err error) []Violation {
	var e *jsonschema.ValidationError
	if !errors.As(err, &e) {
		return []Violation{{Message: "cannot be checked: " + err.Error()}}
	}
	return ordered(r.flatten(e))
}

// ordered sorts violations and drops the ones that say the same.
func ordered(vs []Violation) []Violation {
	slices.SortStableFunc(vs, compare)
	return slices.CompactFunc(vs, func(a, b Violation) bool { return compare(a, b) == 0 })
}

// flatten returns the violations in a tree of errors, whose depth the depth of
// documents bounds.
func (r *reader) flatten(e *jsonschema.ValidationError) []Violation {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return r.nearest(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return r.nearest(e)
		}
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var out []Violation
		for _, cause := range e.Causes {
			out = append(out, r.flatten(cause)...)
		}
		return out
	}
	return r.leaf(e)
}

// nearest returns the violations of a value that fits no alternative of an
// anyOf or oneOf: those of the one alternative that was probably meant, or
// everything the value may be, or one violation that names the alternatives.
func (r *reader) nearest(e *jsonschema.ValidationError) []Violation {
	here := pointer(e.InstanceLocation...)
	var want []string // kinds of values that other alternatives take
	var open [][]Violation
	for _, cause := range e.Causes {
		vs := ordered(r.flatten(cause))
		if len(vs) == 1 && vs[0].Path == here && vs[0].Keyword == "type" {
			want = append(want, vs[0].want...)
			continue
		}
		open = append(open, vs)
	}
	open = discriminate(here, open)
	switch {
	case len(open) == 0:
		return []Violation{r.wrongType(here, lookup(r.value, e.InstanceLocation), want)}
	case len(open) == 1:
		return open[0]
	case slices.ContainsFunc(open, func(vs []Violation) bool { return !isEnum(here, vs) }):
		return []Violation{noneFits(here, e.ErrorKind.KeywordPath()[0], open)}
	}
	values := []string{}
	for _, vs := range open {
		values = append(values, vs[0].want...)
	}
	return []Violation{r.notAllowed(here, lookup(r.value, e.InstanceLocation), values)}
}

// isEnum reports whether the only violation is that the value here is not one
// of a few allowed ones.
func isEnum(here string, vs []Violation) bool {
	return len(vs) == 1 && vs[0].Path == here && vs[0].Keyword == "enum"
}

// discriminate drops the alternatives that were not meant: those whose
// discriminator, a member with a fixed value, says so, and then those with other
// keys. Where that would leave none it drops none.
func discriminate(here string, open [][]Violation) [][]Violation {
	open = without(open, func(v Violation) bool {
		return v.Keyword == "enum" && parent(v.Path) == here && v.Path != here
	})
	return without(open, func(v Violation) bool { return v.Path == here && v.Key != "" })
}

// without drops the alternatives that have such a violation, unless all have.
func without(open [][]Violation, such func(Violation) bool) [][]Violation {
	meant := slices.DeleteFunc(slices.Clone(open), func(vs []Violation) bool { return slices.ContainsFunc(vs, such) })
	if len(meant) == 0 {
		return open
	}
	return meant
}

// noneFits is the violation of a value that could have been meant as several
// alternatives: it names the first fault of each.
func noneFits(here, keyword string, open [][]Violation) Violation {
	const shown = 4
	v := Violation{Path: here, Keyword: keyword, Message: "fits none of the allowed forms"}
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
