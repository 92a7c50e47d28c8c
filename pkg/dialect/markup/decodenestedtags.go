package markup

import (
	"bytes"
	"encoding/json"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema"
)

// itemTag is the tag name of array items.
const itemTag = "item"

// An elementNode is a tag that contains tags.
type elementNode struct {
	name    string
	trace   int
	shape   *schema.Shape
	members []member
	indexes map[string]int
}

// decodeNested decodes a text of nested tags, and returns false for any other.
func (v *valueReader) decodeNested(text []byte, shape *schema.Shape) (json.RawMessage, bool) {
	in := &lexer{syntax: v.m.syntax, text: text, final: true, qualified: v.m.qualified}
	defer func() { v.m.steps += in.steps }()
	if !v.canBeNestedTags(in, shape) {
		return v.decodeEmpty(text, shape)
	}
	stack := []elementNode{{shape: shape, trace: v.trace}}
	for {
		top := &stack[len(stack)-1]
		found, _ := in.nextMarker()
		switch {
		case in.lookahead == len(in.text) && len(stack) == 1:
			v.traceEnd(top, len(text))
			return top.json(), true
		case found.kind == elementClose && len(stack) > 1 && found.name == top.name:
			v.traceEnd(top, found.start)
			value := top.json()
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].addValue(found.name, value)
			in.lookahead = found.end
		case found.kind != elementOpen || !in.isOwnMarker(found):
			return nil, false
		case len(stack) == literal.MaxDepth:
			v.m.noteError(diag.TooDeep, v.start, v.start+1, "tags are nested more than %d levels deep", literal.MaxDepth)
			return json.RawMessage("null"), true
		default:
			child := elementNode{name: found.name, shape: top.child(found.name)}
			in.lookahead = found.end
			child.trace = v.traceBegin(top, found)
			if !found.selfClosing && v.canBeNestedTags(in, child.shape) {
				stack = append(stack, child)
				continue
			}
			value, ok := v.decodeLeaf(in, found, &child)
			if !ok {
				return nil, false
			}
			stack[len(stack)-1].addValue(found.name, value)
		}
	}
}

// traceBegin and traceEnd record the span of a tag in a node.
func (v *valueReader) traceBegin(n *elementNode, tag marker) int {
	name := v.start + tag.nameEnd
	return v.m.out.tracer.begin(n.trace, tag.name, diag.Bytes(name-len(tag.name), name), diag.Bytes(v.start+tag.end, v.start+tag.end))
}

func (v *valueReader) traceEnd(n *elementNode, at int) {
	v.m.out.tracer.end(n.trace, v.start+at, n.isList())
}

// decodeEmpty returns the empty object or array for an empty text.
func (v *valueReader) decodeEmpty(text []byte, shape *schema.Shape) (json.RawMessage, bool) {
	kinds := shape.Kinds()
	if len(bytes.TrimSpace(text)) > 0 || kinds == 0 || kinds&schema.String != 0 {
		return nil, false
	}
	switch {
	case kinds&schema.Object != 0:
		return json.RawMessage("{}"), true
	case kinds&schema.Array != 0:
		return json.RawMessage("[]"), true
	}
	return nil, false
}

// canBeNestedTags reports whether a tag begins here and a value of that shape can consist of tags.
func (v *valueReader) canBeNestedTags(in *lexer, shape *schema.Shape) bool {
	kinds := shape.Kinds()
	if kinds != 0 && kinds&(schema.Array|schema.Object) == 0 {
		return false
	}
	at := in.lookahead
	found, _ := in.nextMarker()
	in.lookahead = at
	return found.kind == elementOpen && in.isOwnMarker(found)
}

// decodeLeaf reads a tag without nested tags up to its closing tag.
func (v *valueReader) decodeLeaf(in *lexer, tag marker, n *elementNode) (json.RawMessage, bool) {
	depth := 0
	for !tag.selfClosing {
		found, ok := in.scanToMarker()
		switch {
		case !ok:
			return nil, false
		case found.name != tag.name || !in.isOwnMarker(found):
		case found.kind == elementOpen && !found.selfClosing:
			depth++
		case found.kind == elementClose && depth > 0:
			depth--
		case found.kind == elementClose:
			in.lookahead = found.end
			v.traceEnd(n, found.start)
			return v.decodeLeafText(in.text[tag.end:found.start], n.shape), true
		}
	}
	return v.decodeLeafText(nil, n.shape), true
}

// decodeLeafText decodes the text in a tag.
func (v *valueReader) decodeLeafText(text []byte, shape *schema.Shape) json.RawMessage {
	if value, ok := v.decodeEmpty(text, shape); ok {
		return value
	}
	clear, _ := v.m.decodeText(text)
	return v.decode(clear, valueOrItemKinds(shape), false)
}

// valueOrItemKinds returns the kinds of a value that can be an array or one of several items that form
// it.
func valueOrItemKinds(shape *schema.Shape) schema.Kinds {
	kinds := shape.Kinds()
	if kinds&schema.Array != 0 {
		kinds |= shape.Items().Kinds()
	}
	return kinds
}

// child returns the shape of a tag in the node.
func (n *elementNode) child(name string) *schema.Shape {
	if name == itemTag && n.shape.Property(name) == nil && n.shape.Kinds()&schema.Object == 0 {
		return n.shape.Items()
	}
	return n.shape.Property(name)
}

// addValue adds the value of a tag in the node.
func (n *elementNode) addValue(name string, value json.RawMessage) {
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

// isList reports whether the tags of the node are items.
func (n *elementNode) isList() bool {
	return len(n.members) == 1 && n.members[0].key == itemTag && n.shape.Kinds()&schema.Object == 0
}

// json returns the value of the node: an array if its tags are items.
func (n *elementNode) json() json.RawMessage {
	if n.isList() {
		return appendArray(nil, n.members[0].values)
	}
	return encodeObject(n.members)
}
