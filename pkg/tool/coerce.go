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
	Loss string          // what would be lost or guessed; "" if nothing
}

// ChangesType reports whether the value becomes one of another type, or none.
func (c Coercion) ChangesType() bool {
	return c.To == nil || jsontext.Value(c.From).Kind() != jsontext.Value(c.To).Kind()
}

// Argument names the value as code would: items[2].price.
func (c Coercion) Argument() string { return argumentPath(c.Path) }

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
// parseValue takes the one that it can be.
func (d *Definition) Coerce(args json.RawMessage) (json.RawMessage, []Coercion) {
	c := coercer{}
	out, _ := c.coerceValue(&Type{Kind: Struct, Fields: d.Signature.Params}, args)
	return out, c.coercions
}

// A fitness says how a value fits its type.
type fitness int

const (
	fits       fitness = iota
	changed            // what it has become fits
	doesNotFit         // something in it does not
)

// A coercer changes one value. Its recursion goes down a type, which is nested
// less deeply than maxTypeDepth.
type coercer struct {
	path      []string // the keys and indexes that lead to the value
	coercions []Coercion
}

// A strategy is one to take a value as one of a type. It reports false if the value
// cannot be meant as that.
type strategy func(*coercer, *Type, json.RawMessage) (json.RawMessage, fitness, bool)

// parseValue returns a value as one of a type, as far as it can be. What it is as it
// stands counts before what it can become, and that before an array of it.
func (c *coercer) coerceValue(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	options := []*Type{t}
	if t.Kind == Union {
		options = t.Options
	}
	for _, w := range [...]strategy{(*coercer).coerceSameKind, (*coercer).coerceConverted, (*coercer).wrapInArray} {
		var tries []attempt
		for _, o := range options {
			inner := coercer{path: c.path}
			to, fit, ok := w(&inner, o, v)
			switch {
			case !ok:
			case fit == fits:
				return v, fits
			default:
				tries = append(tries, attempt{to, fit, inner.coercions})
			}
		}
		if len(tries) > 0 {
			return c.chooseAttempt(v, tries)
		}
	}
	return v, doesNotFit
}

// An attempt is what a value becomes as one of some type.
type attempt struct {
	to        json.RawMessage
	fit       fitness
	coercions []Coercion
}

// chooseAttempt takes the attempt that leads to what fits, if there is only one.
func (c *coercer) chooseAttempt(v json.RawMessage, tries []attempt) (json.RawMessage, fitness) {
	good := slices.DeleteFunc(slices.Clone(tries), func(a attempt) bool { return a.fit == doesNotFit })
	good = slices.CompactFunc(good, func(a, b attempt) bool { return string(a.to) == string(b.to) })
	switch {
	case len(good) > 1:
		c.record(Coercion{From: v, Loss: "it could be " + shortenValue(good[0].to) + " or " + shortenValue(good[1].to)})
		return v, doesNotFit
	case len(good) == 1:
		tries = good
	case len(tries) > 1: // none leads anywhere
		return v, doesNotFit
	}
	c.coercions = append(c.coercions, tries[0].coercions...)
	return tries[0].to, tries[0].fit
}

// shortenValue shortens a value for a message.
func shortenValue(v json.RawMessage) string {
	const most = 40
	if len(v) <= most {
		return string(v)
	}
	return "…" // its beginning says nothing
}

// record adds a coercion of the value at the place.
func (c *coercer) record(k Coercion) {
	p := jsontext.Pointer("")
	for _, key := range c.path {
		p = p.AppendToken(key)
	}
	k.Path = string(p)
	c.coercions = append(c.coercions, k)
}

// coerceSameKind looks at what stands in a value that is of the kind of a type.
func (c *coercer) coerceSameKind(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	if !t.acceptsKind(v) {
		return v, doesNotFit, false
	}
	to, fit := c.coerceContents(t, v)
	return to, fit, true
}

// coerceContents changes what stands in a value that is of the kind of a type.
func (c *coercer) coerceContents(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	switch t.Kind {
	case Integer:
		if whole, _ := wholeNumber(string(v)); whole != string(v) {
			c.record(Coercion{From: v, To: json.RawMessage(whole)})
			return json.RawMessage(whole), changed
		}
	case Array:
		return c.coerceItems(t.Items, v)
	case Record, Struct:
		return c.coerceMembers(t, v)
	}
	return v, fits
}

// itemNoun changes the items of an array.
func (c *coercer) coerceItems(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	before, worst, b := len(c.coercions), fits, []byte{'['}
	for i, item := range elements(v) {
		if i > 0 {
			b = append(b, ',')
		}
		to, fit := c.coerceChild(strconv.Itoa(i), t, item)
		b, worst = append(b, to...), max(worst, fit)
	}
	if len(c.coercions) == before {
		return v, worst
	}
	return append(b, ']'), worst
}

// coerceChild changes a value that stands in the current one.
func (c *coercer) coerceChild(key string, t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	c.path = append(c.path, key)
	to, fit := c.coerceValue(t, v)
	c.path = c.path[:len(c.path)-1]
	return to, fit
}

// coerceMembers changes the members of an object. One without a known key, and one that
// is missing, does not fit.
func (c *coercer) coerceMembers(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	given, err := members(v)
	if err != nil {
		return v, doesNotFit
	}
	before, worst, b := len(c.coercions), fits, []byte{'{'}
	missing := map[string]bool{}
	for _, f := range t.Fields {
		missing[f.Name] = !f.Optional
	}
	for _, m := range given {
		delete(missing, m.key)
		to, fit := c.coerceMember(t.fieldFor(m.key), m)
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
			worst = doesNotFit
		}
	}
	if len(c.coercions) == before {
		return v, worst
	}
	return append(b, '}'), worst
}

// fieldFor returns the field of a key in an object of the type, nil if there is none.
func (t *Type) fieldFor(key string) *Param {
	if t.Kind == Record {
		return &Param{Type: t.Items}
	}
	if i := slices.IndexFunc(t.Fields, func(p Param) bool { return p.Name == key }); i >= 0 {
		return &t.Fields[i]
	}
	return nil
}

// coerceMember changes a member of an object, to nothing if it is null for absent.
func (c *coercer) coerceMember(field *Param, m member) (json.RawMessage, fitness) {
	switch {
	case field == nil:
		return m.value, doesNotFit
	case string(m.value) == "null" && field.Optional && !field.Type.hasKind(Null):
		c.path = append(c.path, m.key)
		c.record(Coercion{From: m.value})
		c.path = c.path[:len(c.path)-1]
		return nil, changed
	}
	return c.coerceChild(m.key, field.Type, m.value)
}

// hasKind reports whether a type is of a kind, or can be.
func (t *Type) hasKind(k Kind) bool {
	return t.Kind == k || t.Kind == Any || slices.ContainsFunc(t.Options, func(o *Type) bool { return o.hasKind(k) })
}

// coerceConverted returns a value as one of another type, with what stands in it changed,
// too.
func (c *coercer) coerceConverted(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	to, lossy := convert(t, v, len(c.path))
	switch {
	case lossy != "":
		return c.recordLoss(v, lossy)
	case to == nil:
		return v, doesNotFit, false
	}
	inner := coercer{path: c.path}
	to, fit := inner.coerceContents(t, to)
	c.record(Coercion{From: v, To: to})
	return to, max(fit, changed), true
}

// onlyPlaceholder returns a value as an array of it alone, if that is one.
func (c *coercer) wrapInArray(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	if t.Kind != Array || string(v) == "null" {
		return v, doesNotFit, false
	}
	inner := coercer{path: c.path}
	to, fit := inner.coerceValue(t.Items, v)
	text, _ := stringValue(v)
	switch {
	case fit == doesNotFit && len(inner.coercions) == 1 && inner.coercions[0].Loss != "":
		return c.recordLoss(v, inner.coercions[0].Loss)
	case fit == doesNotFit:
		return v, doesNotFit, false
	case strings.ContainsAny(text, ",;\n"):
		return c.recordLoss(v, "it could be one item or several")
	}
	to = slices.Concat(json.RawMessage("["), to, json.RawMessage("]"))
	c.record(Coercion{From: v, To: to})
	return to, changed, true
}

// recordLoss notes why a value is not converted.
func (c *coercer) recordLoss(v json.RawMessage, lossy string) (json.RawMessage, fitness, bool) {
	c.record(Coercion{From: v, Loss: lossy})
	return v, doesNotFit, true
}
