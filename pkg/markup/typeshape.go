package markup

import (
	"encoding/json"
	"strings"
)

// Kinds is a set of kinds of JSON values. The empty set means that nothing is
// known, and stands for all of them.
type Kinds uint8

// The kinds of JSON values.
const (
	String Kinds = 1 << iota
	Integer
	Number // with or without a fraction
	Boolean
	Null
	Array
	Object
)

// A Toolset holds the shape of the arguments of each tool, by its name.
type Toolset map[string]*Shape

// A Shape is what a JSON Schema says about the types of a value. The shape of a
// schema that refers to itself contains itself.
type Shape struct {
	Kinds      Kinds
	Properties map[string]*Shape // of an object; nil if they are not known
	Items      *Shape            // of an array; nil if they are not known
}

// Property returns the shape of a member of an object, nil if it is not known.
func (s *Shape) Property(name string) *Shape {
	if s == nil {
		return nil
	}
	return s.Properties[name]
}

// declares reports whether the shape has a member, and whether it has all that
// there are.
func (s *Shape) declares(name string) (has, knows bool) {
	if s == nil || s.Properties == nil {
		return false, false
	}
	_, has = s.Properties[name]
	return has, true
}

// items returns the shape of the items of an array, nil if it is not known.
func (s *Shape) items() *Shape {
	if s == nil {
		return nil
	}
	return s.Items
}

// kinds returns the kinds of a shape that may be nil.
func (s *Shape) kinds() Kinds {
	if s == nil {
		return 0
	}
	return s.Kinds
}

// typeNames are the names of types: those of JSON Schema, and those that
// definitions made from programs have instead, in small letters.
var typeNames = map[string]Kinds{
	"string": String, "str": String, "text": String, "char": String, "varchar": String, "enum": String,
	"integer": Integer, "int": Integer, "int32": Integer, "int64": Integer, "long": Integer, "short": Integer, "byte": Integer, "uint": Integer, "bigint": Integer,
	"number": Number | Integer, "float": Number | Integer, "double": Number | Integer, "decimal": Number | Integer,
	"boolean": Boolean, "bool": Boolean, "null": Null, "none": Null,
	"array": Array, "list": Array, "tuple": Array, "set": Array, "arraylist": Array,
	"object": Object, "dict": Object, "map": Object, "hashmap": Object, "hashtable": Object, "struct": Object,
}

// ShapeOf returns the shape that a JSON Schema describes. What it does not
// understand, such as a reference to another document, is a value of any kind.
func ShapeOf(schema json.RawMessage) *Shape {
	r := shapeBuilder{root: schema, refs: map[string]*Shape{}, objects: map[string]map[string]json.RawMessage{}}
	return r.newShape(schema, 0)
}

// Bounds of what is looked at in one schema.
const (
	maxShapeDepth = 64
	maxShapeParts = 1 << 16
)

// A shapeBuilder finds shapes in one schema. Its recursion is bounded by shapeDepth,
// its work by shapeParts.
type shapeBuilder struct {
	root  json.RawMessage
	refs  map[string]*Shape // the references that were resolved
	parts int

	objects map[string]map[string]json.RawMessage // on the way to them, by JSON pointer
}

// keywords are those of JSON Schema that say something about types.
type keywords struct {
	Ref        string                     `json:"$ref"`
	Type       json.RawMessage            `json:"type"`
	Nullable   bool                       `json:"nullable"`
	Enum       []json.RawMessage          `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Properties map[string]json.RawMessage `json:"properties"`
	Items      json.RawMessage            `json:"items"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
	AllOf      []json.RawMessage          `json:"allOf"`
}

func (r *shapeBuilder) newShape(text json.RawMessage, depth int) *Shape {
	s := &Shape{}
	r.fill(s, text, depth)
	return s
}

// fill adds to a shape what a schema says.
func (r *shapeBuilder) fill(s *Shape, text json.RawMessage, depth int) {
	var of keywords
	r.parts++
	if depth > maxShapeDepth || r.parts > maxShapeParts || json.Unmarshal(text, &of) != nil {
		return
	}
	s.Kinds = of.kinds()
	if of.Properties != nil {
		s.Properties = make(map[string]*Shape, len(of.Properties))
		for name, property := range of.Properties {
			s.Properties[name] = r.newShape(property, depth+1)
		}
	}
	if of.Items != nil {
		s.Items = r.newShape(of.Items, depth+1)
	}
	if of.Ref != "" {
		s.narrow(r.resolve(of.Ref, depth+1))
	}
	for _, part := range of.AllOf {
		s.narrow(r.newShape(part, depth+1))
	}
	for _, choice := range [][]json.RawMessage{of.AnyOf, of.OneOf} {
		if len(choice) > 0 {
			s.narrow(r.union(choice, depth+1))
		}
	}
	if of.Nullable && s.Kinds != 0 {
		s.Kinds |= Null
	}
}

// kinds returns what the keywords say that are about the value itself.
func (of *keywords) kinds() Kinds {
	if kinds, ok := namedKinds(of.Type); ok {
		return kinds
	}
	values := of.Enum
	if of.Const != nil {
		values = []json.RawMessage{of.Const}
	}
	var kinds Kinds
	for _, value := range values {
		kinds |= jsonKind(value)
	}
	switch {
	case kinds != 0:
	case of.Properties != nil:
		kinds = Object
	case of.Items != nil:
		kinds = Array
	}
	return kinds
}

// namedKinds reads a type, or a list of them. An unknown name is any kind.
func namedKinds(text json.RawMessage) (Kinds, bool) {
	var names []string
	var one string
	switch {
	case text == nil:
		return 0, false
	case json.Unmarshal(text, &one) == nil:
		names = []string{one}
	case json.Unmarshal(text, &names) != nil:
		return 0, false
	}
	var kinds Kinds
	for _, name := range names {
		named, ok := typeNames[strings.ToLower(name)]
		if !ok {
			return 0, true
		}
		kinds |= named
	}
	return kinds, true
}

// jsonKind returns the kind of a JSON value.
func jsonKind(value json.RawMessage) Kinds {
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
	if strings.ContainsAny(string(value), ".eE") {
		return Number
	}
	return Integer
}

// resolve returns the shape that a reference into the same document points to.
func (r *shapeBuilder) resolve(ref string, depth int) *Shape {
	if s, ok := r.refs[ref]; ok {
		return s
	}
	s := &Shape{}
	r.refs[ref] = s
	path, ok := strings.CutPrefix(ref, "#")
	at, prefix := r.root, ""
	for _, step := range strings.Split(path, "/")[1:] {
		at, prefix = r.members(prefix, at)[unescapes.Replace(step)], prefix+"/"+step
		if at == nil {
			return s
		}
	}
	if ok {
		r.fill(s, at, depth)
	}
	return s
}

var unescapes = strings.NewReplacer("~1", "/", "~0", "~")

// members returns the members of the object at a JSON pointer, which is read once.
func (r *shapeBuilder) members(pointer string, at json.RawMessage) map[string]json.RawMessage {
	members, ok := r.objects[pointer]
	if !ok && json.Unmarshal(at, &members) != nil {
		members = nil
	}
	r.objects[pointer] = members
	return members
}

// union returns the shape of a value that has one of several shapes.
func (r *shapeBuilder) union(choice []json.RawMessage, depth int) *Shape {
	s, open := &Shape{}, false
	for _, text := range choice {
		one := r.newShape(text, depth)
		open = open || one.Kinds == 0
		s.Kinds |= one.Kinds
		s.mergeMembers(one)
	}
	if open {
		s.Kinds = 0
	}
	return s
}

// narrow narrows a shape to values that have another one, too.
func (s *Shape) narrow(other *Shape) {
	switch {
	case s.Kinds == 0:
		s.Kinds = other.Kinds
	case other.Kinds != 0 && s.Kinds&other.Kinds != 0:
		s.Kinds &= other.Kinds
	}
	s.mergeMembers(other)
}

// mergeMembers takes over what another shape says about members and items. Where both
// know a member it can be of the kinds of both.
func (s *Shape) mergeMembers(other *Shape) {
	if s.Items == nil {
		s.Items = other.Items
	}
	if other.Properties == nil {
		return
	}
	mine := make(map[string]*Shape, len(s.Properties)+len(other.Properties))
	for name, property := range s.Properties {
		mine[name] = property
	}
	for name, property := range other.Properties {
		mine[name] = property.union(mine[name])
	}
	s.Properties = mine
}

// union returns the shape of a value that has this shape or another, which may be
// nil for none.
func (s *Shape) union(other *Shape) *Shape {
	if other == nil || other == s {
		return s
	}
	both := &Shape{Properties: s.Properties, Items: s.Items}
	if s.Kinds != 0 && other.Kinds != 0 {
		both.Kinds = s.Kinds | other.Kinds
	}
	if both.Properties == nil {
		both.Properties = other.Properties
	}
	if both.Items == nil {
		both.Items = other.Items
	}
	return both
}
