package tool

import (
	"encoding/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// decodeParameters reads the signature, the parameters and the result type, and derives each from the other if one is
// missing. It returns false if they are unusable.
func (d *decoder) decodeParameters() bool {
	sigValue, parValue := d.doc.Get("signature"), d.doc.Get("parameters")
	if !sigValue.IsPresent() && !parValue.IsPresent() {
		d.doc.Value().Add(diag.DefMissing, `missing key "signature" or "parameters"`)
		return false
	}
	sig, good := d.decodeSignature(sigValue)
	props, ok := readProperties(parValue)
	good = good && (ok || !parValue.IsPresent())
	returns, ok := d.resolveReturnType(sig)
	for _, p := range props {
		if !isName(p.name) {
			p.key.Add(diag.DefValue, "%q is not a valid parameter name: %s", p.name, nameRules)
			good = false
		}
	}
	if !good || !ok || !isName(d.def.Name) || !d.decodeAnnotations(props) {
		return false
	}
	switch {
	case !parValue.IsPresent():
		d.def.Schema = sig.Schema()
	case sigValue.IsPresent() && !sig.reconcile(props):
		return false
	default:
		d.def.Schema = encodeObject(append([]member{{"type", []byte(`"object"`)}}, objectKeywords(props)...))
	}
	d.def.Signature = Signature{Name: d.def.Name, Params: readKeywords(d.def.Schema).toParams(1), Returns: returns}
	if returns != nil {
		d.def.Returns = returns.String()
	}
	return d.Verified || d.checkSchema(parValue, sigValue) && d.checkDefaults(sig, props)
}

func (d *decoder) decodeSignature(v yamldoc.Value) (writtenSignature, bool) {
	w := writtenSignature{value: v}
	text, ok := v.Text()
	if !ok {
		return w, !v.IsPresent()
	}
	var wrong *SignatureError
	if w.Signature, w.starts, wrong = parseSignature(text); wrong != nil {
		v.AddAt(diag.DefSignature, wrong.Offset, "%s", wrong.Message)
		return w, false
	}
	if isName(d.def.Name) && w.Name != d.def.Name {
		v.Add(diag.DefDisagree, "the signature is for %q, but the tool is %q", w.Name, d.def.Name)
		return w, false
	}
	for i, p := range w.Params {
		if !isName(p.Name) {
			v.AddAt(diag.DefValue, w.starts[i], "%q is not a valid parameter name: %s", p.Name, nameRules)
			return w, false
		}
	}
	return w, true
}

// resolveReturnType reads the result type, which the signature can contain, too.
func (d *decoder) resolveReturnType(sig writtenSignature) (*Type, bool) {
	v := d.doc.Get("returns")
	text, ok := v.Text()
	if !ok {
		return sig.Returns, !v.IsPresent()
	}
	t, wrong := ParseType(text)
	switch {
	case wrong != nil:
		v.AddAt(diag.DefSignature, wrong.Offset, "%s", wrong.Message)
	case sig.Returns != nil && !sig.Returns.isAssignableFrom(t):
		v.Add(diag.DefDisagree, "the signature returns %s", sig.Returns)
	default:
		return t, true
	}
	return nil, false
}

// checkSchema reports faults of the schema as a whole.
func (d *decoder) checkSchema(places ...yamldoc.Value) bool {
	_, faults := d.def.argumentsSchema()
	for _, v := range places {
		if v.IsPresent() && len(faults) > 0 {
			v.Add(diag.DefValue, "%s", faults[0].Message)
			return false
		}
	}
	return true
}

// checkDefaults reports defaults that do not fit their parameter.
func (d *decoder) checkDefaults(sig writtenSignature, props []property) bool {
	s, _ := d.def.argumentsSchema()
	good := true
	for i, p := range d.def.Signature.Params {
		if p.Default == nil {
			continue
		}
		violations, _ := s.Violations(argumentsObject([]Param{p}, []json.RawMessage{p.Default}))
		for _, v := range violations {
			if v.Path == "" {
				continue // that others are missing
			}
			good = false
			if at := writtenDefault(props, i); at.IsPresent() {
				at.Add(diag.DefValue, "%s", v.Message)
			} else {
				sig.value.AddAt(diag.DefValue, sig.starts[i], "the default of %s: %s", p.Name, v.Message)
			}
		}
	}
	return good
}

// writtenDefault returns the default of property i in the document, absent if it has none.
func writtenDefault(props []property, i int) yamldoc.Value {
	if i >= len(props) {
		return yamldoc.Value{}
	}
	m, _ := props[i].value.Map()
	return m.Get("default")
}
