package tool

import (
	"encoding/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// parameters reads the signature, the parameters and the type of the result,
// and derives what is not written. It returns false if they are of no use.
func (d *decoder) parameters() bool {
	sigValue, parValue := d.doc.Get("signature"), d.doc.Get("parameters")
	if !sigValue.Present() && !parValue.Present() {
		d.doc.Of().Add(diag.DefMissing, `the key "signature" or "parameters" is missing`)
		return false
	}
	sig, good := d.signature(sigValue)
	props, ok := properties(parValue)
	good = good && (ok || !parValue.Present())
	returns, ok := d.returns(sig)
	for _, p := range props {
		if !isName(p.name) {
			p.key.Add(diag.DefValue, "%q is no name of a parameter: %s", p.name, nameForm)
			good = false
		}
	}
	if !good || !ok || !isName(d.def.Name) || !d.marks(props) {
		return false
	}
	switch {
	case !parValue.Present():
		d.def.Schema = sig.Schema()
	case sigValue.Present() && !sig.agree(props):
		return false
	default:
		d.def.Schema = objectText(append([]member{{"type", []byte(`"object"`)}}, objectOf(props)...))
	}
	d.def.Signature = Signature{Name: d.def.Name, Params: readKeywords(d.def.Schema).fields(1), Returns: returns}
	if returns != nil {
		d.def.Returns = returns.String()
	}
	return d.Verified || d.compiles(parValue, sigValue) && d.defaultsFit(sig, props)
}

// signature reads the signature, if there is one.
func (d *decoder) signature(v yamldoc.Value) (written, bool) {
	w := written{value: v}
	text, ok := v.Text()
	if !ok {
		return w, !v.Present()
	}
	var wrong *SignatureError
	if w.Signature, w.starts, wrong = parseSignature(text); wrong != nil {
		v.AddAt(diag.DefSignature, wrong.Offset, "%s", wrong.Message)
		return w, false
	}
	if isName(d.def.Name) && w.Name != d.def.Name {
		v.Add(diag.DefDisagree, "the signature is of %q, the name is %q", w.Name, d.def.Name)
		return w, false
	}
	for i, p := range w.Params {
		if !isName(p.Name) {
			v.AddAt(diag.DefValue, w.starts[i], "%q is no name of a parameter: %s", p.Name, nameForm)
			return w, false
		}
	}
	return w, true
}

// returns reads the type of the result, which the signature can say too.
func (d *decoder) returns(sig written) (*Type, bool) {
	v := d.doc.Get("returns")
	text, ok := v.Text()
	if !ok {
		return sig.Returns, !v.Present()
	}
	t, wrong := ParseType(text)
	switch {
	case wrong != nil:
		v.AddAt(diag.DefSignature, wrong.Offset, "%s", wrong.Message)
	case sig.Returns != nil && !sig.Returns.admits(t):
		v.Add(diag.DefDisagree, "the signature says %s", sig.Returns)
	default:
		return t, true
	}
	return nil, false
}

// compiles reports what is wrong with the schema of the parameters, beyond what
// is found in them one by one.
func (d *decoder) compiles(places ...yamldoc.Value) bool {
	_, faults := d.def.arguments()
	for _, v := range places {
		if v.Present() && len(faults) > 0 {
			v.Add(diag.DefValue, "%s", faults[0].Message)
			return false
		}
	}
	return true
}

// defaultsFit reports defaults that are not what their parameter has to be.
func (d *decoder) defaultsFit(sig written, props []property) bool {
	s, _ := d.def.arguments()
	good := true
	for i, p := range d.def.Signature.Params {
		if p.Default == nil {
			continue
		}
		violations, _ := s.Violations(named([]Param{p}, []json.RawMessage{p.Default}))
		for _, v := range violations {
			if v.Path == "" {
				continue // that others are missing
			}
			good = false
			if at := defaultAt(props, i); at.Present() {
				at.Add(diag.DefValue, "%s", v.Message)
			} else {
				sig.value.AddAt(diag.DefValue, sig.starts[i], "the default of %s %s", p.Name, v.Message)
			}
		}
	}
	return good
}

// defaultAt returns the default of property i as it is written, absent if it is
// not.
func defaultAt(props []property, i int) yamldoc.Value {
	if i >= len(props) {
		return yamldoc.Value{}
	}
	m, _ := props[i].value.Map()
	return m.Get("default")
}
