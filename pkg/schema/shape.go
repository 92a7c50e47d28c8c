package schema

import (
	"encoding/json"
	"math/bits"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Kinds is a set of kinds of JSON values. The empty set means unknown.
type Kinds uint8

// The kinds. A value of an integer schema is a Number: validation checks fractions.
const (
	String Kinds = 1 << iota
	Number
	Boolean
	Null
	Array
	Object

	AnyKind = 1<<iota - 1
)

var kindNames = [...]string{"string", "number", "boolean", "null", "array", "object"}

// String returns the JSON Schema type of a single kind.
func (k Kinds) String() string { return kindNames[bits.TrailingZeros8(uint8(k))] }

// KindOf returns the kind of a JSON value without white space around it, 0 for "".
func KindOf(value json.RawMessage) Kinds {
	if len(value) == 0 {
		return 0
	}
	switch value[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Boolean
	case 'n':
		return Null
	}
	return Number
}

// TypeOf returns the JSON Schema type of a JSON value. That of a number without fraction and exponent is "integer".
func TypeOf(value json.RawMessage) string {
	kind := KindOf(value)
	if kind == Number && !strings.ContainsAny(string(value), ".eE") {
		return "integer"
	}
	return kind.String()
}

// A Shape is the types that a schema declares for a value, its members and its items: enough to read a value that is
// written without JSON's quotes. It combines references and alternatives, and does not tell which of them belong
// together. The nil Shape is unknown.
type Shape struct {
	kinds    Kinds
	declared []*jsonschema.Schema // that apply to the value and name members or items
	members  map[string]*Shape    // of a document, which are asked for with each call; nil for other values
}

// maxShapeParts bounds the references and alternatives for one value, which refer to each other. Further ones are
// unknown.
const maxShapeParts = 1 << 10

// Shape returns the shape of documents that fit the schema, nil for the nil Schema.
func (s *Schema) Shape() *Shape {
	if s == nil {
		return nil
	}
	return s.shape()
}

// newDocumentShape returns the shape of documents that fit a schema.
func newDocumentShape(s *jsonschema.Schema) *Shape {
	shape, members := newShape(s), map[string]*Shape{}
	for _, d := range shape.declared {
		for name := range d.Properties {
			if members[name] == nil {
				members[name] = shape.Property(name)
			}
		}
	}
	shape.members = members
	return shape
}

// newShape returns the shape of a value with one of several schemas, nil if there are none.
func newShape(alternatives ...*jsonschema.Schema) *Shape {
	if len(alternatives) == 0 {
		return nil
	}
	b := shapeBuilder{}
	b.kinds = b.union(alternatives)
	return &b.Shape
}

// Kinds returns the kinds of the value.
func (s *Shape) Kinds() Kinds {
	if s == nil {
		return 0
	}
	return s.kinds
}

// Property returns the shape of a member of the object, nil if it is not declared.
func (s *Shape) Property(name string) *Shape {
	switch {
	case s == nil:
		return nil
	case s.members != nil:
		return s.members[name]
	}
	var found []*jsonschema.Schema
	for _, d := range s.declared {
		if p := d.Properties[name]; p != nil {
			found = append(found, p)
		}
	}
	return newShape(found...)
}

// HasDeclaredProperty reports whether a member is declared, and whether any is.
func (s *Shape) HasDeclaredProperty(name string) (has, hasAny bool) {
	if s == nil {
		return false, false
	}
	for _, d := range s.declared {
		has = has || d.Properties[name] != nil
		hasAny = hasAny || d.Properties != nil
	}
	return has, hasAny
}

// Items returns the shape of the items of the array, nil if it is not declared.
func (s *Shape) Items() *Shape {
	if s != nil {
		for _, d := range s.declared {
			if items := itemSchema(d); items != nil {
				return newShape(items)
			}
		}
	}
	return nil
}

// itemSchema returns the schema of all items, nil for none. Old drafts have another keyword.
func itemSchema(s *jsonschema.Schema) *jsonschema.Schema {
	if items, ok := s.Items.(*jsonschema.Schema); ok {
		return items
	}
	return s.Items2020
}

// A shapeBuilder builds the shape of a value. maxShapeParts bounds its recursion and work.
type shapeBuilder struct {
	Shape
	parts int
}

// add adds a schema that applies to the value and returns its kinds.
func (b *shapeBuilder) add(s *jsonschema.Schema) Kinds {
	if b.parts++; b.parts > maxShapeParts {
		return 0
	}
	kinds := declaredKinds(s)
	if s.Properties != nil || itemSchema(s) != nil {
		b.declared = append(b.declared, s)
	}
	if s.Ref != nil {
		kinds = kinds.narrow(b.add(s.Ref))
	}
	for _, part := range s.AllOf {
		kinds = kinds.narrow(b.add(part))
	}
	for _, alternatives := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		kinds = kinds.narrow(b.union(alternatives))
	}
	return kinds
}

// union adds schemas of which one applies to the value, and returns their kinds.
func (b *shapeBuilder) union(alternatives []*jsonschema.Schema) Kinds {
	all, isOpen := Kinds(0), false
	for _, s := range alternatives {
		kinds := b.add(s)
		all, isOpen = all|kinds, isOpen || kinds == 0
	}
	if isOpen {
		return 0
	}
	return all
}

// narrow returns the kinds in both sets. Unknown ones and contradictions leave the set as it is.
func (k Kinds) narrow(other Kinds) Kinds {
	switch {
	case k == 0:
		return other
	case k&other == 0:
		return k
	}
	return k & other
}

// declaredKinds returns the kinds that a schema declares itself.
func declaredKinds(s *jsonschema.Schema) (kinds Kinds) {
	switch {
	case s.Types != nil:
		for i, name := range kindNames {
			var named jsonschema.Types
			if named.Add(name); Kinds(1)<<i == Number {
				named.Add("integer")
			}
			if *s.Types&named != 0 {
				kinds |= 1 << i
			}
		}
	case s.Const != nil:
		kinds = kindOfDecoded(*s.Const)
	case s.Enum != nil:
		for _, value := range s.Enum.Values {
			kinds |= kindOfDecoded(value)
		}
	case s.Properties != nil:
		kinds = Object
	case itemSchema(s) != nil:
		kinds = Array
	}
	return kinds
}

// kindOfDecoded returns the kind of a decoded value.
func kindOfDecoded(value any) Kinds {
	switch value.(type) {
	case string:
		return String
	case bool:
		return Boolean
	case nil:
		return Null
	case []any:
		return Array
	case map[string]any:
		return Object
	}
	return Number
}
