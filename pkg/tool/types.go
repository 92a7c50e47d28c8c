package tool

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Kind says what a [Type] is.
type Kind string

// The kinds of types.
const (
	Any     Kind = "any"
	String  Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
	Null    Kind = "null"
	Object  Kind = "object"  // with whatever keys
	Array   Kind = "array"   // of Items
	Record  Kind = "record"  // an object with whatever keys, whose values are Items
	Struct  Kind = "struct"  // an object with Fields and no other keys
	Literal Kind = "literal" // one of Values
	Union   Kind = "union"   // one of Options
)

// A Type is the type of a parameter or a result, as far as a signature can say
// it. Types are not changed once they are made.
type Type struct {
	Kind    Kind
	Items   *Type             // of an Array or Record
	Fields  []Param           // of a Struct, in order
	Values  []json.RawMessage // of a Literal: strings, numbers, true and false
	Options []*Type           // of a Union: at least two, none a Union, at most one a Literal
}

// A Param is a parameter of a tool, or a field of a [Struct].
type Param struct {
	Name        string
	Type        *Type
	Optional    bool
	Default     json.RawMessage // nil for none; with a default it is optional
	Description string
}

// simpleKinds are the kinds that are a word in a signature and a type in a schema.
var simpleKinds = []Kind{String, Number, Integer, Boolean, Null, Object}

func (t *Type) isSimple() bool { return slices.Contains(simpleKinds, t.Kind) }

// arrayOf returns the type of lists of items.
func arrayOf(items *Type) *Type { return &Type{Kind: Array, Items: items} }

// recordOf returns the type of objects whose values are items.
func recordOf(items *Type) *Type {
	if items.Kind == Any {
		return &Type{Kind: Object}
	}
	return &Type{Kind: Record, Items: items}
}

// literalOf returns the type of one JSON value that is no list and no object.
func literalOf(value json.RawMessage) *Type {
	if string(value) == "null" {
		return &Type{Kind: Null}
	}
	return &Type{Kind: Literal, Values: []json.RawMessage{value}}
}

// unionOf returns the type of values that are of one of several types. Each
// type has one union that says it: nested unions are opened, the same option
// stands once, literals stand together, and what is of any type is of any type.
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

// flattenUnions opens the unions among the types, whose options are none.
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

// String returns the type in the spelling of TypeScript, with "integer" beside
// "number".
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
		return "{" + params(t.Fields) + "}"
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

// parseParams writes parameters or fields between commas.
func params(ps []Param) string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// String returns the parameter as it stands in a signature: "uri: string",
// "limit: integer = 10", "labels?: string[]". One of any type has only its name.
func (p Param) String() string {
	var b strings.Builder
	if isIdentifier(p.Name) {
		b.WriteString(p.Name)
	} else {
		b.WriteString(quote(p.Name))
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

// decodeIdentifier reports whether a name needs no quotes in a signature.
func isIdentifier(name string) bool {
	for i := range len(name) {
		if !isWordByte(name[i]) {
			return false
		}
	}
	return name != "" && isLetter(name[0])
}

// isLetter reports whether a name can begin with a byte.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}

// depth returns how deeply the type is nested, at least 1.
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

// quote returns s as a JSON string. Bytes that are not UTF-8 are replaced.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	if err != nil { // it is valid UTF-8
		return `""`
	}
	return string(b)
}
