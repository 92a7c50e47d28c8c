package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// BindPositional names the arguments of a positional call (T5). A single object whose keys are parameters is the arguments
// object, and so is any single object if the first parameter accepts no object. All other arguments are bound in
// order. Defaults are not added. A call with too many arguments is no longer executable. Other calls are returned
// unchanged.
func (d *Definition) BindPositional(c chat.Call) (chat.Call, []diag.Finding) {
	if !c.Positional || c.Arguments == nil {
		return c, nil
	}
	values := splitArray(c.Arguments)
	c.Positional = false
	if len(values) == 1 && d.isArgumentsObject(values[0]) {
		c.Arguments = values[0]
		return c, nil
	}
	ps := d.Signature.Params
	extra := len(values) - len(ps)
	c.Arguments = argumentsObject(ps, values[:min(len(values), len(ps))])
	if extra <= 0 {
		return c, nil
	}
	c.Executable = false
	f := diag.New(diag.ExtraArg, diag.Span{}, "%s takes %s, got %d: %s", d.Name, atMostText(len(ps)), len(values), d.Signature)
	f.Severity = diag.Error
	return c, []diag.Finding{f}
}

func atMostText(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "at most 1 argument"
	}
	return fmt.Sprintf("at most %d arguments", n)
}

// isArgumentsObject reports whether the only argument of a call is the object of all arguments. A key that matches a
// parameter except for case counts as one and is rejected later: guessing its meaning would be unsafe.
func (d *Definition) isArgumentsObject(value json.RawMessage) bool {
	given, err := splitObject(value)
	if err != nil {
		return false
	}
	ps := d.Signature.Params
	if len(ps) == 0 || !ps[0].Type.acceptsObject() {
		return true
	}
	for _, m := range given {
		if !slices.ContainsFunc(ps, func(p Param) bool { return strings.EqualFold(p.Name, m.key) }) {
			return false
		}
	}
	return true
}

func (t *Type) acceptsObject() bool {
	switch t.Kind {
	case Any, Object, Record, Struct:
		return true
	case Union:
		for _, o := range t.Options {
			if o.acceptsObject() {
				return true
			}
		}
	}
	return false
}

// argumentsObject returns the object of values in the order of parameters.
func argumentsObject(ps []Param, values []json.RawMessage) json.RawMessage {
	b := []byte{'{'}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote.JSON(ps[i].Name)...), ':')
		b = append(b, v...)
	}
	return append(b, '}')
}

// WithDefaults appends the defaults of missing parameters to an arguments object. Every backend gets its arguments
// this way, so the defaults shown to the model hold whatever the backend does. Anything but an object is returned
// unchanged.
func (d *Definition) WithDefaults(args json.RawMessage) json.RawMessage {
	defaults := d.MissingDefaults(args)
	if defaults == nil {
		return args
	}
	b := bytes.TrimRight(args, " \t\r\n")
	b = slices.Clip(b[:len(b)-1]) // the caller's bytes stay as they are
	if given, err := splitObject(args); err == nil && len(given) > 0 {
		b = append(b, ',')
	}
	return append(b, defaults[1:]...)
}

// MissingDefaults returns the object of the members that [Definition.WithDefaults] appends, nil for none.
func (d *Definition) MissingDefaults(args json.RawMessage) json.RawMessage {
	given, err := splitObject(args)
	if err != nil {
		return nil
	}
	has := map[string]bool{}
	for _, m := range given {
		has[m.key] = true
	}
	var ps []Param
	var values []json.RawMessage
	for _, p := range d.Signature.Params {
		if p.Default != nil && !has[p.Name] {
			ps, values = append(ps, p), append(values, p.Default)
		}
	}
	if ps == nil {
		return nil
	}
	return argumentsObject(ps, values)
}

func (d *Definition) findParam(name string) (Param, bool) {
	for _, p := range d.Signature.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}
