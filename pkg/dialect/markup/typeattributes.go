package markup

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema"
)

// A valueForm is the format of a value as declared by its tag.
type valueForm string

// The formats, as in the attribute FormAttr.
const (
	noForm valueForm = ""
	asText valueForm = "raw"
	asJSON valueForm = "json"
	asDict valueForm = "dict" // parameter tags with names
	asList valueForm = "list" // parameter tags without names
)

// isContainer reports whether a value consists of parameter tags.
func (f valueForm) isContainer() bool { return f == asDict || f == asList }

// formOf returns the declared format.
func (s *Syntax) formOf(attributes []attribute) valueForm {
	if len(attributes) == 0 {
		return noForm
	}
	if a, ok := findAttribute(attributes, s.FormAttr); ok {
		switch f := valueForm(a.value); f {
		case asText, asJSON, asDict, asList:
			return f
		}
	}
	if a, ok := findAttribute(attributes, s.StringAttr); ok {
		switch a.value {
		case "true":
			return asText
		case "false":
			return asJSON
		}
	}
	switch s.typeAttrKinds(attributes) {
	case 0:
		return noForm
	case schema.String:
		return asText
	}
	return asJSON
}

// typeNames are type names in lower case: those of JSON Schema, and those of programming languages.
var typeNames = map[string]schema.Kinds{
	"string": schema.String, "str": schema.String, "text": schema.String, "char": schema.String, "varchar": schema.String, "enum": schema.String,
	"integer": schema.Number, "int": schema.Number, "int32": schema.Number, "int64": schema.Number, "long": schema.Number, "short": schema.Number, "byte": schema.Number, "uint": schema.Number, "bigint": schema.Number,
	"number": schema.Number, "float": schema.Number, "double": schema.Number, "decimal": schema.Number,
	"boolean": schema.Boolean, "bool": schema.Boolean, "null": schema.Null, "none": schema.Null,
	"array": schema.Array, "list": schema.Array, "tuple": schema.Array, "set": schema.Array, "arraylist": schema.Array,
	"object": schema.Object, "dict": schema.Object, "map": schema.Object, "hashmap": schema.Object, "hashtable": schema.Object, "struct": schema.Object,
}

// typeAttrKinds returns the kinds that the type attribute names.
func (s *Syntax) typeAttrKinds(attributes []attribute) schema.Kinds {
	a, ok := findAttribute(attributes, s.TypeAttr)
	if !ok {
		return 0
	}
	return typeNames[strings.ToLower(a.value)]
}

// decodeAttributed decodes a text whose tag has attributes.
func (v *valueReader) decodeAttributed(text []byte, attributes []attribute, shape *schema.Shape) json.RawMessage {
	s := v.m.syntax
	text, hasSourceOffsets := v.m.decodeText(text)
	kinds := shape.Kinds()
	switch s.formOf(attributes) {
	case asText:
		return v.decodeDeclaredText(text, kinds, hasSourceOffsets)
	case asJSON:
		if kinds == 0 {
			kinds = s.typeAttrKinds(attributes)
		}
		return v.decodeDeclaredJSON(text, kinds, hasSourceOffsets)
	}
	if s.FormAttr+s.StringAttr != "" {
		v.noteWrongAttribute(len(text), "the tag does not declare the value's format; inferred from its type")
	}
	return v.decode(text, kinds, hasSourceOffsets)
}

// decodeDeclaredText decodes a text that its tag declares as text. The tag is overruled only if the
// definition does not allow text and the text is strictly of an allowed kind.
func (v *valueReader) decodeDeclaredText(text []byte, kinds schema.Kinds, hasSourceOffsets bool) json.RawMessage {
	if kinds != 0 && kinds&schema.String == 0 && v.isStrictJSON(text) {
		if value, ok := v.decodeJSON(text, kinds, hasSourceOffsets); ok {
			v.noteWrongAttribute(len(text), "the tag declares text, but the tool definition does not allow text")
			return value
		}
	}
	return v.decodeAsText(text)
}

// decodeDeclaredJSON decodes a text that its tag declares as JSON. Text that is not JSON, or not of
// an allowed kind if the definition also allows text, stays text.
func (v *valueReader) decodeDeclaredJSON(text []byte, kinds schema.Kinds, hasSourceOffsets bool) json.RawMessage {
	if kinds == 0 {
		kinds = schema.AnyKind
	}
	if value, ok := v.decodeJSON(text, kinds, hasSourceOffsets); ok {
		return value
	}
	if kinds&schema.String == 0 && v.isStrictJSON(text) { // schema validation reports the mismatch
		if value, ok := v.decodeJSON(text, schema.AnyKind, hasSourceOffsets); ok {
			return value
		}
	}
	v.noteWrongAttribute(len(text), "the tag declares JSON, but %s; read as text", whyNotJSON(text))
	return v.decodeAsText(text)
}

// whyNotJSON explains why a text is not JSON.
func whyNotJSON(text []byte) string {
	for _, f := range literal.ParseJSON(string(text)).Findings {
		if f.Severity == diag.Error {
			return f.Message
		}
	}
	return "the tool definition expects text"
}

// noteWrongAttribute reports wrong attributes of a tag, with the size of the value.
func (v *valueReader) noteWrongAttribute(size int, format string, args ...any) {
	f := v.m.note(diag.CallMember, v.start, v.start+size, format, args...)
	f.Severity, f.Path = diag.Warning, v.path()
}
