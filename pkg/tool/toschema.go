package tool

import (
	"encoding/json"

	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
)

// Schema returns the JSON Schema of the arguments object, with the parameters in order and no other keys allowed.
func (s Signature) Schema() json.RawMessage {
	return appendObjectSchema(nil, s.Params)
}

// Schema returns the JSON Schema of the type.
func (t *Type) Schema() json.RawMessage { return t.appendSchema(nil) }

func (t *Type) appendSchema(b []byte) []byte {
	switch t.Kind {
	case Any:
		return append(b, "{}"...)
	case Array:
		if t.Items.Kind == Any {
			return append(b, `{"type":"array"}`...)
		}
		return append(t.Items.appendSchema(append(b, `{"type":"array","items":`...)), '}')
	case Record:
		return append(t.Items.appendSchema(append(b, `{"type":"object","additionalProperties":`...)), '}')
	case Struct:
		return appendObjectSchema(b, t.Fields)
	case Literal:
		return appendEnum(b, t.Values)
	case Union:
		return t.appendUnionSchema(b)
	}
	return append(b, `{"type":"`+string(t.Kind)+`"}`...)
}

// appendObjectSchema appends the schema of an object with these keys and no others.
func appendObjectSchema(b []byte, fields []Param) []byte {
	b = append(b, `{"type":"object","properties":{`...)
	required := []byte(nil)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		name := quote.JSON(f.Name)
		b = append(append(b, name...), ':')
		b = f.appendSchema(b)
		if !f.Optional {
			required = append(append(required, ','), name...)
		}
	}
	b = append(b, '}')
	if required != nil {
		b = append(append(b, `,"required":[`...), required[1:]...)
		b = append(b, ']')
	}
	return append(b, `,"additionalProperties":false}`...)
}

// appendSchema appends the schema of a parameter with its description and default.
func (p Param) appendSchema(b []byte) []byte {
	b = p.Type.appendSchema(b)
	b = b[:len(b)-1]
	add := func(key string, value []byte) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(b, `"`+key+`":`...), value...)
	}
	if p.Description != "" {
		add("description", []byte(quote.JSON(p.Description)))
	}
	if p.Default != nil {
		add("default", p.Default)
	}
	return append(b, '}')
}

// appendEnum appends the schema of listed values, with their types.
func appendEnum(b []byte, values []json.RawMessage) []byte {
	var types []*Type
	for _, v := range values {
		types = append(types, &Type{Kind: Kind(schema.TypeOf(v))})
	}
	b = append(b, '{')
	b = appendTypeKeyword(b, types)
	b = append(b, `,"enum":[`...)
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, `]}`...)
}

func appendTypeKeyword(b []byte, types []*Type) []byte {
	var names []string
	seen := map[Kind]bool{}
	for _, t := range types {
		if !seen[t.Kind] {
			seen[t.Kind] = true
			names = append(names, quote.JSON(string(t.Kind)))
		}
	}
	b = append(b, `"type":`...)
	if len(names) == 1 {
		return append(b, names[0]...)
	}
	for i, name := range names {
		sep := byte(',')
		if i == 0 {
			sep = '['
		}
		b = append(append(b, sep), name...)
	}
	return append(b, ']')
}

// appendUnionSchema appends the schema of a union: a list of types or values if possible, otherwise "anyOf".
func (t *Type) appendUnionSchema(b []byte) []byte {
	simples, literals, null := 0, 0, false
	for _, o := range t.Options {
		if o.isSimple() {
			simples++
		}
		if o.Kind == Literal {
			literals++
		}
		null = null || o.Kind == Null
	}
	if simples == len(t.Options) {
		return append(appendTypeKeyword(append(b, '{'), t.Options), '}')
	}
	if len(t.Options) == 2 && literals == 1 && null {
		var values []json.RawMessage
		for _, o := range t.Options {
			if o.Kind == Null {
				values = append(values, json.RawMessage("null"))
			}
			values = append(values, o.Values...)
		}
		return appendEnum(b, values)
	}
	b = append(b, `{"anyOf":[`...)
	for i, o := range t.Options {
		if i > 0 {
			b = append(b, ',')
		}
		b = o.appendSchema(b)
	}
	return append(b, `]}`...)
}
