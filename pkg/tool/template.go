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
	text        string
	placeholder string // the name of a parameter
	secret      string // the name of a secret, of ${secret:NAME}
	offset      int    // where it begins in what is written, in bytes
}

func (p piece) isText() bool { return p.placeholder == "" && p.secret == "" }

// secretPrefix begins the name of a secret in a template that has places for them.
const secretPrefix = "secret:"

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
			t.appendText("${", at)
			at += len("$${")
		case strings.HasPrefix(rest, "${"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return t, &TemplateError{at, "unterminated placeholder", "write ${name}, or $${ for a literal ${"}
			}
			name := rest[len("${"):end]
			of, isSecret := strings.CutPrefix(name, secretPrefix)
			switch {
			case isSecret && secrets && isVariableName([]byte(of)):
				t.pieces = append(t.pieces, piece{secret: of, offset: at})
			case isName(name):
				t.pieces = append(t.pieces, piece{placeholder: name, offset: at})
			default:
				return t, &TemplateError{at, fmt.Sprintf("%s is not a valid placeholder", quote(shorten(rest[:end+1]))), placeholderHint(name, secrets)}
			}
			at += end + 1
		default:
			next := strings.IndexByte(rest[1:], '$') + 1
			if next == 0 {
				next = len(rest)
			}
			t.appendText(rest[:next], at)
			at += next
		}
	}
	return t, nil
}

// placeholderHint says what to write instead of something that is no hole.
func placeholderHint(name string, secrets bool) string {
	switch isSecret := strings.HasPrefix(name, secretPrefix); {
	case isSecret && secrets:
		return "secret names consist of letters, digits and _, as in ${secret:API_KEY}"
	case isSecret:
		return "pass a secret to a program in a variable listed in env, to a server in a header"
	}
	return "write ${name} with the name of a parameter, or $${ for a literal ${"
}

// appendText adds text.
func (t *Template) appendText(text string, at int) {
	if last := len(t.pieces) - 1; last >= 0 && t.pieces[last].isText() {
		t.pieces[last].text += text
		return
	}
	t.pieces = append(t.pieces, piece{text: text, offset: at})
}

// placeholders returns the holes, in order.
func (t Template) placeholders() []piece {
	var out []piece
	for _, p := range t.pieces {
		if p.placeholder != "" {
			out = append(out, p)
		}
	}
	return out
}

// onlyPlaceholder returns the name of the hole that is all of the template, or "".
func (t Template) onlyPlaceholder() string {
	if len(t.pieces) == 1 {
		return t.pieces[0].placeholder
	}
	return ""
}

// allowsSecrets returns the names of the secrets.
func (t Template) secrets() []string {
	var out []string
	for _, p := range t.pieces {
		if p.secret != "" {
			out = append(out, p.secret)
		}
	}
	return out
}

// literalPrefix returns the text before the first hole.
func (t Template) literalPrefix() string {
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
		case p.placeholder != "":
			p.text = value(p.placeholder)
		case p.secret != "":
			p.text = secret(p.secret)
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// argumentValues are the arguments of one call, for the holes of templates.
type argumentValues struct {
	def       *Definition
	arguments map[string]json.RawMessage
}

// valuesOf returns the arguments of a call, with the defaults.
func (d *Definition) valuesOf(args json.RawMessage) (argumentValues, error) {
	given, err := members(d.WithDefaults(args))
	if err != nil {
		return argumentValues{}, err
	}
	v := argumentValues{d, make(map[string]json.RawMessage, len(given))}
	for _, m := range given {
		v.arguments[m.key] = m.value
	}
	return v, nil
}

// has reports whether a parameter has a value; null and an empty list are none.
func (v argumentValues) has(name string) bool {
	switch raw := jsontext.Value(v.arguments[name]); raw.Kind() {
	case 0, 'n':
		return false
	case '[':
		return len(elements(json.RawMessage(raw))) > 0
	}
	return true
}

// scalar returns the value of a parameter as text: a string as what it says, a number in its
// digits and, where it is an integer, without a point or an exponent, and true or false.
func (v argumentValues) scalar(name string) (string, *FillError) {
	p, _ := v.def.findParam(name)
	return scalarText(p.Type, name, v.arguments[name])
}

// list returns the items of a value that is a list as text, or the value alone.
func (v argumentValues) list(name string) ([]string, *FillError) {
	p, _ := v.def.findParam(name)
	raw, t := v.arguments[name], p.Type
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
	switch text, isText := stringValue(raw); jsontext.Value(raw).Kind() {
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
	return "", &FillError{Argument: what, Why: "expected text, a number, true or false"}
}
