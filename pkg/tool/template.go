package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Template is text with holes, as a definition has it: ${name} is a hole for the value of the
// parameter of that name, $${ stands for ${ itself, and all else is text as it is. A value is
// never read again: what looks like a hole in it is text.
type Template struct{ pieces []piece }

// A piece of a template is text, a hole, or the place of a secret.
type piece struct {
	text   string
	hole   string // the name of a parameter
	secret string // the name of a secret, of ${secret:NAME}
	at     int    // where it begins in what is written, in bytes
}

func (p piece) isText() bool { return p.hole == "" && p.secret == "" }

// toSecret begins the name of a secret in a template that has places for them.
const toSecret = "secret:"

// A TemplateError says why a text is no template.
type TemplateError struct {
	Offset int // in bytes
	Why    string
	Hint   string
}

func (e *TemplateError) Error() string { return e.Why }

// ParseTemplate reads a template, which has no place for a secret.
func ParseTemplate(text string) (Template, *TemplateError) { return parseTemplate(text, false) }

func parseTemplate(text string, secrets bool) (Template, *TemplateError) {
	var t Template
	for at := 0; at < len(text); {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "$${"):
			t.write("${", at)
			at += len("$${")
		case strings.HasPrefix(rest, "${"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return t, &TemplateError{at, "the hole has no end", "write ${name}, or $${ for ${ itself"}
			}
			name := rest[len("${"):end]
			of, isSecret := strings.CutPrefix(name, toSecret)
			switch {
			case isSecret && secrets && isVariable([]byte(of)):
				t.pieces = append(t.pieces, piece{secret: of, at: at})
			case isName(name):
				t.pieces = append(t.pieces, piece{hole: name, at: at})
			default:
				return t, &TemplateError{at, fmt.Sprintf("%s is no hole", quote(short(rest[:end+1]))), noHole(name, secrets)}
			}
			at += end + 1
		default:
			next := strings.IndexByte(rest[1:], '$') + 1
			if next == 0 {
				next = len(rest)
			}
			t.write(rest[:next], at)
			at += next
		}
	}
	return t, nil
}

// noHole says what to write instead of something that is no hole.
func noHole(name string, secrets bool) string {
	switch isSecret := strings.HasPrefix(name, toSecret); {
	case isSecret && secrets:
		return "the name of a secret has letters, digits and _, as in ${secret:API_KEY}"
	case isSecret:
		return "a program gets a secret in its environment, by its name in env; a request has one in a header"
	}
	return "write ${name} with the name of a parameter, or $${ for ${ itself"
}

// write adds text.
func (t *Template) write(text string, at int) {
	if last := len(t.pieces) - 1; last >= 0 && t.pieces[last].isText() {
		t.pieces[last].text += text
		return
	}
	t.pieces = append(t.pieces, piece{text: text, at: at})
}

// holes returns the holes, in order.
func (t Template) holes() []piece {
	var out []piece
	for _, p := range t.pieces {
		if p.hole != "" {
			out = append(out, p)
		}
	}
	return out
}

// alone returns the name of the hole that is all of the template, or "".
func (t Template) alone() string {
	if len(t.pieces) == 1 {
		return t.pieces[0].hole
	}
	return ""
}

// secrets returns the names of the secrets.
func (t Template) secrets() []string {
	var out []string
	for _, p := range t.pieces {
		if p.secret != "" {
			out = append(out, p.secret)
		}
	}
	return out
}

// begins returns the text before the first hole.
func (t Template) begins() string {
	if len(t.pieces) > 0 {
		return t.pieces[0].text
	}
	return ""
}

// fill returns the text with values in the holes. It has no secrets.
func (t Template) fill(value func(name string) string) string { return t.fillWith(value, nil) }

// fillWith returns the text with values in the holes, and with secrets.
func (t Template) fillWith(value, secret func(name string) string) string {
	var b strings.Builder
	for _, p := range t.pieces {
		switch {
		case p.hole != "":
			p.text = value(p.hole)
		case p.secret != "":
			p.text = secret(p.secret)
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// values are the arguments of one call, for the holes of templates.
type values struct {
	def   *Definition
	given map[string]json.RawMessage
}

// valuesOf returns the arguments of a call, with the defaults.
func (d *Definition) valuesOf(args json.RawMessage) (values, error) {
	given, err := members(d.Complete(args))
	if err != nil {
		return values{}, err
	}
	v := values{d, make(map[string]json.RawMessage, len(given))}
	for _, m := range given {
		v.given[m.key] = m.value
	}
	return v, nil
}

// has reports whether a parameter has a value; null and an empty list are none.
func (v values) has(name string) bool {
	switch raw := jsontext.Value(v.given[name]); raw.Kind() {
	case 0, 'n':
		return false
	case '[':
		return len(elements(json.RawMessage(raw))) > 0
	}
	return true
}

// scalar returns the value of a parameter as text: a string as what it says, a number in its
// digits and, where it is an integer, without a point or an exponent, and true or false.
func (v values) scalar(name string) (string, *FillError) {
	p, _ := v.def.param(name)
	return scalarText(p.Type, name, v.given[name])
}

// list returns the items of a value that is a list as text, or the value alone.
func (v values) list(name string) ([]string, *FillError) {
	p, _ := v.def.param(name)
	raw, t := v.given[name], p.Type
	if jsontext.Value(raw).Kind() != '[' {
		text, err := v.scalar(name)
		return []string{text}, err
	}
	if t != nil && t.Kind == Array {
		t = t.Items
	}
	var out []string
	for i, item := range elements(raw) {
		text, err := scalarText(t, fmt.Sprintf("%s[%d]", name, i), item)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// scalarText returns a value of a type as text; what names it in an error.
func scalarText(t *Type, what string, raw json.RawMessage) (string, *FillError) {
	switch text, isText := textOf(raw); jsontext.Value(raw).Kind() {
	case '"':
		if isText {
			return text, nil
		}
	case '0':
		if t != nil && t.Kind == Integer {
			digits, _ := wholeNumber(string(raw))
			return digits, nil
		}
		return string(raw), nil
	case 't', 'f':
		return string(raw), nil
	}
	return "", &FillError{Argument: what, Why: "only text, a number, true or false has a place there"}
}
