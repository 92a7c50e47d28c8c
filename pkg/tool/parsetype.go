package tool

import (
	"encoding/json"
	"maps"
	"slices"

	"oneshot/pkg/schema"
)

var typeNames = map[string]Kind{
	"any": Any, "unknown": Any, "string": String, "number": Number, "integer": Integer,
	"boolean": Boolean, "null": Null, "object": Object, "array": Array,
}

// foreignTypeNames are type names of other languages.
var foreignTypeNames = map[string]string{
	"int": "integer", "long": "integer", "float": "number", "double": "number", "bool": "boolean",
	"str": "string", "text": "string", "list": "array", "dict": "object", "map": "object",
	"Date": "string", "undefined": "null", "None": "null",
}

func isTypeName(name string) bool {
	_, ok := typeNames[name]
	return ok || name == "Array" || name == "Record"
}

func (p *parser) parseUnion() (*Type, *SignatureError) {
	if p.depth++; p.depth > maxRecursion {
		return nil, errorAt(p.peek().start, "types are nested too deeply")
	}
	defer func() { p.depth-- }()
	p.accept('|')
	var options []*Type
	for {
		t, err := p.parseArray()
		if err != nil {
			return nil, err
		}
		options = append(options, t)
		if !p.accept('|') {
			return unionOf(options...), nil
		}
	}
}

// parseArray parses a type followed by any number of [].
func (p *parser) parseArray() (*Type, *SignatureError) {
	t, err := p.parsePrimary()
	for brackets := 0; err == nil && p.accept('['); brackets++ {
		if brackets == maxTypeDepth {
			return nil, errorAt(p.peek().start, "types are nested too deeply")
		}
		err = p.expect(']', "] after [")
		t = arrayOf(t)
	}
	return t, err
}

// parsePrimary parses a type without brackets.
func (p *parser) parsePrimary() (*Type, *SignatureError) {
	l := p.peek()
	switch {
	case l.kind == '(':
		p.next()
		t, err := p.parseUnion()
		if err != nil {
			return nil, err
		}
		return t, p.expect(')', ") after the type")
	case l.kind == '{':
		p.next()
		return p.parseObject()
	case l.kind == '"', l.kind == '0', l.text == "true", l.text == "false":
		p.next()
		return literalOf(json.RawMessage(l.text)), nil
	case l.kind == 'a':
		p.next()
		return p.parseNamed(l)
	}
	return nil, p.errorExpected("a type")
}

// parseObject parses the fields or the index signature of an object type.
func (p *parser) parseObject() (*Type, *SignatureError) {
	if p.peek().kind == '[' {
		return p.parseIndexSignature()
	}
	fields, _, err := p.parseParams('}')
	return &Type{Kind: Struct, Fields: fields}, err
}

// parseIndexSignature parses "[key: string]: type}".
func (p *parser) parseIndexSignature() (*Type, *SignatureError) {
	p.next()
	p.next()
	if err := p.expect(':', ": after the name of the key"); err != nil {
		return nil, err
	}
	if p.peek().text != "string" {
		return nil, p.errorExpected("string")
	}
	p.next()
	if err := p.expect(']', "]"); err != nil {
		return nil, err
	}
	if err := p.expect(':', ": before the type of the values"); err != nil {
		return nil, err
	}
	t, err := p.parseUnion()
	if err != nil {
		return nil, err
	}
	if !p.accept(',') {
		p.accept(';')
	}
	return recordOf(t), p.expect('}', "}")
}

// parseNamed parses the rest of a type that begins with a word.
func (p *parser) parseNamed(l token) (*Type, *SignatureError) {
	if p.peek().kind == '<' && (l.text == "Array" || l.text == "Record") {
		return p.parseGeneric(l.text)
	}
	kind, ok := typeNames[l.text]
	switch {
	case kind == Array:
		return arrayOf(&Type{Kind: Any}), nil
	case ok:
		return &Type{Kind: kind}, nil
	case isTypeName(p.peek().text):
		return nil, errorAt(l.end, "missing colon between %s and %s", l.text, p.peek().text)
	}
	meant := foreignTypeNames[l.text]
	if meant == "" {
		meant = schema.ClosestMatch(l.text, slices.Sorted(maps.Keys(typeNames)))
	}
	if meant != "" {
		return nil, errorAt(l.start, "unknown type %s, did you mean %s?", l.text, meant)
	}
	return nil, errorAt(l.start, "unknown type %s", l.text)
}

// parseGeneric parses "<T>" after Array and "<string, T>" after Record.
func (p *parser) parseGeneric(of string) (*Type, *SignatureError) {
	p.next()
	if of == "Record" {
		if p.peek().text != "string" {
			return nil, p.errorExpected("string")
		}
		p.next()
		if err := p.expect(',', ", after string"); err != nil {
			return nil, err
		}
	}
	t, err := p.parseUnion()
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
