package tool

import (
	"encoding/json"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema/yamldoc"
)

// A property is one entry of "parameters" or of nested "properties". It is JSON Schema except for "required", a
// boolean which says whether the containing object needs it.
type property struct {
	name         string
	key          yamldoc.Value // for its position
	value        yamldoc.Value
	keywords     []member // its schema without the default
	defaultValue json.RawMessage
	required     bool // "required: true" is set
	optional     bool // "required: false" is set
}

func readProperties(v yamldoc.Value) ([]property, bool) {
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

func readProperty(v yamldoc.Value) (p property, good bool) {
	p.value = v
	m, good := v.Map(propertyKeys...)
	for _, key := range m.Keys() {
		value, ok := m.Get(key), true
		switch read := keywordReader(key); {
		case read != nil:
			var raw json.RawMessage
			raw, ok = read(value)
			p.keywords = append(p.keywords, member{key, raw})
		case key == "properties":
			ok = p.readObject(m)
		case key == "default":
			p.defaultValue, ok = value.JSON()
		case key == "identifier":
			_, ok = value.Bool()
		case key == "ask":
			_, ok = value.Text()
		case key == "required":
			p.required, ok = readRequired(value)
			p.optional = ok && !p.required
		}
		good = good && ok
	}
	if p.required && p.defaultValue != nil {
		m.Key("default").Add(diag.DefValue, "a required parameter cannot have a default")
		good = false
	}
	return p, good
}

// readObject reads the properties of an object. Other properties are not allowed unless the schema says so.
func (p *property) readObject(m yamldoc.Map) bool {
	fields, ok := readProperties(m.Get("properties"))
	object := objectKeywords(fields)
	if m.Get("additionalProperties").IsPresent() {
		object = slices.DeleteFunc(object, func(k member) bool { return k.key == "additionalProperties" })
	}
	p.keywords = append(p.keywords, object...)
	return ok
}

// objectKeywords returns the keywords of an object with these properties and no others.
func objectKeywords(fields []property) []member {
	props, required := []byte{'{'}, []byte{'['}
	for i, f := range fields {
		if i > 0 {
			props = append(props, ',')
		}
		props = append(append(props, quote.JSON(f.name)...), ':')
		props = append(props, f.schema()...)
		if f.required || !f.optional && f.defaultValue == nil {
			if len(required) > 1 {
				required = append(required, ',')
			}
			required = append(required, quote.JSON(f.name)...)
		}
	}
	out := []member{{"properties", append(props, '}')}}
	if len(required) > 1 {
		out = append(out, member{"required", append(required, ']')})
	}
	return append(out, member{"additionalProperties", json.RawMessage("false")})
}

func (p property) schema() json.RawMessage {
	keywords := p.keywords
	if p.defaultValue != nil {
		keywords = append(slices.Clone(keywords), member{"default", p.defaultValue})
	}
	return encodeObject(keywords)
}

func encodeObject(ms []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range ms {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote.JSON(m.key)...), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}
