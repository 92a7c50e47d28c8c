package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/quote"
)

// A Template is text with placeholders: ${name} stands for the value of a parameter and $${ for a literal ${. Values
// are never scanned for placeholders.
type Template struct{ pieces []piece }

// A piece of a template is text, a placeholder, or a reference to a secret.
type piece struct {
	text   string
	param  string // the name of a parameter
	secret string // the name of a secret, of ${secret:NAME}
	offset int    // byte offset in the source
}

func (p piece) isText() bool { return p.param == "" && p.secret == "" }

// secretPrefix begins a reference to a secret, where a template allows one.
const secretPrefix = "secret:"

// A TemplateError is a syntax error in a template.
type TemplateError struct {
	Offset int // in bytes
	Why    string
	Hint   string
}

func (e *TemplateError) Error() string { return e.Why }

// ParseTemplate parses a template that cannot refer to secrets.
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
				t.pieces = append(t.pieces, piece{param: name, offset: at})
			default:
				return t, &TemplateError{at, fmt.Sprintf("%s is not a valid placeholder", quote.JSON(shorten(rest[:end+1]))), placeholderHint(name, secrets)}
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

// placeholderHint returns a valid form of an invalid placeholder.
func placeholderHint(name string, secrets bool) string {
	switch isSecret := strings.HasPrefix(name, secretPrefix); {
	case isSecret && secrets:
		return "secret names consist of letters, digits and _, as in ${secret:API_KEY}"
	case isSecret:
		return "pass a secret to a program in a variable listed in env, to a server in a header"
	}
	return "write ${name} with the name of a parameter, or $${ for a literal ${"
}

func (t *Template) appendText(text string, at int) {
	if last := len(t.pieces) - 1; last >= 0 && t.pieces[last].isText() {
		t.pieces[last].text += text
		return
	}
	t.pieces = append(t.pieces, piece{text: text, offset: at})
}

func (t Template) placeholders() []piece {
	var out []piece
	for _, p := range t.pieces {
		if p.param != "" {
			out = append(out, p)
		}
	}
	return out
}

// onlyPlaceholder returns the name of the placeholder that is the whole template, or "".
func (t Template) onlyPlaceholder() string {
	if len(t.pieces) == 1 {
		return t.pieces[0].param
	}
	return ""
}

func (t Template) secrets() []string {
	var out []string
	for _, p := range t.pieces {
		if p.secret != "" {
			out = append(out, p.secret)
		}
	}
	return out
}

// literalPrefix returns the text before the first placeholder.
func (t Template) literalPrefix() string {
	if len(t.pieces) > 0 {
		return t.pieces[0].text
	}
	return ""
}

// fill replaces the placeholders of a template without secrets.
func (t Template) fill(value func(name string) string) string { return t.fillWith(value, nil) }

// fillWith replaces placeholders and secrets.
func (t Template) fillWith(value, secret func(name string) string) string {
	var b strings.Builder
	for _, p := range t.pieces {
		switch {
		case p.param != "":
			p.text = value(p.param)
		case p.secret != "":
			p.text = secret(p.secret)
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// argumentValues are the arguments of one call, with defaults.
type argumentValues struct {
	def       *Definition
	arguments map[string]json.RawMessage
}

func (d *Definition) valuesOf(args json.RawMessage) (argumentValues, error) {
	given, err := splitObject(d.WithDefaults(args))
	if err != nil {
		return argumentValues{}, err
	}
	v := argumentValues{d, make(map[string]json.RawMessage, len(given))}
	for _, m := range given {
		v.arguments[m.key] = m.value
	}
	return v, nil
}

// has reports whether a parameter has a value. Null and empty lists count as none.
func (v argumentValues) has(name string) bool {
	switch raw := jsontext.Value(v.arguments[name]); raw.Kind() {
	case 0, 'n':
		return false
	case '[':
		return len(splitArray(json.RawMessage(raw))) > 0
	}
	return true
}

// scalar returns a value as text: the text of a string, the digits of a number (an integer without point and
// exponent), true or false.
func (v argumentValues) scalar(name string) (string, *FillError) {
	p, _ := v.def.findParam(name)
	return scalarText(p.Type, name, v.arguments[name])
}

// list returns the items of a list as text, or the only value.
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
	for i, item := range splitArray(raw) {
		text, err := scalarText(t, fmt.Sprintf("%s[%d]", name, i), item)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// scalarText returns a value of a type as text. The parameter what is its name in errors.
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
