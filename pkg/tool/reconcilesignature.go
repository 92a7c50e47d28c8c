package tool

import (
	"bytes"
	"fmt"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// A writtenSignature is a signature with its position in the source.
type writtenSignature struct {
	Signature
	value  yamldoc.Value
	starts []int // of the parameters, in the text
}

// reconcile compares parameters with a signature. Types, defaults and optionality that only the signature has are
// added to the parameters.
func (w writtenSignature) reconcile(props []property) bool {
	for i := range max(len(w.Params), len(props)) {
		if why := w.difference(i, props); why != "" {
			var f *diag.Finding
			if i < len(w.starts) {
				f = w.value.AddAt(diag.DefDisagree, w.starts[i], "parameter %d: %s", i+1, why)
			} else {
				f = props[i].key.Add(diag.DefDisagree, "parameter %d: %s", i+1, why)
			}
			f.Hint = "remove one of them: it is derived from the other"
			return false
		}
	}
	return true
}

// difference describes how parameter i differs between the signature and the parameters, "" if it does not.
func (w writtenSignature) difference(i int, props []property) string {
	switch {
	case i >= len(w.Params):
		return fmt.Sprintf("the signature has none, the parameters say %s", props[i].asParam())
	case i >= len(props):
		return fmt.Sprintf("the signature says %s, the parameters have none", w.Params[i])
	}
	s, p := w.Params[i], &props[i]
	if !p.hasType() {
		p.keywords = append(typeKeywords(s.Type), p.keywords...)
	}
	got := p.asParam()
	got.Optional = !p.required && (got.Optional || s.Optional)
	switch {
	case s.Name != got.Name,
		!s.Type.isAssignableFrom(got.Type),
		s.Optional && p.required,
		s.Default != nil && p.defaultValue != nil && !bytes.Equal(s.Default, got.Default):
		return fmt.Sprintf("the signature says %s, the parameters say %s", s, got)
	}
	p.optional = p.optional || s.Optional
	if p.defaultValue == nil {
		p.defaultValue = s.Default
	}
	return ""
}

// asParam returns the property as a parameter of a signature.
func (p property) asParam() Param {
	out := Param{Name: p.name, Type: readKeywords(p.schema()).toType(1), Optional: p.optional || p.defaultValue != nil}
	out.Default = compactJSON(p.defaultValue)
	return out
}

// hasType reports whether the property restricts its type.
func (p property) hasType() bool {
	return slices.ContainsFunc(p.keywords, func(m member) bool {
		return slices.Contains([]string{"type", "enum", "const", "anyOf", "items", "properties", "additionalProperties"}, m.key)
	})
}

func typeKeywords(t *Type) []member {
	ms, err := splitObject(t.Schema())
	if err != nil { // the schema of a type is an object
		return nil
	}
	return ms
}
