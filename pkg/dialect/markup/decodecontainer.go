package markup

import (
	"encoding/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema"
)

// A container is a value that consists of parameter tags.
type container struct {
	name    string
	form    valueForm
	shape   *schema.Shape
	members []member
	names   map[string]bool
	trace   int
}

// json returns the value of the container.
func (b *container) json() json.RawMessage {
	if b.form == asDict {
		return encodeObject(b.members)
	}
	var items member
	for _, m := range b.members {
		items.values = append(items.values, m.values...)
	}
	return appendArray(nil, items.values)
}

// child returns the shape of a value in the container.
func (b *container) child(name string) *schema.Shape {
	if b.form == asList {
		return b.shape.Items()
	}
	return b.shape.Property(name)
}

// A containerReader reads a value that consists of parameter tags, and nested ones.
type containerReader struct {
	*valueReader
	parser *lexer
	stack  []container
}

// decodeContainer decodes a text that consists of parameter tags.
func (v *valueReader) decodeContainer(text []byte, f valueForm, shape *schema.Shape) json.RawMessage {
	in := &lexer{syntax: v.m.syntax, words: v.m.words, text: text, final: true, qualified: v.m.qualified}
	h := containerReader{v, in, []container{{form: f, shape: shape, trace: v.trace}}}
	for h.readTag() {
	}
	v.m.steps += in.steps
	h.traceEnd(&h.stack[0], len(text))
	return h.stack[0].json()
}

// readTag reads the next tag. It returns false at the end and at an error.
func (h *containerReader) readTag() bool {
	found, _ := h.parser.nextOwnMarker()
	switch depth := len(h.stack); {
	case found.kind == paramOpen && depth == literal.MaxDepth:
		h.fail(diag.TooDeep, found, "tags are nested more than %d levels deep", depth)
	case found.kind == paramOpen:
		return h.openTag(found)
	case found.kind == paramClose && depth > 1:
		h.parser.lookahead = found.end
		b := h.stack[depth-1]
		h.traceEnd(&b, found.start)
		h.stack = h.stack[:depth-1]
		return h.addValue(found, b.name, b.json())
	case found.start < len(h.parser.text):
		h.fail(diag.NotACall, found, "expected a value")
	case depth > 1:
		h.fail(diag.MissingCloser, found, "missing closing tag of the value %s", excerpt(h.stack[depth-1].name))
	}
	return false
}

// fail reports at a marker why the value cannot be read.
func (h *containerReader) fail(code diag.Code, at marker, format string, args ...any) {
	h.m.noteError(code, h.start+at.start, h.start+max(at.start, at.end), format, args...)
}

// openTag reads a tag in the innermost container, and its value unless that is a container.
func (h *containerReader) openTag(found marker) bool {
	h.parser.beginTag(found)
	if !h.parser.scanTag() || h.parser.tag.unclosed {
		h.fail(diag.MissingCloser, found, "unterminated tag")
		return false
	}
	key, attributes := h.parser.splitNameAttribute(h.parser.syntax.KeyAttr)
	tag := h.parser.tag
	h.parser.lookahead = tag.next
	if twice := tag.duplicate.name; twice != "" {
		h.fail(diag.DuplicateKey, found, "duplicate attribute %s", excerpt(twice))
	}
	of := &h.stack[len(h.stack)-1]
	b := container{name: key.value, form: h.parser.syntax.formOf(attributes), shape: of.child(key.value)}
	b.trace = h.traceBegin(of, key, tag)
	switch {
	case b.form.isContainer() && !tag.selfClosing:
		h.stack = append(h.stack, b)
		return true
	case b.form.isContainer():
		return h.addValue(found, b.name, b.json())
	}
	end := tag.next
	if !tag.selfClosing {
		closer, ok := h.parser.scanToParamCloser()
		if !ok {
			h.fail(diag.MissingCloser, found, "missing closing tag of the value %s", excerpt(b.name))
			return false
		}
		end, h.parser.lookahead = closer.start, closer.end
	}
	h.traceEnd(&b, end)
	leaf := valueReader{m: h.m, start: h.start + tag.next}
	return h.addValue(found, b.name, leaf.decodeAttributed(h.parser.text[tag.next:end], attributes, b.shape))
}

// traceBegin and traceEnd record the span of a value in a container.
func (h *containerReader) traceBegin(b *container, key attribute, t tag) int {
	at := h.start + t.next
	return h.m.out.tracer.begin(b.trace, key.value, diag.Bytes(h.start+key.start, h.start+key.end), diag.Bytes(at, at))
}

func (h *containerReader) traceEnd(b *container, at int) {
	h.m.out.tracer.end(b.trace, h.start+at, b.form == asList)
}

// scanToParamCloser scans to the closing tag of a value without tags in it.
func (l *lexer) scanToParamCloser() (marker, bool) {
	for {
		found, ok := l.scanToMarker()
		if !ok || found.kind == paramClose && l.isOwnMarker(found) {
			return found, ok
		}
	}
}

// addValue adds a value, which begins or ends with a marker, to the innermost container.
func (h *containerReader) addValue(at marker, name string, value json.RawMessage) bool {
	b := &h.stack[len(h.stack)-1]
	switch {
	case b.form == asList && name != "":
		h.noteWrongAttribute(0, "unexpected name on a list item; ignored")
	case b.form == asDict && name == "":
		h.fail(diag.CallMember, at, "missing value name")
	case b.form == asDict && b.names[name]:
		h.fail(diag.DuplicateKey, at, "duplicate value %s", excerpt(name))
		return true
	}
	if b.names == nil {
		b.names = map[string]bool{}
	}
	b.names[name] = true
	b.members = append(b.members, member{name, []json.RawMessage{value}})
	return true
}
