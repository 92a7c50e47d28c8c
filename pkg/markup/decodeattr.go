package markup

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A valueForm is how the tag of a parameter says that its value is written.
type valueForm string

// The forms, as the attribute FormAttr has them.
const (
	noForm valueForm = ""
	asText valueForm = "raw"
	asJSON valueForm = "json"
	asDict valueForm = "dict" // tags of parameters with names
	asList valueForm = "list" // tags of parameters without
)

// holds reports whether a value is tags of parameters.
func (f valueForm) holds() bool { return f == asDict || f == asList }

// formOf returns the form that attributes say.
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
	case String:
		return asText
	}
	return asJSON
}

// typeAttrKinds returns the kinds that the attribute with a type names.
func (s *Syntax) typeAttrKinds(attributes []attribute) Kinds {
	a, ok := findAttribute(attributes, s.TypeAttr)
	if !ok {
		return 0
	}
	return typeNames[strings.ToLower(a.value)]
}

// decodeAttributed returns what a text says whose tag has attributes.
func (v *valueReader) decodeAttributed(text []byte, attributes []attribute, shape *Shape) json.RawMessage {
	s := v.m.syntax
	text, plain := v.m.decodeText(text)
	kinds := shape.kinds()
	switch s.formOf(attributes) {
	case asText:
		return v.decodeTextAttr(text, kinds, plain)
	case asJSON:
		if kinds == 0 {
			kinds = s.typeAttrKinds(attributes)
		}
		return v.decodeJSONAttr(text, kinds, plain)
	}
	if s.FormAttr+s.StringAttr != "" {
		v.noteAttribute(len(text), "the tag does not declare the value's format; inferred from its type")
	}
	return v.decode(text, kinds, plain)
}

// decodeTextAttr returns a text that its tag says to be text. Only where the definition
// knows of no text there, and it is strictly what that wants, the tag is wrong.
func (v *valueReader) decodeTextAttr(text []byte, kinds Kinds, plain bool) json.RawMessage {
	if kinds != 0 && kinds&String == 0 && v.isStrictJSON(text) {
		if value, ok := v.decodeJSON(text, kinds, plain); ok {
			v.noteAttribute(len(text), "the tag declares text, but the tool definition does not allow text")
			return value
		}
	}
	return v.decodeAsText(text)
}

// decodeJSONAttr returns the value of a text that its tag says to be JSON. Text that is
// none, or not what the definition wants where that knows of text, is text.
func (v *valueReader) decodeJSONAttr(text []byte, kinds Kinds, plain bool) json.RawMessage {
	if kinds == 0 {
		kinds = anyJSON
	}
	if value, ok := v.decodeJSON(text, kinds, plain); ok {
		return value
	}
	if kinds&String == 0 && v.isStrictJSON(text) { // that it does not fit is told elsewhere
		if value, ok := v.decodeJSON(text, anyJSON, plain); ok {
			return value
		}
	}
	v.noteAttribute(len(text), "the tag declares JSON, but %s; read as text", whyNotJSON(text))
	return v.decodeAsText(text)
}

// anyJSON are the kinds of all JSON.
const anyJSON = String | Integer | Number | Boolean | Null | Array | Object

// whyNotJSON says what is wrong with a text that should be JSON.
func whyNotJSON(text []byte) string {
	for _, f := range literal.ParseJSON(string(text)).Findings {
		if f.Severity == diag.Error {
			return f.Message
		}
	}
	return "the tool definition expects text"
}

// noteAttribute reports that the attributes of a tag are not as they should be, with the size of
// the value.
func (v *valueReader) noteAttribute(size int, format string, args ...any) {
	f := v.m.note(diag.CallMember, v.start, v.start+size, format, args...)
	f.Severity, f.Path = diag.Warning, v.path()
}
