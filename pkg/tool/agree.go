package tool

import (
	"bytes"
	"fmt"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// A written signature and where it stands.
type written struct {
	Signature
	value  yamldoc.Value
	starts []int // of the parameters, in the text
}

// agree holds parameters against a signature. What only the signature says, a
// type, that one is optional, or a default, is added to the parameters.
func (w written) agree(props []property) bool {
	for i := range max(len(w.Params), len(props)) {
		if why := w.differ(i, props); why != "" {
			var f *diag.Finding
			if i < len(w.starts) {
				f = w.value.AddAt(diag.DefDisagree, w.starts[i], "parameter %d: %s", i+1, why)
			} else {
				f = props[i].key.Add(diag.DefDisagree, "parameter %d: %s", i+1, why)
			}
			f.Hint = "either can be left out, it is derived from the other"
			return false
		}
	}
	return true
}

// differ says how parameter i of the signature differs from the one of the
// parameters, or "".
func (w written) differ(i int, props []property) string {
	switch {
	case i >= len(w.Params):
		return fmt.Sprintf("the signature has none, the parameters say %s", props[i].param())
	case i >= len(props):
		return fmt.Sprintf("the signature says %s, the parameters have none", w.Params[i])
	}
	s, p := w.Params[i], &props[i]
	if !p.saysType() {
		p.keywords = append(typeKeywords(s.Type), p.keywords...)
	}
	got := p.param()
	got.Optional = !p.required && (got.Optional || s.Optional)
	switch {
	case s.Name != got.Name,
		!s.Type.admits(got.Type),
		s.Optional && p.required,
		s.Default != nil && p.fallback != nil && !bytes.Equal(s.Default, got.Default):
		return fmt.Sprintf("the signature says %s, the parameters say %s", s, got)
	}
	p.optional = p.optional || s.Optional
	if p.fallback == nil {
		p.fallback = s.Default
	}
	return ""
}

// param returns what the property is in a signature.
func (p property) param() Param {
	out := Param{Name: p.name, Type: readKeywords(p.schema()).typed(1), Optional: p.optional || p.fallback != nil}
	out.Default = compacted(p.fallback)
	return out
}

// saysType reports whether the property says of what type it is.
func (p property) saysType() bool {
	return slices.ContainsFunc(p.keywords, func(m member) bool {
		return slices.Contains([]string{"type", "enum", "const", "anyOf", "items", "properties", "additionalProperties"}, m.key)
	})
}

// typeKeywords returns the keywords of the schema of a type.
func typeKeywords(t *Type) []member {
	ms, err := members(t.Schema())
	if err != nil { // the schema of a type is an object
		return nil
	}
	return ms
}
