package markup

import (
	"encoding/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A branch is a value that is tags of parameters.
type branch struct {
	name  string
	form  form
	shape *Shape
	all   []member
	names map[string]bool
	trace int
}

// json returns the value of a branch.
func (b *branch) json() json.RawMessage {
	if b.form == asDict {
		return object(b.all)
	}
	var items member
	for _, m := range b.all {
		items.values = append(items.values, m.values...)
	}
	return array(nil, items.values)
}

// child returns the shape of a value in a branch.
func (b *branch) child(name string) *Shape {
	if b.form == asList {
		return b.shape.element()
	}
	return b.shape.Property(name)
}

// A holder reads a value that is tags of parameters, and these values.
type holder struct {
	*valueReader
	in    *machine
	stack []branch
}

// held returns the value of a text that is tags of parameters.
func (v *valueReader) held(text []byte, f form, shape *Shape) json.RawMessage {
	in := &machine{syntax: v.m.syntax, words: v.m.words, text: text, whole: true, dressed: v.m.dressed}
	h := holder{v, in, []branch{{form: f, shape: shape, trace: v.trace}}}
	for h.step() {
	}
	v.m.steps += in.steps
	h.closes(&h.stack[0], len(text))
	return h.stack[0].json()
}

// step reads the next tag. It reports false at the end, and at a fault.
func (h *holder) step() bool {
	found, _ := h.in.nextMine()
	switch depth := len(h.stack); {
	case found.kind == paramOpen && depth == literal.MaxDepth:
		h.fault(diag.TooDeep, found, "tags are nested more than %d deep", depth)
	case found.kind == paramOpen:
		return h.open(found)
	case found.kind == paramClose && depth > 1:
		h.in.look = found.end
		b := h.stack[depth-1]
		h.closes(&b, found.start)
		h.stack = h.stack[:depth-1]
		return h.put(found, b.name, b.json())
	case found.start < len(h.in.text):
		h.fault(diag.NotACall, found, "no value here")
	case depth > 1:
		h.fault(diag.MissingCloser, found, "the value %s is not closed", excerpt(h.stack[depth-1].name))
	}
	return false
}

// fault reports at a mark why the value cannot be read.
func (h *holder) fault(code diag.Code, at mark, format string, args ...any) {
	h.m.fault(code, h.start+at.start, h.start+max(at.start, at.end), format, args...)
}

// open reads a tag in the latest branch, and its value unless that holds others.
func (h *holder) open(found mark) bool {
	h.in.beginTag(found)
	if !h.in.scanTag() || h.in.tag.open {
		h.fault(diag.MissingCloser, found, "a tag lacks its end")
		return false
	}
	key, attributes := h.in.nameIn(h.in.syntax.Key)
	tag := h.in.tag
	h.in.look = tag.next
	if twice := tag.twice.name; twice != "" {
		h.fault(diag.DuplicateKey, found, "the attribute %s is there twice", excerpt(twice))
	}
	of := &h.stack[len(h.stack)-1]
	b := branch{name: key.value, form: h.in.syntax.form(attributes), shape: of.child(key.value)}
	b.trace = h.opens(of, key, tag)
	switch {
	case b.form.holds() && !tag.slash:
		h.stack = append(h.stack, b)
		return true
	case b.form.holds():
		return h.put(found, b.name, b.json())
	}
	end := tag.next
	if !tag.slash {
		closer, ok := h.in.nextCloser()
		if !ok {
			h.fault(diag.MissingCloser, found, "the value %s is not closed", excerpt(b.name))
			return false
		}
		end, h.in.look = closer.start, closer.end
	}
	h.closes(&b, end)
	leaf := valueReader{m: h.m, start: h.start + tag.next}
	return h.put(found, b.name, leaf.attributed(h.in.text[tag.next:end], attributes, b.shape))
}

// opens and closes keep where a tag in a branch stands.
func (h *holder) opens(b *branch, key attribute, t tag) int {
	at := h.start + t.next
	return h.m.out.tracer.begin(b.trace, key.value, diag.Bytes(h.start+key.start, h.start+key.end), diag.Bytes(at, at))
}

func (h *holder) closes(b *branch, at int) { h.m.out.tracer.end(b.trace, h.start+at, b.form == asList) }

// nextCloser looks for the mark that closes a value without tags in it.
func (m *machine) nextCloser() (mark, bool) {
	for {
		found, ok := m.nextMark()
		if !ok || found.kind == paramClose && m.mine(found) {
			return found, ok
		}
	}
}

// put adds a value, which begins or ends with a mark, to the latest branch.
func (h *holder) put(at mark, name string, value json.RawMessage) bool {
	b := &h.stack[len(h.stack)-1]
	switch {
	case b.form == asList && name != "":
		h.say(0, "a value in a list has a name, which means nothing")
	case b.form == asDict && name == "":
		h.fault(diag.CallMember, at, "a value has no name")
	case b.form == asDict && b.names[name]:
		h.fault(diag.DuplicateKey, at, "the value %s is there twice", excerpt(name))
		return true
	}
	if b.names == nil {
		b.names = map[string]bool{}
	}
	b.names[name] = true
	b.all = append(b.all, member{name, []json.RawMessage{value}})
	return true
}
