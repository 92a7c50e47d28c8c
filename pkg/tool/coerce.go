package tool

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Coercion is a value among the arguments of a call that is not what its
// parameter has to be, and could be meant as something that is.
type Coercion struct {
	Path  string          // JSON pointer into the arguments as they were given
	From  json.RawMessage // the value
	To    json.RawMessage // what it becomes, without blanks; nil where the argument is left out or Lossy says why it stays
	Lossy string          // what would be lost or guessed; "" if nothing
}

// Retypes reports whether the value becomes one of another type, or none.
func (c Coercion) Retypes() bool {
	return c.To == nil || jsontext.Value(c.From).Kind() != jsontext.Value(c.To).Kind()
}

// Argument names the value as code would: items[2].price.
func (c Coercion) Argument() string { return argument(c.Path) }

// Coerce changes the values of an arguments object to what their parameters have
// to be, where nothing is lost by it and nothing is guessed. It returns what it
// changed and what it could only guess. Anything but an object comes back as it
// is; so does every value that fits, but for whole numbers with a fraction.
//
// A string stands for the number, boolean, null, array or object whose JSON it
// is, and a number or boolean is put into quotes where a string has to be.
// Numbers keep their digits; 5.0 is the integer 5. A value that is no array
// becomes one of it alone, unless it could be a list itself, as "a, b". An
// optional argument that is null, and cannot be, is left out. Of several types a
// value takes the one that it can be.
func (d *Definition) Coerce(args json.RawMessage) (json.RawMessage, []Coercion) {
	c := coercer{}
	out, _ := c.value(&Type{Kind: Struct, Fields: d.Signature.Params}, args)
	return out, c.all
}

// A fitness says how a value fits its type.
type fitness int

const (
	fits    fitness = iota
	changed         // what it has become fits
	misfit          // something in it does not
)

// A coercer changes one value. Its recursion goes down a type, which is nested
// less deeply than maxTypeDepth.
type coercer struct {
	at  []string // the keys and indexes that lead to the value
	all []Coercion
}

// A way is one to take a value as one of a type. It reports false if the value
// cannot be meant as that.
type way func(*coercer, *Type, json.RawMessage) (json.RawMessage, fitness, bool)

// value returns a value as one of a type, as far as it can be. What it is as it
// stands counts before what it can become, and that before an array of it.
func (c *coercer) value(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	options := []*Type{t}
	if t.Kind == Union {
		options = t.Options
	}
	for _, w := range [...]way{(*coercer).asItIs, (*coercer).converted, (*coercer).alone} {
		var tries []attempt
		for _, o := range options {
			inner := coercer{at: c.at}
			to, fit, ok := w(&inner, o, v)
			switch {
			case !ok:
			case fit == fits:
				return v, fits
			default:
				tries = append(tries, attempt{to, fit, inner.all})
			}
		}
		if len(tries) > 0 {
			return c.choose(v, tries)
		}
	}
	return v, misfit
}

// An attempt is what a value becomes as one of some type.
type attempt struct {
	to  json.RawMessage
	fit fitness
	all []Coercion
}

// choose takes the attempt that leads to what fits, if there is only one.
func (c *coercer) choose(v json.RawMessage, tries []attempt) (json.RawMessage, fitness) {
	good := slices.DeleteFunc(slices.Clone(tries), func(a attempt) bool { return a.fit == misfit })
	good = slices.CompactFunc(good, func(a, b attempt) bool { return string(a.to) == string(b.to) })
	switch {
	case len(good) > 1:
		c.note(Coercion{From: v, Lossy: "it could be " + brief(good[0].to) + " or " + brief(good[1].to)})
		return v, misfit
	case len(good) == 1:
		tries = good
	case len(tries) > 1: // none leads anywhere
		return v, misfit
	}
	c.all = append(c.all, tries[0].all...)
	return tries[0].to, tries[0].fit
}

// brief shortens a value for a message.
func brief(v json.RawMessage) string {
	const most = 40
	if len(v) <= most {
		return string(v)
	}
	return "…" // its beginning says nothing
}

// note adds a coercion of the value at the place.
func (c *coercer) note(k Coercion) {
	p := jsontext.Pointer("")
	for _, key := range c.at {
		p = p.AppendToken(key)
	}
	k.Path = string(p)
	c.all = append(c.all, k)
}

// asItIs looks at what stands in a value that is of the kind of a type.
func (c *coercer) asItIs(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	if !t.takes(v) {
		return v, misfit, false
	}
	to, fit := c.inside(t, v)
	return to, fit, true
}

// inside changes what stands in a value that is of the kind of a type.
func (c *coercer) inside(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	switch t.Kind {
	case Integer:
		if whole, _ := wholeNumber(string(v)); whole != string(v) {
			c.note(Coercion{From: v, To: json.RawMessage(whole)})
			return json.RawMessage(whole), changed
		}
	case Array:
		return c.items(t.Items, v)
	case Record, Struct:
		return c.members(t, v)
	}
	return v, fits
}

// items changes the items of an array.
func (c *coercer) items(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	before, worst, b := len(c.all), fits, []byte{'['}
	for i, item := range elements(v) {
		if i > 0 {
			b = append(b, ',')
		}
		to, fit := c.below(strconv.Itoa(i), t, item)
		b, worst = append(b, to...), max(worst, fit)
	}
	if len(c.all) == before {
		return v, worst
	}
	return append(b, ']'), worst
}

// below changes a value that stands in the current one.
func (c *coercer) below(key string, t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	c.at = append(c.at, key)
	to, fit := c.value(t, v)
	c.at = c.at[:len(c.at)-1]
	return to, fit
}

// members changes the members of an object. One without a known key, and one that
// is missing, does not fit.
func (c *coercer) members(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	given, err := members(v)
	if err != nil {
		return v, misfit
	}
	before, worst, b := len(c.all), fits, []byte{'{'}
	missing := map[string]bool{}
	for _, f := range t.Fields {
		missing[f.Name] = !f.Optional
	}
	for _, m := range given {
		delete(missing, m.key)
		to, fit := c.member(t.field(m.key), m)
		if worst = max(worst, fit); to == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(m.key)...), ':'), to...)
	}
	for _, required := range missing {
		if required {
			worst = misfit
		}
	}
	if len(c.all) == before {
		return v, worst
	}
	return append(b, '}'), worst
}

// field returns the field of a key in an object of the type, nil if there is none.
func (t *Type) field(key string) *Param {
	if t.Kind == Record {
		return &Param{Type: t.Items}
	}
	if i := slices.IndexFunc(t.Fields, func(p Param) bool { return p.Name == key }); i >= 0 {
		return &t.Fields[i]
	}
	return nil
}

// member changes a member of an object, to nothing if it is null for absent.
func (c *coercer) member(field *Param, m member) (json.RawMessage, fitness) {
	switch {
	case field == nil:
		return m.value, misfit
	case string(m.value) == "null" && field.Optional && !field.Type.hasKind(Null):
		c.at = append(c.at, m.key)
		c.note(Coercion{From: m.value})
		c.at = c.at[:len(c.at)-1]
		return nil, changed
	}
	return c.below(m.key, field.Type, m.value)
}

// hasKind reports whether a type is of a kind, or can be.
func (t *Type) hasKind(k Kind) bool {
	return t.Kind == k || t.Kind == Any || slices.ContainsFunc(t.Options, func(o *Type) bool { return o.hasKind(k) })
}

// converted returns a value as one of another type, with what stands in it changed,
// too.
func (c *coercer) converted(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	to, lossy := convert(t, v, len(c.at))
	switch {
	case lossy != "":
		return c.refuse(v, lossy)
	case to == nil:
		return v, misfit, false
	}
	inner := coercer{at: c.at}
	to, fit := inner.inside(t, to)
	c.note(Coercion{From: v, To: to})
	return to, max(fit, changed), true
}

// alone returns a value as an array of it alone, if that is one.
func (c *coercer) alone(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	if t.Kind != Array || string(v) == "null" {
		return v, misfit, false
	}
	inner := coercer{at: c.at}
	to, fit := inner.value(t.Items, v)
	text, _ := textOf(v)
	switch {
	case fit == misfit && len(inner.all) == 1 && inner.all[0].Lossy != "":
		return c.refuse(v, inner.all[0].Lossy)
	case fit == misfit:
		return v, misfit, false
	case strings.ContainsAny(text, ",;\n"):
		return c.refuse(v, "it could be one item or several")
	}
	to = slices.Concat(json.RawMessage("["), to, json.RawMessage("]"))
	c.note(Coercion{From: v, To: to})
	return to, changed, true
}

// refuse notes why a value is not converted.
func (c *coercer) refuse(v json.RawMessage, lossy string) (json.RawMessage, fitness, bool) {
	c.note(Coercion{From: v, Lossy: lossy})
	return v, misfit, true
}
