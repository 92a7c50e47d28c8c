package tool

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/quote"
)

// A Kind is the kind of a [Type].
type Kind string

// The kinds of types.
const (
	Any     Kind = "any"
	String  Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
	Null    Kind = "null"
	Object  Kind = "object"  // with any keys
	Array   Kind = "array"   // of Items
	Record  Kind = "record"  // an object with any keys, whose values are Items
	Struct  Kind = "struct"  // an object with Fields and no other keys
	Literal Kind = "literal" // one of Values
	Union   Kind = "union"   // one of Options
)

// A Type is the type of a parameter or result, as precise as a signature allows. Types are immutable.
type Type struct {
	Kind    Kind
	Items   *Type             // of an Array or Record
	Fields  []Param           // of a Struct, in order
	Values  []json.RawMessage // of a Literal: strings, numbers, true and false
	Options []*Type           // of a Union: at least two, none a Union, at most one Literal
}

// A Param is a parameter of a tool, or a field of a [Struct].
type Param struct {
	Name        string
	Type        *Type
	Optional    bool
	Default     json.RawMessage // nil for none; a parameter with a default is optional
	Description string
}

// simpleKinds are single words in signatures and type names in schemas.
var simpleKinds = []Kind{String, Number, Integer, Boolean, Null, Object}

func (t *Type) isSimple() bool { return slices.Contains(simpleKinds, t.Kind) }

func arrayOf(items *Type) *Type { return &Type{Kind: Array, Items: items} }

func recordOf(items *Type) *Type {
	if items.Kind == Any {
		return &Type{Kind: Object}
	}
	return &Type{Kind: Record, Items: items}
}

// literalOf returns the type of one JSON scalar.
func literalOf(value json.RawMessage) *Type {
	if string(value) == "null" {
		return &Type{Kind: Null}
	}
	return &Type{Kind: Literal, Values: []json.RawMessage{value}}
}

// unionOf returns the normalized union of several types: nested unions are flattened, duplicates dropped, literals
// merged, and a union with any is any.
func unionOf(options ...*Type) *Type {
	if len(options) == 1 {
		return options[0]
	}
	var out []*Type
	literal := &Type{Kind: Literal}
	said := map[string]bool{}
	for _, t := range flattenUnions(options) {
		if t.Kind == Any {
			return t
		}
		if t.Kind != Literal {
			if text := t.String(); !said[text] {
				said[text] = true
				out = append(out, t)
			}
			continue
		}
		if literal.Values == nil {
			out = append(out, literal)
		}
		for _, v := range t.Values {
			if !said["= "+string(v)] {
				said["= "+string(v)] = true
				literal.Values = append(literal.Values, v)
			}
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return &Type{Kind: Union, Options: out}
}

// flattenUnions replaces unions by their options, which are never unions.
func flattenUnions(types []*Type) []*Type {
	var out []*Type
	for _, t := range types {
		if t.Kind == Union {
			out = append(out, t.Options...)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// String returns the type in TypeScript syntax, with "integer" in addition to "number".
func (t *Type) String() string {
	switch t.Kind {
	case Array:
		if t.Items.Kind == Union || t.Items.Kind == Literal && len(t.Items.Values) > 1 {
			return "(" + t.Items.String() + ")[]"
		}
		return t.Items.String() + "[]"
	case Record:
		return "Record<string, " + t.Items.String() + ">"
	case Struct:
		return "{" + joinParams(t.Fields) + "}"
	case Literal:
		texts := make([]string, len(t.Values))
		for i, v := range t.Values {
			texts[i] = string(v)
		}
		return strings.Join(texts, " | ")
	case Union:
		texts := make([]string, len(t.Options))
		for i, o := range t.Options {
			texts[i] = o.String()
		}
		return strings.Join(texts, " | ")
	}
	return string(t.Kind)
}

func joinParams(ps []Param) string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// String returns the parameter as in a signature: "uri: string", "limit: integer = 10", "labels?: string[]". A
// parameter of type any is only its name.
func (p Param) String() string {
	var b strings.Builder
	if isIdentifier(p.Name) {
		b.WriteString(p.Name)
	} else {
		b.WriteString(quote.JSON(p.Name))
	}
	if p.Optional && p.Default == nil {
		b.WriteByte('?')
	}
	if p.Type.Kind != Any || isTypeName(p.Name) {
		b.WriteString(": " + p.Type.String())
	}
	if p.Default != nil {
		b.WriteString(" = " + string(p.Default))
	}
	return b.String()
}

// isIdentifier reports whether a name needs no quotes in a signature.
func isIdentifier(name string) bool {
	for i := range len(name) {
		if !isWordByte(name[i]) {
			return false
		}
	}
	return name != "" && canBeginName(name[0])
}

// canBeginName reports whether a byte can begin a name.
func canBeginName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}

// depth returns the nesting depth of the type, at least 1.
func (t *Type) depth() int {
	deepest := 0
	if t.Items != nil {
		deepest = t.Items.depth()
	}
	for _, f := range t.Fields {
		deepest = max(deepest, f.Type.depth())
	}
	for _, o := range t.Options {
		deepest = max(deepest, o.depth()-1)
	}
	return deepest + 1
}
