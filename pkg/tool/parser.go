package tool

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on nesting: of types, and of the parser, which brackets that mean
// nothing can take deeper.
const (
	maxTypeDepth = 32
	maxRecursion = 4 * maxTypeDepth
)

// A parser reads one signature or type by recursive descent; its depth is
// bounded by [maxRecursion].
type parser struct {
	src   string
	rest  []lexeme
	depth int
}

func (p *parser) peek() lexeme { return p.rest[0] }

// ahead is the lexeme after the next.
func (p *parser) ahead() lexeme { return p.rest[min(1, len(p.rest)-1)] }

func (p *parser) next() lexeme {
	l := p.rest[0]
	if len(p.rest) > 1 {
		p.rest = p.rest[1:]
	}
	return l
}

// accept takes the next lexeme if it is the sign.
func (p *parser) accept(sign byte) bool {
	if p.peek().kind != sign {
		return false
	}
	p.next()
	return true
}

// expect takes the sign; wanted says what it would have been.
func (p *parser) expect(sign byte, wanted string) *SignatureError {
	if !p.accept(sign) {
		return p.unexpected(wanted)
	}
	return nil
}

func (p *parser) unexpected(wanted string) *SignatureError {
	return wrong(p.peek().start, "%s must stand here, not %s", wanted, p.peek())
}

// signature reads name(params): type, and where each parameter begins.
func (p *parser) signature() (s Signature, starts []int, err *SignatureError) {
	name := p.peek()
	if name.kind != 'a' {
		return s, nil, p.unexpected("the name of the tool")
	}
	p.next()
	s.Name = name.text
	if err = p.expect('(', "( after the name"); err != nil {
		return s, nil, err
	}
	if s.Params, starts, err = p.params(')'); err != nil {
		return s, nil, err
	}
	if p.accept(':') {
		if p.peek().text == "void" && p.ahead().kind != '|' {
			p.next()
		} else if s.Returns, err = p.union(); err != nil {
			return s, nil, err
		}
	}
	p.accept(';')
	return s, starts, p.expect(0, "the end of the signature")
}

// params reads parameters or fields up to the closing sign, in either spelling,
// and where each begins.
func (p *parser) params(closing byte) (out []Param, starts []int, err *SignatureError) {
	seen := map[string]bool{}
	for !p.accept(closing) {
		start := p.peek().start
		param, err := p.param(closing)
		switch {
		case err != nil:
			return nil, nil, err
		case seen[param.Name]:
			return nil, nil, wrong(start, "the name %q stands twice", param.Name)
		}
		seen[param.Name] = true
		out, starts = append(out, param), append(starts, start)
		if p.peek().kind == closing {
			continue
		}
		if !p.accept(',') && !p.accept(';') {
			return nil, nil, p.unexpected(", or " + string(rune(closing)))
		}
	}
	return out, starts, nil
}

// param reads "name?: type = value" or "type name? = value".
func (p *parser) param(closing byte) (out Param, err *SignatureError) {
	out.Type = &Type{Kind: Any}
	first := p.peek()
	nameFirst := p.atName() && bytes.IndexByte([]byte(":?,;=})\x00"), p.ahead().kind) >= 0
	if !nameFirst {
		if out.Type, err = p.union(); err != nil {
			return out, err
		}
		if !p.atName() {
			return out, p.unexpected("the name of a parameter")
		}
	}
	if out.Name, err = p.name(); err != nil {
		return out, err
	}
	out.Optional = p.accept('?')
	if nameFirst && p.accept(':') {
		if out.Type, err = p.union(); err != nil {
			return out, err
		}
	} else if nameFirst && first.kind == 'a' && closing == ')' && isTypeWord(out.Name) {
		return out, wrong(first.start, "%s is a type, and the parameter has no name", out.Name)
	}
	if p.accept('=') {
		out.Default, err = p.value()
		out.Optional = true
	}
	return out, err
}

// atName reports whether a name can begin here.
func (p *parser) atName() bool { return p.peek().kind == 'a' || p.peek().kind == '"' }

// name reads a name, in quotes or without.
func (p *parser) name() (string, *SignatureError) {
	l := p.next()
	if l.kind == 'a' {
		return l.text, nil
	}
	name, err := jsontext.AppendUnquote(nil, l.text)
	if err != nil || len(name) == 0 {
		return "", wrong(l.start, "a name must not be empty")
	}
	return string(name), nil
}

// value reads a default value: a literal, or a list or an object as in JSON.
func (p *parser) value() (json.RawMessage, *SignatureError) {
	l := p.peek()
	switch {
	case l.kind == '"', l.kind == '0', l.text == "true", l.text == "false", l.text == "null":
		p.next()
		return json.RawMessage(l.text), nil
	case l.kind != '[' && l.kind != '{':
		return nil, p.unexpected("a value")
	}
	dec := jsontext.NewDecoder(bytes.NewBufferString(p.src[l.start:]))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, wrong(l.start, "this value is no JSON")
	}
	value := v.Clone()
	if err := value.Compact(); err != nil {
		return nil, wrong(l.start, "this value is no JSON")
	}
	for end := l.start + int(dec.InputOffset()); p.peek().start < end && p.peek().kind != 0; {
		p.next()
	}
	return json.RawMessage(value), nil
}
