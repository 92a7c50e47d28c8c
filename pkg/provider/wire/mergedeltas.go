package wire

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A Node is a JSON value merged from the deltas of a stream, whatever it means, so that a
// message can be sent back to its server with members that only the server understands. Numbers
// keep their digits and members their order.
type Node struct {
	kind        byte   // first byte of its JSON text; 0 for nothing and null
	raw         string // the value, if it arrived in one piece
	text        []byte // otherwise the text of a string
	names       []string
	members     map[string]*Node // of an object, by name
	items       []*Node          // of an array
	byKey       map[string]*Node // elements with an index
	elementType string           // of an element: its "type"
	inParts     bool             // split into text, members or items
	budget      *byteBudget      // counts the size of the node; may be nil
}

// NewNode returns an empty node of the native message.
func (r *Response) NewNode() Node { return Node{budget: &r.native} }

// NewObject returns a node with an empty object.
func (r *Response) NewObject() Node { return Node{kind: '{', inParts: true, budget: &r.native} }

// TextNode returns a node with a string.
func TextNode(text []byte) Node { return Node{kind: '"', inParts: true, text: text} }

// RawNode returns a node with a JSON value.
func RawNode(raw string) Node { return Node{kind: raw[0], raw: raw} }

// maxMergeDepth limits the depth of merging. Below it a delta replaces the previous value: no
// server is known to split deeper values, and the cost must not grow with the depth.
const maxMergeDepth = 8

// Merge merges the next delta into the node, which is the member with that name; "" for none.
func (n *Node) Merge(name string, v gjson.Result) { n.merge(name, v, maxMergeDepth) }

func (n *Node) merge(name string, v gjson.Result, depth int) {
	kind := nodeKind(v)
	switch {
	case kind == 0, v.Raw == `""` && n.kind != 0:
		if n.raw == "" && n.kind == 0 {
			n.raw = "null"
		}
	case n.kind == 0, depth == 0, isWholeInDelta(name):
		n.Set(v)
	case n.kind == '"' && kind == '"':
		n.splitRaw()
		n.budget.add(len(v.Str))
		n.text = append(n.text, v.Str...)
	case n.kind == '{' && kind == '{':
		n.splitRaw()
		v.ForEach(func(k, v gjson.Result) bool {
			n.EnsureMember(k.Str).merge(k.Str, v, depth-1)
			return !n.budget.isExceeded()
		})
	case n.kind == '[' && kind == '[':
		n.splitRaw()
		v.ForEach(func(_, v gjson.Result) bool {
			n.mergeItem(v, depth-1)
			return !n.budget.isExceeded()
		})
	case n.kind == '[' && kind == '"':
		n.splitRaw()
		n.mergeItem(newTextPart(v), depth-1)
	case n.kind == '"' && kind == '[':
		part := newTextPart(gjson.ParseBytes(n.Append(nil)))
		*n = Node{kind: '[', inParts: true, budget: n.budget}
		n.mergeItem(part, depth-1)
		n.merge(name, v, depth)
	default:
		n.Set(v)
	}
}

// Set replaces the node by a value.
func (n *Node) Set(v gjson.Result) {
	if n.budget.add(len(v.Raw) - len(n.raw) - len(n.text)); n.budget.isExceeded() {
		return
	}
	*n = Node{kind: nodeKind(v), raw: strings.Clone(v.Raw), elementType: n.elementType, budget: n.budget}
}

// nodeKind returns the kind of a node with that value.
func nodeKind(v gjson.Result) byte {
	if v.Type == gjson.Null {
		return 0
	}
	return v.Raw[0]
}

// isWholeInDelta reports whether each delta has the whole member. Any other string is a piece of a
// longer one, as in OpenAI's own clients.
func isWholeInDelta(name string) bool {
	return slices.Contains([]string{"role", "type", "id", "index", "format", "name", "object", "status", "phase"}, name) ||
		strings.HasSuffix(name, "signature") || strings.HasSuffix(name, "_id")
}

// newTextPart returns a string as a part of an array of parts.
func newTextPart(text gjson.Result) gjson.Result {
	return gjson.Parse(`{"type":"text","text":` + text.Raw + `}`)
}

// mergeItem merges a delta of an array: into the element with the same index, into the last one
// if it is text of the same type and nothing has an index, or as a new element.
func (n *Node) mergeItem(v gjson.Result, depth int) {
	index, sort := StringOrNumber(v.Get("index")), StringOrNumber(v.Get("type"))
	id := index + " " + sort
	item := n.byKey[id]
	if last := len(n.items) - 1; index == "" && last >= 0 && n.items[last].elementType == sort && isTextElement(sort) {
		item = n.items[last]
	}
	if item == nil {
		item = &Node{elementType: sort}
		n.appendItem(item)
	}
	if index != "" {
		if n.byKey == nil {
			n.byKey = map[string]*Node{}
		}
		n.byKey[id] = item
	}
	item.merge("", v, depth)
}

// isTextElement reports whether elements of that type are text that may arrive in pieces.
func isTextElement(sort string) bool {
	return slices.Contains([]string{"text", "thinking", "output_text", "reasoning.text", "reasoning.summary"}, sort)
}

// splitRaw splits a value that arrived in one piece.
func (n *Node) splitRaw() {
	if n.inParts {
		return
	}
	v := gjson.Parse(n.raw)
	n.inParts, n.raw = true, ""
	switch n.kind {
	case '"':
		n.text = []byte(v.Str)
	case '{':
		v.ForEach(func(k, v gjson.Result) bool {
			*n.EnsureMember(k.Str) = Node{kind: nodeKind(v), raw: v.Raw, budget: n.budget}
			return !n.budget.isExceeded()
		})
	case '[':
		v.ForEach(func(_, v gjson.Result) bool {
			n.mergeItem(v, maxMergeDepth)
			return !n.budget.isExceeded()
		})
	}
}

// EnsureMember returns a member. It turns the node into an object and creates the member if needed.
func (n *Node) EnsureMember(name string) *Node {
	if n.kind != '{' {
		*n = Node{kind: '{', inParts: true, budget: n.budget}
	}
	n.splitRaw()
	m := n.members[name]
	if m == nil {
		if n.members == nil {
			n.members = map[string]*Node{}
		}
		m, name = &Node{budget: n.budget}, strings.Clone(name)
		n.budget.add(nodeBytes + len(name))
		n.names = append(n.names, name)
		n.members[name] = m
	}
	return m
}

func (n *Node) Drop(name string) {
	n.names = slices.DeleteFunc(n.names, func(other string) bool { return other == name })
	delete(n.members, name)
}

// AddItem adds an element. It turns the node into an array.
func (n *Node) AddItem() *Node {
	if n.kind != '[' {
		*n = Node{kind: '[', inParts: true, budget: n.budget}
	}
	n.splitRaw()
	return n.appendItem(&Node{})
}

// appendItem appends an element.
func (n *Node) appendItem(item *Node) *Node {
	item.budget = n.budget
	n.budget.add(nodeBytes)
	n.items = append(n.items, item)
	return item
}

// EnsureItem returns an element, which may be the next one. It turns the node into an array. It returns false for a later one.
func (n *Node) EnsureItem(i int) (*Node, bool) {
	switch {
	case n.kind != '[' && i == 0, i == len(n.items):
		return n.AddItem(), true
	case i < 0, i > len(n.items):
		return nil, false
	}
	return n.items[i], true
}

// Truncate drops all elements of a member but the first n.
func (n *Node) Truncate(name string, count int) {
	if m := n.members[name]; m != nil {
		m.items = m.items[:count]
	}
}

// IsEmpty reports whether the node is nothing or null.
func (n *Node) IsEmpty() bool { return n.kind == 0 }

// IsPlaceholder reports whether the node is nothing or arrived in one piece as an empty value.
func (n *Node) IsPlaceholder() bool { return !HasContent(n.raw) }

// HasContent reports whether a value is more than a placeholder.
func HasContent(raw string) bool {
	return !slices.Contains([]string{"", "null", "false", `""`, "[]", "{}"}, raw)
}

// Append appends the JSON text of the node.
func (n *Node) Append(dst []byte) []byte {
	switch {
	case n.raw != "":
		return append(dst, n.raw...)
	case n.kind == '"':
		return appendQuoted(dst, n.text)
	case n.kind == '{':
		dst = append(dst, '{')
		for i, name := range n.names {
			dst = appendQuoted(AppendComma(dst, i), []byte(name))
			dst = n.members[name].Append(append(dst, ':'))
		}
		return append(dst, '}')
	case n.kind == '[':
		dst = append(dst, '[')
		for i, item := range n.items {
			dst = item.Append(AppendComma(dst, i))
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}

// AppendComma appends a comma before every item but the first.
func AppendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// NativeUnlessText returns a message in its server's own format, or nil if it is only text.
func NativeUnlessText(message []byte) []byte {
	more := false
	gjson.ParseBytes(message).ForEach(func(k, v gjson.Result) bool {
		text := k.Str == "role" || k.Str == "content" && v.Type == gjson.String
		empty := k.Str == "function_call" && v.Get("name").Str == "" // Snowflake
		more = HasContent(v.Raw) && !text && !empty
		return !more
	})
	if !more {
		return nil
	}
	return message
}
