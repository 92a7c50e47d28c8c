package markup

import (
	"bytes"
	"encoding/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// item is the name of the tags of the items of an array.
const item = "item"

// A node is a tag with tags in it.
type node struct {
	name    string
	trace   int
	shape   *Shape
	members []member
	indexes map[string]int
}

// nested returns the value of a text that is tags in tags, and false for one that
// is not.
func (v *valueReader) nested(text []byte, shape *Shape) (json.RawMessage, bool) {
	in := &machine{syntax: v.m.syntax, text: text, whole: true, dressed: v.m.dressed}
	defer func() { v.m.steps += in.steps }()
	if !v.structured(in, shape) {
		return v.empty(text, shape)
	}
	stack := []node{{shape: shape, trace: v.trace}}
	for {
		top := &stack[len(stack)-1]
		found, _ := in.next()
		switch {
		case in.look == len(in.text) && len(stack) == 1:
			v.closes(top, len(text))
			return top.json(), true
		case found.kind == elementClose && len(stack) > 1 && found.name == top.name:
			v.closes(top, found.start)
			value := top.json()
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].add(found.name, value)
			in.look = found.end
		case found.kind != elementOpen || !in.mine(found):
			return nil, false
		case len(stack) == literal.MaxDepth:
			v.m.fault(diag.TooDeep, v.start, v.start+1, "tags are nested more than %d deep", literal.MaxDepth)
			return json.RawMessage("null"), true
		default:
			child := node{name: found.name, shape: top.child(found.name)}
			in.look = found.end
			child.trace = v.opens(top, found)
			if !found.slash && v.structured(in, child.shape) {
				stack = append(stack, child)
				continue
			}
			value, ok := v.leaf(in, found, &child)
			if !ok {
				return nil, false
			}
			stack[len(stack)-1].add(found.name, value)
		}
	}
}

// opens and closes keep where a tag in a node stands.
func (v *valueReader) opens(n *node, tag mark) int {
	name := v.start + tag.nameEnd
	return v.m.out.tracer.begin(n.trace, tag.name, diag.Bytes(name-len(tag.name), name), diag.Bytes(v.start+tag.end, v.start+tag.end))
}

func (v *valueReader) closes(n *node, at int) {
	v.m.out.tracer.end(n.trace, v.start+at, n.list())
}

// empty returns the empty object or array that an empty text stands for.
func (v *valueReader) empty(text []byte, shape *Shape) (json.RawMessage, bool) {
	kinds := shape.kinds()
	if len(bytes.TrimSpace(text)) > 0 || kinds == 0 || kinds&String != 0 {
		return nil, false
	}
	switch {
	case kinds&Object != 0:
		return json.RawMessage("{}"), true
	case kinds&Array != 0:
		return json.RawMessage("[]"), true
	}
	return nil, false
}

// structured reports whether a tag begins here, and a value of that shape may be
// made of tags.
func (v *valueReader) structured(in *machine, shape *Shape) bool {
	kinds := shape.kinds()
	if kinds != 0 && kinds&(Array|Object) == 0 {
		return false
	}
	at := in.look
	found, _ := in.next()
	in.look = at
	return found.kind == elementOpen && in.mine(found)
}

// leaf reads a tag without tags in it, up to its closing mark.
func (v *valueReader) leaf(in *machine, tag mark, n *node) (json.RawMessage, bool) {
	depth := 0
	for !tag.slash {
		found, ok := in.nextMark()
		switch {
		case !ok:
			return nil, false
		case found.name != tag.name || !in.mine(found):
		case found.kind == elementOpen && !found.slash:
			depth++
		case found.kind == elementClose && depth > 0:
			depth--
		case found.kind == elementClose:
			in.look = found.end
			v.closes(n, found.start)
			return v.scalar(in.text[tag.end:found.start], n.shape), true
		}
	}
	return v.scalar(nil, n.shape), true
}

// scalar returns the value of a text in a tag.
func (v *valueReader) scalar(text []byte, shape *Shape) json.RawMessage {
	if value, ok := v.empty(text, shape); ok {
		return value
	}
	clear, _ := v.m.plain(text)
	return v.read(clear, shape.oneOrMore(), false)
}

// oneOrMore returns the kinds of a value that can be an array, or one of several
// items that make the array together.
func (s *Shape) oneOrMore() Kinds {
	kinds := s.kinds()
	if kinds&Array != 0 {
		kinds |= s.element().kinds()
	}
	return kinds
}

// child returns the shape of a tag in a node.
func (n *node) child(name string) *Shape {
	if name == item && n.shape.Property(name) == nil && n.shape.kinds()&Object == 0 {
		return n.shape.element()
	}
	return n.shape.Property(name)
}

// add takes in the value of a tag in a node.
func (n *node) add(name string, value json.RawMessage) {
	if n.indexes == nil {
		n.indexes = map[string]int{}
	}
	i, again := n.indexes[name]
	if !again {
		i = len(n.members)
		n.indexes[name] = i
		n.members = append(n.members, member{key: name})
	}
	n.members[i].values = append(n.members[i].values, value)
}

// list reports whether the tags of a node are items.
func (n *node) list() bool {
	return len(n.members) == 1 && n.members[0].key == item && n.shape.kinds()&Object == 0
}

// json returns the value of a node: an array where its tags are items.
func (n *node) json() json.RawMessage {
	if n.list() {
		return array(nil, n.members[0].values)
	}
	return object(n.members)
}
