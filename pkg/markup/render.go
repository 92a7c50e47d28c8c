package markup

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/literal"
)

// Append writes one call in the syntax. Reading it back with the same tools gives
// an equal call, or Append reports false and writes nothing: values have no
// escapes in most syntaxes, so a text that holds its own closing mark cannot be
// written, nor a number where nothing says that it is one. Of a positional call
// the one object is written that is its only argument.
func (s *Syntax) Append(b []byte, c chat.Call, tools Toolset) ([]byte, bool) {
	arguments, ok := named(c)
	if !ok {
		return b, false
	}
	w := writer{Syntax: s, b: b}
	if !w.call(c.Name, arguments) || !s.readsBack(w.b[len(b):], c.Name, arguments, tools) {
		return b, false
	}
	return w.b, true
}

// named returns the arguments of a call as an object.
func named(c chat.Call) (json.RawMessage, bool) {
	var all []json.RawMessage
	switch {
	case !c.Positional:
		return c.Arguments, c.Arguments != nil
	case json.Unmarshal(c.Arguments, &all) != nil || len(all) > 1:
		return nil, false
	case len(all) == 0:
		return json.RawMessage("{}"), true
	}
	return all[0], true
}

// readsBack reports whether a text is one call with a name and arguments, and
// nothing else.
func (s *Syntax) readsBack(text []byte, name string, arguments json.RawMessage, tools Toolset) bool {
	r := New(s, Options{Tools: tools})
	n, state := r.Write(text)
	call, _ := r.Call()
	return state == Done && n == len(text) && call.Status == chat.StatusOK && call.Name == name && sameJSON(call.Arguments, arguments)
}

// sameJSON reports whether two values are equal: their numbers digit by digit,
// and their members in the same order.
func sameJSON(a, b json.RawMessage) bool {
	left, right := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	left.UseNumber()
	right.UseNumber()
	for {
		one, err := left.Token()
		other, errOther := right.Token()
		if err != nil || errOther != nil {
			return err == io.EOF && errOther == io.EOF
		}
		if one != other {
			return false
		}
	}
}

// A writer writes one call.
type writer struct {
	*Syntax
	b []byte
}

func (w *writer) add(texts ...string) {
	for _, text := range texts {
		w.b = append(w.b, text...)
	}
}

// open writes an opening tag up to its end, and what stands in it.
func (w *writer) open(name string, attributes ...string) {
	d := w.delimiters()
	w.add(w.Token, d.Open, w.Prefix, name)
	for i := 0; i+1 < len(attributes); i += 2 {
		w.attribute(attributes[i], attributes[i+1])
	}
	w.add(d.End)
}

func (w *writer) attribute(name, value string) {
	switch {
	case name == InTag:
		w.add(InTag, value)
	case w.AttrEscapes:
		w.add(" ", name, `="`, escapes.Replace(value), `"`)
	default:
		w.add(" ", name, `="`, value, `"`)
	}
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (w *writer) close(name string) {
	d := w.delimiters()
	w.add(w.Token, d.Close, w.Prefix, name, d.End)
}

// line ends a line between tags.
func (w *writer) line() {
	if !w.Compact {
		w.add("\n")
	}
}

// call writes a call. It reports false if the arguments are no object.
func (w *writer) call(name string, arguments json.RawMessage) bool {
	tag := w.Calls[0]
	if w.Name == InText {
		w.open(tag)
		w.add(name)
		if w.NameEnd != "" {
			w.open(w.NameEnd)
		}
	} else {
		w.open(tag, w.Name, name)
	}
	w.line()
	ok := eachMember(arguments, w.parameter)
	w.close(tag)
	return ok
}

// eachMember calls f for the members of an object in order. It reports false if
// it is none, or f does.
func eachMember(object json.RawMessage, f func(key string, value json.RawMessage) bool) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil || !f(name, value) {
			return false
		}
	}
	return true
}

// parameter writes one parameter.
func (w *writer) parameter(key string, value json.RawMessage) bool {
	switch {
	case w.KeyTag != "":
		w.open(w.KeyTag)
		w.add(key)
		w.close(w.KeyTag)
		w.line()
		w.open(w.ValueTag)
		w.value(value)
		w.close(w.ValueTag)
	case w.Nested:
		return w.nested(key, value)
	case w.Elements:
		w.open(key)
		w.value(value)
		w.close(key)
	default:
		w.open(w.Parameters[0], w.attributes(key, value)...)
		w.value(value)
		w.close(w.Parameters[0])
	}
	w.line()
	return true
}

// attributes returns the attributes of the tag of a parameter.
func (w *writer) attributes(key string, value json.RawMessage) []string {
	all := []string{w.Key, key}
	kind := kindOf(value)
	switch {
	case w.FormAttr != "":
		form := asJSON
		if kind == String {
			form = asText
		}
		all = append(all, w.FormAttr, string(form))
	case w.StringAttr != "":
		text := "false"
		if kind == String {
			text = "true"
		}
		all = append(all, w.StringAttr, text)
	}
	if w.TypeAttr != "" {
		all = append(all, w.TypeAttr, kind.String())
	}
	return all
}

// kindNames are the names of types in JSON Schema.
var kindNames = map[Kinds]string{
	String: "string", Integer: "integer", Number: "number", Boolean: "boolean", Null: "null", Array: "array", Object: "object",
}

// String returns the name of the type if it is one, as in JSON Schema.
func (k Kinds) String() string { return kindNames[k] }

// value writes a value: a text as it is, anything else as JSON.
func (w *writer) value(value json.RawMessage) {
	var text string
	if json.Unmarshal(value, &text) != nil || kindOf(value) != String {
		text = string(value)
	}
	if w.Entities {
		text = escapes.Replace(text)
	}
	if w.Framing == Newline {
		text = "\n" + text + "\n"
	}
	w.add(text)
}

// A writing is what is still to be written: a tag with a value, or the end of one.
type writing struct {
	name  string
	value json.RawMessage // nil: the closing tag
	depth int
}

// nested writes a value as tags in tags.
func (w *writer) nested(key string, value json.RawMessage) bool {
	stack := []writing{{key, value, 1}}
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if next.value == nil {
			w.close(next.name)
			continue
		}
		if next.depth > literal.MaxDepth {
			return false
		}
		w.open(next.name)
		stack = append(stack, writing{name: next.name})
		parts, ok := next.parts()
		if !ok {
			w.value(next.value)
		}
		for i := len(parts) - 1; i >= 0; i-- {
			stack = append(stack, parts[i])
		}
	}
	return true
}

// parts returns the members or items of a value, and false if it has none.
func (n *writing) parts() ([]writing, bool) {
	var parts []writing
	var items []json.RawMessage
	switch kindOf(n.value) {
	case Object:
		return parts, eachMember(n.value, func(key string, value json.RawMessage) bool {
			parts = append(parts, writing{key, value, n.depth + 1})
			return true
		})
	case Array:
		if json.Unmarshal(n.value, &items) != nil {
			return nil, false
		}
		for _, value := range items {
			parts = append(parts, writing{item, value, n.depth + 1})
		}
		return parts, true
	}
	return nil, false
}
