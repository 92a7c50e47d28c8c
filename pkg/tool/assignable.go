package tool

import (
	"bytes"
	"encoding/json"
	"slices"

	"oneshot/pkg/schema"
)

// isAssignableFrom reports whether every value of type u is also of type t. u may be narrower: integer for number, or
// an object with known keys.
func (t *Type) isAssignableFrom(u *Type) bool {
	switch {
	case t.Kind == Any:
		return true
	case t.Kind == Union || u.Kind == Union || u.Kind == Literal && len(u.Values) > 1:
		return !slices.ContainsFunc(splitLiterals(u), func(part *Type) bool { return !t.hasAssignableOption(part) })
	case u.Kind == Literal:
		return t.isLiteralAssignable(u.Values[0])
	case t.Kind != u.Kind:
		return t.Kind == Number && u.Kind == Integer || t.Kind == Object && (u.Kind == Struct || u.Kind == Record)
	}
	switch t.Kind {
	case Array, Record:
		return t.Items.isAssignableFrom(u.Items)
	case Struct:
		return hasAssignableFields(t.Fields, u.Fields)
	}
	return true
}

// hasAssignableOption reports whether t, or one option of the union t, accepts u.
func (t *Type) hasAssignableOption(u *Type) bool {
	return slices.ContainsFunc(flattenUnions([]*Type{t}), func(o *Type) bool { return o.isAssignableFrom(u) })
}

// splitLiterals returns the options of a union, with each literal as a type of its own.
func splitLiterals(t *Type) []*Type {
	var out []*Type
	for _, o := range flattenUnions([]*Type{t}) {
		if o.Kind != Literal {
			out = append(out, o)
		}
		for _, v := range o.Values {
			out = append(out, literalOf(v))
		}
	}
	return out
}

func (t *Type) isLiteralAssignable(v json.RawMessage) bool {
	if t.Kind == Literal {
		return slices.ContainsFunc(t.Values, func(w json.RawMessage) bool { return bytes.Equal(v, w) })
	}
	kind := Kind(schema.TypeOf(v))
	return t.Kind == kind || t.Kind == Number && kind == Integer
}

// hasAssignableFields reports whether objects with the fields us are objects with the fields ts. The names must be the
// same, in any order.
func hasAssignableFields(ts, us []Param) bool {
	if len(ts) != len(us) {
		return false
	}
	for _, t := range ts {
		i := slices.IndexFunc(us, func(u Param) bool { return u.Name == t.Name })
		if i < 0 || us[i].Optional != t.Optional || !t.Type.isAssignableFrom(us[i].Type) {
			return false
		}
	}
	return true
}
