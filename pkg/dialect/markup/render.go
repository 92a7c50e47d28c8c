package markup

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema"
)

// Append writes one call in the syntax. Reading it back with the same tools gives an equal call;
// otherwise Append returns false and writes nothing. Most syntaxes have no escapes in values, so
// a text that contains its own closing tag cannot be written, nor a number without a declared
// type. For a positional call with one object as its only argument it writes that object.
func (s *Syntax) Append(b []byte, c chat.Call, tools Toolset) ([]byte, bool) {
	arguments, ok := objectArguments(c)
	if !ok {
		return b, false
	}
	w := writer{Syntax: s, b: b}
	if !w.writeCall(c.Name, arguments) || !s.roundTrips(w.b[len(b):], c.Name, arguments, tools) {
		return b, false
	}
	return w.b, true
}

// objectArguments returns the arguments of a call as an object.
func objectArguments(c chat.Call) (json.RawMessage, bool) {
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

// roundTrips reports whether a text is exactly one call with a name and arguments.
func (s *Syntax) roundTrips(text []byte, name string, arguments json.RawMessage, tools Toolset) bool {
	r := New(s, Options{Tools: tools})
	n, state := r.Write(text)
	call, _ := r.Call()
	return state == Done && n == len(text) && call.Status == chat.StatusOK && call.Name == name && isSameJSON(call.Arguments, arguments)
}

// isSameJSON reports whether two values are equal: numbers digit by digit, and members in the same
// order.
func isSameJSON(a, b json.RawMessage) bool {
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

type writer struct {
	*Syntax
	b []byte
}

func (w *writer) write(texts ...string) {
	for _, text := range texts {
		w.b = append(w.b, text...)
	}
}

// openTag writes an opening tag with its attributes.
func (w *writer) openTag(name string, attributes ...string) {
	d := w.delimiters()
	w.write(w.Token, d.Open, w.Prefix, name)
	for i := 0; i+1 < len(attributes); i += 2 {
		w.writeAttribute(attributes[i], attributes[i+1])
	}
	w.write(d.End)
}

func (w *writer) writeAttribute(name, value string) {
	switch {
	case name == InTag:
		w.write(InTag, value)
	case w.AttrEntities:
		w.write(" ", name, `="`, escapes.Replace(value), `"`)
	default:
		w.write(" ", name, `="`, value, `"`)
	}
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (w *writer) closeTag(name string) {
	d := w.delimiters()
	w.write(w.Token, d.Close, w.Prefix, name, d.End)
}

// endLine ends a line between tags.
func (w *writer) endLine() {
	if !w.Compact {
		w.write("\n")
	}
}

// writeCall writes a call. It returns false if the arguments are not an object.
func (w *writer) writeCall(name string, arguments json.RawMessage) bool {
	tag := w.CallTags[0]
	if w.NameAttr == InText {
		w.openTag(tag)
		w.write(name)
		if w.NameEndTag != "" {
			w.openTag(w.NameEndTag)
		}
	} else {
		w.openTag(tag, w.NameAttr, name)
	}
	w.endLine()
	ok := eachMember(arguments, w.writeParameter)
	w.closeTag(tag)
	return ok
}

// eachMember calls f for the members of an object in order. It returns false if f does or if the
// value is not an object.
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

func (w *writer) writeParameter(key string, value json.RawMessage) bool {
	switch {
	case w.KeyTag != "":
		w.openTag(w.KeyTag)
		w.write(key)
		w.closeTag(w.KeyTag)
		w.endLine()
		w.openTag(w.ValueTag)
		w.writeValue(value)
		w.closeTag(w.ValueTag)
	case w.NestedTags:
		return w.writeNested(key, value)
	case w.ElementParams:
		w.openTag(key)
		w.writeValue(value)
		w.closeTag(key)
	default:
		w.openTag(w.ParamTags[0], w.paramAttributes(key, value)...)
		w.writeValue(value)
		w.closeTag(w.ParamTags[0])
	}
	w.endLine()
	return true
}

// paramAttributes returns the attributes of the tag of a parameter.
func (w *writer) paramAttributes(key string, value json.RawMessage) []string {
	all := []string{w.KeyAttr, key}
	kind := schema.KindOf(value)
	switch {
	case w.FormAttr != "":
		form := asJSON
		if kind == schema.String {
			form = asText
		}
		all = append(all, w.FormAttr, string(form))
	case w.StringAttr != "":
		text := "false"
		if kind == schema.String {
			text = "true"
		}
		all = append(all, w.StringAttr, text)
	}
	if w.TypeAttr != "" {
		all = append(all, w.TypeAttr, schema.TypeOf(value))
	}
	return all
}

// writeValue writes a text as it is, any other value as JSON.
func (w *writer) writeValue(value json.RawMessage) {
	var text string
	if json.Unmarshal(value, &text) != nil || schema.KindOf(value) != schema.String {
		text = string(value)
	}
	if w.Entities {
		text = escapes.Replace(text)
	}
	if w.Padding == Newline {
		text = "\n" + text + "\n"
	}
	w.write(text)
}

// A pendingTag is a tag with a value still to be written, or a closing tag.
type pendingTag struct {
	name  string
	value json.RawMessage // nil for a closing tag
	depth int
}

// writeNested writes a value as nested tags.
func (w *writer) writeNested(key string, value json.RawMessage) bool {
	stack := []pendingTag{{key, value, 1}}
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if next.value == nil {
			w.closeTag(next.name)
			continue
		}
		if next.depth > literal.MaxDepth {
			return false
		}
		w.openTag(next.name)
		stack = append(stack, pendingTag{name: next.name})
		parts, ok := next.memberTags()
		if !ok {
			w.writeValue(next.value)
		}
		for i := len(parts) - 1; i >= 0; i-- {
			stack = append(stack, parts[i])
		}
	}
	return true
}

// memberTags returns the members or items of a value, and false if it is not a container.
func (n *pendingTag) memberTags() ([]pendingTag, bool) {
	var parts []pendingTag
	var items []json.RawMessage
	switch schema.KindOf(n.value) {
	case schema.Object:
		return parts, eachMember(n.value, func(key string, value json.RawMessage) bool {
			parts = append(parts, pendingTag{key, value, n.depth + 1})
			return true
		})
	case schema.Array:
		if json.Unmarshal(n.value, &items) != nil {
			return nil, false
		}
		for _, value := range items {
			parts = append(parts, pendingTag{itemTag, value, n.depth + 1})
		}
		return parts, true
	}
	return nil, false
}
