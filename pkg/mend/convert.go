package mend

import (
	"encoding/json"
	"fmt"
	"strings"

	"oneshot/pkg/diag"
)

// convert makes a value of another type that the schema allows, if it can be one.
func (f *fitting) convert(i int, kind byte) {
	v := f.values[i]
	text := f.text[v.start:v.end]
	types := v.node.allTypes()
	for _, t := range types {
		v.node = f.values[i].node.choose(kinds[t][0])
		if with, ok := f.converted(v, text, kind, t); ok {
			f.change(i, with, fmt.Sprintf("the schema wants %s", t))
			return
		}
	}
	f.violation(i, diag.WrongType, "%s should be %s", excerpt(text), strings.Join(types, " or "))
}

// converted returns a value as another type.
func (f *fitting) converted(v leaf, text string, kind byte, to string) (string, bool) {
	var said string
	if kind == '"' {
		json.Unmarshal([]byte(text), &said) // it is valid
		said = strings.TrimSpace(said)
	}
	switch to {
	case "number", "integer":
		return said, isNumber(said)
	case "boolean":
		if kind != '"' {
			said = strings.TrimSuffix(text, ".0")
		}
		word, ok := truths[strings.ToLower(said)]
		return word, ok
	case "null":
		return "null", kind == '"' && (said == "null" || said == "None")
	case "string":
		return quoted(text), kind != '{' && kind != '[' && kind != 'n'
	case "object", "array":
		return f.composed(v, text, said, kind, to)
	}
	return "", false
}

var truths = map[string]string{
	"true": "true", "yes": "true", "on": "true", "y": "true", "1": "true",
	"false": "false", "no": "false", "off": "false", "n": "false", "0": "false",
}

// composed returns a value as an object or array: what a string holds, an item as
// an array of one, and with salvage an array of one object as that object, and an
// array as long as the list of required members as an object of them.
func (f *fitting) composed(v leaf, text, said string, kind byte, to string) (string, bool) {
	first := kinds[to][0]
	if kind == '"' && said != "" && (said[0] == first) {
		strict, _, _ := isStrict(said)
		inner := readText(said, nil, false)
		if strict || f.salvage && inner.Value != nil && inner.Value[0] == first && f.fits(v.node, inner.Value) {
			return string(inner.Value), true
		}
	}
	switch {
	case to == "array":
		return "[" + text + "]", kind != 'n'
	case !f.salvage || kind != '[':
		return "", false
	case len(v.kids) == 1 && f.text[f.values[v.kids[0]].start] == '{':
		kid := f.values[v.kids[0]]
		return f.text[kid.start:kid.end], true
	}
	return f.named(v)
}

// fits reports whether the items of a value have a type that the schema allows.
func (f *fitting) fits(n *node, value json.RawMessage) bool {
	if value[0] != '[' {
		return true
	}
	items := n.items()
	list := tree(string(value))
	for _, k := range list[0].kids {
		if items != nil && !items.allows(value[list[k].start]) {
			return false
		}
	}
	return true
}

// named gives the items of an array the names of the required members.
func (f *fitting) named(v leaf) (string, bool) {
	names, _ := v.node.rules["required"].([]any)
	if len(names) == 0 || len(names) != len(v.kids) || len(names) != len(v.node.properties()) {
		return "", false
	}
	var members []string
	for i, x := range names {
		name, _ := x.(string)
		kid := f.values[v.kids[i]]
		if n := v.node.property(name); n == nil || !n.allows(f.text[kid.start]) {
			return "", false
		}
		members = append(members, quoted(name)+": "+f.text[kid.start:kid.end])
	}
	return "{" + strings.Join(members, ", ") + "}", true
}

// quoted returns a text as a JSON string.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string is always marshalled
	return string(b)
}

// integer writes a number such as 1.0 without its fraction.
func (f *fitting) integer(i int) {
	v := f.values[i]
	text := f.text[v.start:v.end]
	whole, fraction, found := strings.Cut(text, ".")
	switch {
	case !found:
	case strings.Trim(fraction, "0") == "":
		f.change(i, whole, "a whole number has a fraction")
	default:
		f.violation(i, diag.WrongType, "%s is no integer", excerpt(text))
	}
}
