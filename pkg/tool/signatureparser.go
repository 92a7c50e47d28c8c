package tool

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on the nesting of types and on the recursion of the parser, which redundant
// parentheses can drive deeper.
const (
	maxTypeDepth = 32
	maxRecursion = 4 * maxTypeDepth
)

// A parser parses one signature or type by recursive descent. maxRecursion bounds its depth.
type parser struct {
	src   string
	rest  []token
	depth int
}

func (p *parser) peek() token { return p.rest[0] }

// peekSecond returns the token after the next.
func (p *parser) peekSecond() token { return p.rest[min(1, len(p.rest)-1)] }

func (p *parser) next() token {
	l := p.rest[0]
	if len(p.rest) > 1 {
		p.rest = p.rest[1:]
	}
	return l
}

// accept consumes the next token if it is the given sign.
func (p *parser) accept(sign byte) bool {
	if p.peek().kind != sign {
		return false
	}
	p.next()
	return true
}

// expect consumes the sign. wanted describes it in errors.
func (p *parser) expect(sign byte, wanted string) *SignatureError {
	if !p.accept(sign) {
		return p.errorExpected(wanted)
	}
	return nil
}

func (p *parser) errorExpected(wanted string) *SignatureError {
	return errorAt(p.peek().start, "expected %s, got %s", wanted, p.peek())
}

// parseSignature parses name(params): type. starts are the offsets of the parameters.
func (p *parser) parseSignature() (s Signature, starts []int, err *SignatureError) {
	name := p.peek()
	if name.kind != 'a' {
		return s, nil, p.errorExpected("the name of the tool")
	}
	p.next()
	s.Name = name.text
	if err = p.expect('(', "( after the name"); err != nil {
		return s, nil, err
	}
	if s.Params, starts, err = p.parseParams(')'); err != nil {
		return s, nil, err
	}
	if p.accept(':') {
		if p.peek().text == "void" && p.peekSecond().kind != '|' {
			p.next()
		} else if s.Returns, err = p.parseUnion(); err != nil {
			return s, nil, err
		}
	}
	p.accept(';')
	return s, starts, p.expect(0, "the end of the signature")
}

// parseParams parses parameters or fields up to the closing sign. starts are their offsets.
func (p *parser) parseParams(closing byte) (out []Param, starts []int, err *SignatureError) {
	seen := map[string]bool{}
	for !p.accept(closing) {
		start := p.peek().start
		param, err := p.parseParam(closing)
		switch {
		case err != nil:
			return nil, nil, err
		case seen[param.Name]:
			return nil, nil, errorAt(start, "duplicate name %q", param.Name)
		}
		seen[param.Name] = true
		out, starts = append(out, param), append(starts, start)
		if p.peek().kind == closing {
			continue
		}
		if !p.accept(',') && !p.accept(';') {
			return nil, nil, p.errorExpected(", or " + string(rune(closing)))
		}
	}
	return out, starts, nil
}

// parseParam parses "name?: type = value" or "type name? = value".
func (p *parser) parseParam(closing byte) (out Param, err *SignatureError) {
	out.Type = &Type{Kind: Any}
	first := p.peek()
	nameFirst := p.isAtName() && bytes.IndexByte([]byte(":?,;=})\x00"), p.peekSecond().kind) >= 0
	if !nameFirst {
		if out.Type, err = p.parseUnion(); err != nil {
			return out, err
		}
		if !p.isAtName() {
			return out, p.errorExpected("the name of a parameter")
		}
	}
	if out.Name, err = p.parseName(); err != nil {
		return out, err
	}
	out.Optional = p.accept('?')
	if nameFirst && p.accept(':') {
		if out.Type, err = p.parseUnion(); err != nil {
			return out, err
		}
	} else if nameFirst && first.kind == 'a' && closing == ')' && isTypeName(out.Name) {
		return out, errorAt(first.start, "missing parameter name: %s is a type", out.Name)
	}
	if p.accept('=') {
		out.Default, err = p.parseValue()
		out.Optional = true
	}
	return out, err
}

// isAtName reports whether a name can begin here.
func (p *parser) isAtName() bool { return p.peek().kind == 'a' || p.peek().kind == '"' }

func (p *parser) parseName() (string, *SignatureError) {
	l := p.next()
	if l.kind == 'a' {
		return l.text, nil
	}
	name, err := jsontext.AppendUnquote(nil, l.text)
	if err != nil || len(name) == 0 {
		return "", errorAt(l.start, "a name must not be empty")
	}
	return string(name), nil
}

// parseValue parses a default: a literal, or a JSON list or object.
func (p *parser) parseValue() (json.RawMessage, *SignatureError) {
	l := p.peek()
	switch {
	case l.kind == '"', l.kind == '0', l.text == "true", l.text == "false", l.text == "null":
		p.next()
		return json.RawMessage(l.text), nil
	case l.kind != '[' && l.kind != '{':
		return nil, p.errorExpected("a value")
	}
	dec := jsontext.NewDecoder(bytes.NewBufferString(p.src[l.start:]))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, errorAt(l.start, "invalid JSON value")
	}
	value := v.Clone()
	if err := value.Compact(); err != nil {
		return nil, errorAt(l.start, "invalid JSON value")
	}
	for end := l.start + int(dec.InputOffset()); p.peek().start < end && p.peek().kind != 0; {
		p.next()
	}
	return json.RawMessage(value), nil
}
