package tool

import (
	"encoding/json"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// A property is one entry of "parameters", or of "properties" inside of one. It
// is JSON Schema, but for "required", which says whether its object must have it.
type property struct {
	name     string
	key      yamldoc.Value // for its place
	value    yamldoc.Value
	keywords []member // its schema, without the default
	fallback json.RawMessage
	required bool // it is said that it must be given
	optional bool // it is said that it need not be
}

// properties reads a mapping of properties, in order.
func properties(v yamldoc.Value) ([]property, bool) {
	m, good := v.Map()
	var out []property
	for _, name := range m.Keys() {
		p, ok := readProperty(m.Get(name))
		p.name, p.key = name, m.Key(name)
		if name == "" {
			p.key.Add(diag.DefValue, "a name must not be empty")
			ok = false
		}
		out, good = append(out, p), good && ok
	}
	return out, good
}

// readProperty reads one property.
func readProperty(v yamldoc.Value) (p property, good bool) {
	p.value = v
	m, good := v.Map(propertyKeys...)
	for _, key := range m.Keys() {
		value, ok := m.Get(key), true
		switch read := readerOf(key); {
		case read != nil:
			var raw json.RawMessage
			raw, ok = read(value)
			p.keywords = append(p.keywords, member{key, raw})
		case key == "properties":
			ok = p.object(m)
		case key == "default":
			p.fallback, ok = value.JSON()
		case key == "identifier":
			_, ok = value.Bool()
		case key == "ask":
			_, ok = value.Text()
		case key == "required":
			p.required, ok = required(value)
			p.optional = ok && !p.required
		}
		good = good && ok
	}
	if p.required && p.fallback != nil {
		m.Key("default").Add(diag.DefValue, "a parameter that must be given has no use for a default")
		good = false
	}
	return p, good
}

// object reads the properties of an object, which has no others unless that is
// said.
func (p *property) object(m yamldoc.Map) bool {
	fields, ok := properties(m.Get("properties"))
	object := objectOf(fields)
	if m.Get("additionalProperties").Present() {
		object = slices.DeleteFunc(object, func(k member) bool { return k.key == "additionalProperties" })
	}
	p.keywords = append(p.keywords, object...)
	return ok
}

// objectOf returns the keywords of an object with these properties and no others.
func objectOf(fields []property) []member {
	props, required := []byte{'{'}, []byte{'['}
	for i, f := range fields {
		if i > 0 {
			props = append(props, ',')
		}
		props = append(append(props, quote(f.name)...), ':')
		props = append(props, f.schema()...)
		if f.required || !f.optional && f.fallback == nil {
			if len(required) > 1 {
				required = append(required, ',')
			}
			required = append(required, quote(f.name)...)
		}
	}
	out := []member{{"properties", append(props, '}')}}
	if len(required) > 1 {
		out = append(out, member{"required", append(required, ']')})
	}
	return append(out, member{"additionalProperties", json.RawMessage("false")})
}

// schema writes the JSON Schema of the property.
func (p property) schema() json.RawMessage {
	keywords := p.keywords
	if p.fallback != nil {
		keywords = append(slices.Clone(keywords), member{"default", p.fallback})
	}
	return objectText(keywords)
}

// objectText writes a JSON object.
func objectText(ms []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range ms {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(m.key)...), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}
