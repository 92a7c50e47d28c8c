package markup

import (
	"encoding/json"
	"strings"
)

// Kinds is a set of kinds of JSON values. The empty set means unknown and matches all kinds.
type Kinds uint8

const (
	String Kinds = 1 << iota
	Integer
	Number // with or without a fraction
	Boolean
	Null
	Array
	Object
)

// A Toolset maps tool names to the shapes of their arguments.
type Toolset map[string]*Shape

// A Shape holds the types that a JSON Schema declares. The shape of a recursive schema contains
// itself.
type Shape struct {
	Kinds      Kinds
	Properties map[string]*Shape // of an object; nil if unknown
	Items      *Shape            // of an array; nil if unknown
}

// Property returns the shape of a member of an object, nil if unknown.
func (s *Shape) Property(name string) *Shape {
	if s == nil {
		return nil
	}
	return s.Properties[name]
}

// hasProperty reports whether the shape has a member, and whether it knows all members.
func (s *Shape) hasProperty(name string) (has, knows bool) {
	if s == nil || s.Properties == nil {
		return false, false
	}
	_, has = s.Properties[name]
	return has, true
}

// items returns the shape of the items of an array, nil if unknown.
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

// typeNames are type names in lower case: those of JSON Schema, and those in definitions
// generated from programs.
var typeNames = map[string]Kinds{
	"string": String, "str": String, "text": String, "char": String, "varchar": String, "enum": String,
	"integer": Integer, "int": Integer, "int32": Integer, "int64": Integer, "long": Integer, "short": Integer, "byte": Integer, "uint": Integer, "bigint": Integer,
	"number": Number | Integer, "float": Number | Integer, "double": Number | Integer, "decimal": Number | Integer,
	"boolean": Boolean, "bool": Boolean, "null": Null, "none": Null,
	"array": Array, "list": Array, "tuple": Array, "set": Array, "arraylist": Array,
	"object": Object, "dict": Object, "map": Object, "hashmap": Object, "hashtable": Object, "struct": Object,
}

// ShapeOf returns the shape that a JSON Schema describes. Unsupported parts, such as a reference
// to another document, allow any kind.
func ShapeOf(schema json.RawMessage) *Shape {
	r := shapeBuilder{root: schema, refs: map[string]*Shape{}, objects: map[string]map[string]json.RawMessage{}}
	return r.newShape(schema, 0)
}

// Limits for one schema.
const (
	maxShapeDepth = 64
	maxShapeParts = 1 << 16
)

// A shapeBuilder builds the shapes of one schema. maxShapeDepth limits its recursion,
// maxShapeParts its work.
type shapeBuilder struct {
	root  json.RawMessage
	refs  map[string]*Shape // resolved references
	parts int

	objects map[string]map[string]json.RawMessage // objects on the way to references, by JSON pointer
}

// keywords are the JSON Schema keywords about types.
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
	r.addSchema(s, text, depth)
	return s
}

// addSchema adds the declarations of a schema to a shape.
func (r *shapeBuilder) addSchema(s *Shape, text json.RawMessage, depth int) {
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
		s.narrow(r.resolveRef(of.Ref, depth+1))
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

// kinds returns the kinds from the keywords about the value itself.
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

// namedKinds parses a type or a list of types. An unknown name is any kind.
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

// resolveRef returns the shape of a reference into the same document.
func (r *shapeBuilder) resolveRef(ref string, depth int) *Shape {
	if s, ok := r.refs[ref]; ok {
		return s
	}
	s := &Shape{}
	r.refs[ref] = s
	path, ok := strings.CutPrefix(ref, "#")
	at, prefix := r.root, ""
	for _, step := range strings.Split(path, "/")[1:] {
		at, prefix = r.membersAt(prefix, at)[unescapes.Replace(step)], prefix+"/"+step
		if at == nil {
			return s
		}
	}
	if ok {
		r.addSchema(s, at, depth)
	}
	return s
}

var unescapes = strings.NewReplacer("~1", "/", "~0", "~")

// membersAt returns the members of the object at a JSON pointer. It parses each object once.
func (r *shapeBuilder) membersAt(pointer string, at json.RawMessage) map[string]json.RawMessage {
	members, ok := r.objects[pointer]
	if !ok && json.Unmarshal(at, &members) != nil {
		members = nil
	}
	r.objects[pointer] = members
	return members
}

// union returns the shape of a value with one of several shapes.
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

// narrow restricts a shape to values that also have another shape.
func (s *Shape) narrow(other *Shape) {
	switch {
	case s.Kinds == 0:
		s.Kinds = other.Kinds
	case other.Kinds != 0 && s.Kinds&other.Kinds != 0:
		s.Kinds &= other.Kinds
	}
	s.mergeMembers(other)
}

// mergeMembers adds the members and items of another shape. A member in both can be of the kinds
// of both.
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

// union returns the shape of a value with this shape or another, which may be nil.
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
