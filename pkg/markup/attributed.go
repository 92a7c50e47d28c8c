package markup

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A form is how the tag of a parameter says that its value is written.
type form string

// The forms, as the attribute FormAttr has them.
const (
	unsaid form = ""
	asText form = "raw"
	asJSON form = "json"
	asDict form = "dict" // tags of parameters with names
	asList form = "list" // tags of parameters without
)

// holds reports whether a value is tags of parameters.
func (f form) holds() bool { return f == asDict || f == asList }

// form returns the form that attributes say.
func (s *Syntax) form(attributes []attribute) form {
	if len(attributes) == 0 {
		return unsaid
	}
	if a, ok := attr(attributes, s.FormAttr); ok {
		switch f := form(a.value); f {
		case asText, asJSON, asDict, asList:
			return f
		}
	}
	if a, ok := attr(attributes, s.StringAttr); ok {
		switch a.value {
		case "true":
			return asText
		case "false":
			return asJSON
		}
	}
	switch s.named(attributes) {
	case 0:
		return unsaid
	case String:
		return asText
	}
	return asJSON
}

// named returns the kinds that the attribute with a type names.
func (s *Syntax) named(attributes []attribute) Kinds {
	a, ok := attr(attributes, s.TypeAttr)
	if !ok {
		return 0
	}
	return typeNames[strings.ToLower(a.value)]
}

// attributed returns what a text says whose tag has attributes.
func (v *valueReader) attributed(text []byte, attributes []attribute, shape *Shape) json.RawMessage {
	s := v.m.syntax
	text, plain := v.m.plain(text)
	kinds := shape.kinds()
	switch s.form(attributes) {
	case asText:
		return v.asText(text, kinds, plain)
	case asJSON:
		if kinds == 0 {
			kinds = s.named(attributes)
		}
		return v.asJSON(text, kinds, plain)
	}
	if s.FormAttr+s.StringAttr != "" {
		v.say(len(text), "the tag does not say how the value is written: that is told by its type")
	}
	return v.read(text, kinds, plain)
}

// asText returns a text that its tag says to be text. Only where the definition
// knows of no text there, and it is strictly what that wants, the tag is wrong.
func (v *valueReader) asText(text []byte, kinds Kinds, plain bool) json.RawMessage {
	if kinds != 0 && kinds&String == 0 && v.valid(text) {
		if value, ok := v.json(text, kinds, plain); ok {
			v.say(len(text), "the tag says that this is text, and the definition that it is not")
			return value
		}
	}
	return v.text(text)
}

// asJSON returns the value of a text that its tag says to be JSON. Text that is
// none, or not what the definition wants where that knows of text, is text.
func (v *valueReader) asJSON(text []byte, kinds Kinds, plain bool) json.RawMessage {
	if kinds == 0 {
		kinds = anyJSON
	}
	if value, ok := v.json(text, kinds, plain); ok {
		return value
	}
	if kinds&String == 0 && v.valid(text) { // that it does not fit is told elsewhere
		if value, ok := v.json(text, anyJSON, plain); ok {
			return value
		}
	}
	v.say(len(text), "the tag says that this is JSON, but %s: it is taken as text", whyNotJSON(text))
	return v.text(text)
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
	return "the definition wants text"
}

// say reports that the attributes of a tag are not as they should be, with the size of
// the value.
func (v *valueReader) say(size int, format string, args ...any) {
	f := v.m.note(diag.CallMember, v.start, v.start+size, format, args...)
	f.Severity, f.Path = diag.Warning, v.path()
}
