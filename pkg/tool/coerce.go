package tool

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/quote"
)

// A Coercion is an argument of the wrong type that can be converted, or that could be if nothing were lost or guessed.
type Coercion struct {
	Path string          // JSON pointer into the original arguments
	From json.RawMessage // the value
	To   json.RawMessage // the converted value, compact; nil if the argument is removed or Loss is set
	Loss string          // why it cannot be converted without loss or guessing; "" for none
}

// ChangesType reports whether the value changes its JSON type or is removed.
func (c Coercion) ChangesType() bool {
	return c.To == nil || jsontext.Value(c.From).Kind() != jsontext.Value(c.To).Kind()
}

// Argument returns the path of the value as code would write it: items[2].price.
func (c Coercion) Argument() string { return argumentPath(c.Path) }

// Coerce converts the values of an arguments object to the types of their parameters if nothing is lost or guessed. It
// returns the conversions made and the ones refused. Anything but an object is returned unchanged, and so is every
// value that fits, except whole numbers with a fraction.
//
// A string is converted to the number, boolean, null, array or object whose JSON it is. A number or boolean is quoted
// if a string is expected. Numbers keep their digits; 5.0 is the integer 5. A value that is not an array is wrapped in
// one, unless it could be a list itself, as in "a, b". An optional argument that is null, but not nullable, is
// removed. In a union a value gets the type it fits.
func (d *Definition) Coerce(args json.RawMessage) (json.RawMessage, []Coercion) {
	c := coercer{}
	out, _ := c.coerceValue(&Type{Kind: Struct, Fields: d.Signature.Params}, args)
	return out, c.coercions
}

// A fitness is how well a value fits its type.
type fitness int

const (
	fits       fitness = iota
	changed            // fits after conversion
	doesNotFit         // cannot be converted
)

// A coercer converts one value. It recurses into a type, whose depth maxTypeDepth bounds.
type coercer struct {
	path      []string // keys and indexes of the value
	coercions []Coercion
}

// A strategy converts a value to a type. It returns false if it does not apply.
type strategy func(*coercer, *Type, json.RawMessage) (json.RawMessage, fitness, bool)

// coerceValue converts a value to a type as far as possible. A value of the right kind takes precedence over a
// converted one, and that over an array of it.
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
			return c.uniqueAttempt(v, tries)
		}
	}
	return v, doesNotFit
}

// An attempt is the result of one strategy for one option of a union.
type attempt struct {
	to        json.RawMessage
	fit       fitness
	coercions []Coercion
}

// uniqueAttempt returns the only attempt that fits. Several different ones are ambiguous.
func (c *coercer) uniqueAttempt(v json.RawMessage, tries []attempt) (json.RawMessage, fitness) {
	good := slices.DeleteFunc(slices.Clone(tries), func(a attempt) bool { return a.fit == doesNotFit })
	good = slices.CompactFunc(good, func(a, b attempt) bool { return string(a.to) == string(b.to) })
	switch {
	case len(good) > 1:
		c.record(Coercion{From: v, Loss: "it could be " + shortenValue(good[0].to) + " or " + shortenValue(good[1].to)})
		return v, doesNotFit
	case len(good) == 1:
		tries = good
	case len(tries) > 1: // none fits
		return v, doesNotFit
	}
	c.coercions = append(c.coercions, tries[0].coercions...)
	return tries[0].to, tries[0].fit
}

func shortenValue(v json.RawMessage) string {
	const most = 40
	if len(v) <= most {
		return string(v)
	}
	return "…" // a prefix would mislead
}

// record adds a coercion of the value at the current path.
func (c *coercer) record(k Coercion) {
	p := jsontext.Pointer("")
	for _, key := range c.path {
		p = p.AppendToken(key)
	}
	k.Path = string(p)
	c.coercions = append(c.coercions, k)
}

func (c *coercer) coerceSameKind(t *Type, v json.RawMessage) (json.RawMessage, fitness, bool) {
	if !t.acceptsKind(v) {
		return v, doesNotFit, false
	}
	to, fit := c.coerceContents(t, v)
	return to, fit, true
}

// coerceContents converts the items or members of a value that is of the right kind.
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

func (c *coercer) coerceItems(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	before, worst, b := len(c.coercions), fits, []byte{'['}
	for i, item := range splitArray(v) {
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

func (c *coercer) coerceChild(key string, t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	c.path = append(c.path, key)
	to, fit := c.coerceValue(t, v)
	c.path = c.path[:len(c.path)-1]
	return to, fit
}

// coerceMembers converts the members of an object. An object with unknown or missing keys does not fit.
func (c *coercer) coerceMembers(t *Type, v json.RawMessage) (json.RawMessage, fitness) {
	given, err := splitObject(v)
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
		b = append(append(append(b, quote.JSON(m.key)...), ':'), to...)
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

// fieldFor returns the field of a key in an object of the type, or nil.
func (t *Type) fieldFor(key string) *Param {
	if t.Kind == Record {
		return &Param{Type: t.Items}
	}
	if i := slices.IndexFunc(t.Fields, func(p Param) bool { return p.Name == key }); i >= 0 {
		return &t.Fields[i]
	}
	return nil
}

// coerceMember converts a member of an object. It returns nil for a null that stands for an absent member.
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

// hasKind reports whether a type, or one of its options, is of a kind.
func (t *Type) hasKind(k Kind) bool {
	return t.Kind == k || t.Kind == Any || slices.ContainsFunc(t.Options, func(o *Type) bool { return o.hasKind(k) })
}

// coerceConverted converts a value to another type, including its contents.
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

// wrapInArray returns an array of the value if the type is an array.
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

// recordLoss records why a value is not converted.
func (c *coercer) recordLoss(v json.RawMessage, lossy string) (json.RawMessage, fitness, bool) {
	c.record(Coercion{From: v, Loss: lossy})
	return v, doesNotFit, true
}
