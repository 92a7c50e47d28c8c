package tool

import (
	"encoding/json"
	"maps"
	"slices"

	"oneshot/pkg/schema"
)

// words are the names of types.
var words = map[string]Kind{
	"any": Any, "unknown": Any, "string": String, "number": Number, "integer": Integer,
	"boolean": Boolean, "null": Null, "object": Object, "array": Array,
}

// otherWords are what the types are called elsewhere.
var otherWords = map[string]string{
	"int": "integer", "long": "integer", "float": "number", "double": "number", "bool": "boolean",
	"str": "string", "text": "string", "list": "array", "dict": "object", "map": "object",
	"Date": "string", "undefined": "null", "None": "null",
}

func isTypeWord(name string) bool {
	_, ok := words[name]
	return ok || name == "Array" || name == "Record"
}

// union reads types between bars.
func (p *parser) union() (*Type, *SignatureError) {
	if p.depth++; p.depth > maxRecursion {
		return nil, wrong(p.peek().start, "types are nested too deeply")
	}
	defer func() { p.depth-- }()
	p.accept('|')
	var options []*Type
	for {
		t, err := p.array()
		if err != nil {
			return nil, err
		}
		options = append(options, t)
		if !p.accept('|') {
			return unionOf(options...), nil
		}
	}
}

// array reads a type with its brackets.
func (p *parser) array() (*Type, *SignatureError) {
	t, err := p.single()
	for brackets := 0; err == nil && p.accept('['); brackets++ {
		if brackets == maxTypeDepth {
			return nil, wrong(p.peek().start, "types are nested too deeply")
		}
		err = p.expect(']', "] after [")
		t = arrayOf(t)
	}
	return t, err
}

// single reads a type without brackets.
func (p *parser) single() (*Type, *SignatureError) {
	l := p.peek()
	switch {
	case l.kind == '(':
		p.next()
		t, err := p.union()
		if err != nil {
			return nil, err
		}
		return t, p.expect(')', ") after the type")
	case l.kind == '{':
		p.next()
		return p.object()
	case l.kind == '"', l.kind == '0', l.text == "true", l.text == "false":
		p.next()
		return literalOf(json.RawMessage(l.text)), nil
	case l.kind == 'a':
		p.next()
		return p.named(l)
	}
	return nil, p.unexpected("a type")
}

// object reads the fields of an object, or what all its values are.
func (p *parser) object() (*Type, *SignatureError) {
	if p.peek().kind == '[' {
		return p.index()
	}
	fields, _, err := p.params('}')
	return &Type{Kind: Struct, Fields: fields}, err
}

// index reads "[key: string]: type}".
func (p *parser) index() (*Type, *SignatureError) {
	p.next()
	p.next()
	if err := p.expect(':', ": after the name of the key"); err != nil {
		return nil, err
	}
	if p.peek().text != "string" {
		return nil, p.unexpected("string")
	}
	p.next()
	if err := p.expect(']', "]"); err != nil {
		return nil, err
	}
	if err := p.expect(':', ": before the type of the values"); err != nil {
		return nil, err
	}
	t, err := p.union()
	if err != nil {
		return nil, err
	}
	if !p.accept(',') {
		p.accept(';')
	}
	return recordOf(t), p.expect('}', "}")
}

// named reads the rest of a type that begins with a word.
func (p *parser) named(l lexeme) (*Type, *SignatureError) {
	if p.peek().kind == '<' && (l.text == "Array" || l.text == "Record") {
		return p.generic(l.text)
	}
	kind, ok := words[l.text]
	switch {
	case kind == Array:
		return arrayOf(&Type{Kind: Any}), nil
	case ok:
		return &Type{Kind: kind}, nil
	case isTypeWord(p.peek().text):
		return nil, wrong(l.end, "a colon is missing between %s and %s", l.text, p.peek().text)
	}
	meant := otherWords[l.text]
	if meant == "" {
		meant = schema.Nearest(l.text, slices.Sorted(maps.Keys(words)))
	}
	if meant != "" {
		return nil, wrong(l.start, "unknown type %s, did you mean %s?", l.text, meant)
	}
	return nil, wrong(l.start, "unknown type %s", l.text)
}

// generic reads "<T>" after Array and "<string, T>" after Record.
func (p *parser) generic(of string) (*Type, *SignatureError) {
	p.next()
	if of == "Record" {
		if p.peek().text != "string" {
			return nil, p.unexpected("string")
		}
		p.next()
		if err := p.expect(',', ", after string"); err != nil {
			return nil, err
		}
	}
	t, err := p.union()
	if err != nil {
		return nil, err
	}
	if err := p.expect('>', ">"); err != nil {
		return nil, err
	}
	if of == "Record" {
		return recordOf(t), nil
	}
	return arrayOf(t), nil
}
