package tool

import (
	"bytes"
	"encoding/json"
	"slices"
)

// admits reports whether a signature that says t is true of values of type u: u
// is the same, or says more, such as integer for number, or the keys of an
// object.
func (t *Type) admits(u *Type) bool {
	switch {
	case t.Kind == Any:
		return true
	case t.Kind == Union || u.Kind == Union || u.Kind == Literal && len(u.Values) > 1:
		return !slices.ContainsFunc(parts(u), func(part *Type) bool { return !t.someAdmits(part) })
	case u.Kind == Literal:
		return t.admitsValue(u.Values[0])
	case t.Kind != u.Kind:
		return t.Kind == Number && u.Kind == Integer || t.Kind == Object && (u.Kind == Struct || u.Kind == Record)
	}
	switch t.Kind {
	case Array, Record:
		return t.Items.admits(u.Items)
	case Struct:
		return admitFields(t.Fields, u.Fields)
	}
	return true
}

// someAdmits reports whether an option of t, or t itself, admits u.
func (t *Type) someAdmits(u *Type) bool {
	return slices.ContainsFunc(flat([]*Type{t}), func(o *Type) bool { return o.admits(u) })
}

// parts returns the types that t is the union of, with each literal by itself.
func parts(t *Type) []*Type {
	var out []*Type
	for _, o := range flat([]*Type{t}) {
		if o.Kind != Literal {
			out = append(out, o)
		}
		for _, v := range o.Values {
			out = append(out, literalOf(v))
		}
	}
	return out
}

// admitsValue reports whether a literal is of type t.
func (t *Type) admitsValue(v json.RawMessage) bool {
	if t.Kind == Literal {
		return slices.ContainsFunc(t.Values, func(w json.RawMessage) bool { return bytes.Equal(v, w) })
	}
	kind := typeOfLiteral(v)
	return t.Kind == kind || t.Kind == Number && kind == Integer
}

// admitFields reports whether objects with the fields us are objects with the
// fields ts: the same names, in whatever order.
func admitFields(ts, us []Param) bool {
	if len(ts) != len(us) {
		return false
	}
	for _, t := range ts {
		i := slices.IndexFunc(us, func(u Param) bool { return u.Name == t.Name })
		if i < 0 || us[i].Optional != t.Optional || !t.Type.admits(us[i].Type) {
			return false
		}
	}
	return true
}
