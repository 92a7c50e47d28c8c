package yamldoc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"

	"oneshot/pkg/diag"
)

// A Value is one value of a document. The zero Value is absent.
//
// Reading an absent value returns false without a finding. Reading a value of another type returns false and adds a
// finding.
type Value struct {
	file *File
	node *yaml.Node
	path string // for messages: "limit.rate", "examples[0].call"
}

// IsPresent reports whether the value exists.
func (v Value) IsPresent() bool { return v.node != nil }

// Span returns the span of a scalar on one line, and the start of anything else.
func (v Value) Span() diag.Span { return v.file.text.lines.Locate(v.file.text.span(v.node)) }

// At returns the position of a byte in a string's value. In a multi-line string it is the start of the string.
func (v Value) At(index int) diag.Span {
	at := v.file.text.scalarByteOffset(v.node, index)
	return v.file.text.lines.Locate(diag.Bytes(at, at))
}

// Add adds a finding about the value, as [File.Add] does. The message is prefixed by the value's path.
func (v Value) Add(code diag.Code, format string, args ...any) *diag.Finding {
	return v.file.addAtNode(v.node, code, "%s", v.messagePrefix()+fmt.Sprintf(format, args...))
}

// AddAt is like [Value.Add] for one byte of a string's value.
func (v Value) AddAt(code diag.Code, index int, format string, args ...any) *diag.Finding {
	var span diag.Span
	if !v.file.isFull() {
		span = v.At(index)
	}
	return v.file.add(code, span, "%s", v.messagePrefix()+fmt.Sprintf(format, args...))
}

func (v Value) messagePrefix() string {
	if v.path == "" {
		return ""
	}
	return v.path + ": "
}

// A kind is the type of a value.
type kind string

const (
	kindMapping       kind = "a mapping"
	kindList          kind = "a list"
	kindString        kind = "a string"
	kindNumber        kind = "a number"
	kindNonJSONNumber kind = "a number that is not JSON" // 0x1F, 1_000, .inf
	kindBool          kind = "true or false"
	kindNull          kind = "an empty value"
)

// kindOf returns the kind of a node by the core rules of YAML 1.2: yes, on and dates are strings.
func kindOf(n *yaml.Node) kind {
	switch n.Kind {
	case yaml.MappingNode:
		return kindMapping
	case yaml.SequenceNode:
		return kindList
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return kindString
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return kindNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return kindBool
	}
	if jsontext.Value(n.Value).Kind() == '0' && jsontext.Value(n.Value).IsValid() {
		return kindNumber
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return kindNonJSONNumber
	}
	return kindString
}

// expectKind reports whether the value is present and of a kind. Another kind is a finding.
func (v Value) expectKind(want kind) bool {
	if !v.IsPresent() {
		return false
	}
	got := kindOf(v.node)
	if got == want {
		return true
	}
	f := v.Add(v.file.codes.Type, "expected %s, got %s", want, v.describeKind(got))
	switch {
	case want == kindString && (got == kindNumber || got == kindNonJSONNumber || got == kindBool):
		f.Hint = "put it in quotes"
	case want == kindBool && got == kindString:
		f.Hint = "write true or false, without quotes"
	case want == kindNumber && got == kindString:
		f.Hint = "write it without quotes"
	}
	return false
}

func (v Value) describeKind(k kind) string {
	switch k {
	case kindString:
		return fmt.Sprintf("the string %.60q", v.node.Value)
	case kindNumber, kindBool:
		return v.node.Value
	case kindNonJSONNumber:
		return string(k) + ": " + v.node.Value
	}
	return string(k)
}

// Text reads a string.
func (v Value) Text() (string, bool) {
	if !v.expectKind(kindString) {
		return "", false
	}
	return v.node.Value, true
}

// Bool reads true or false.
func (v Value) Bool() (value, ok bool) {
	if !v.expectKind(kindBool) {
		return false, false
	}
	return strings.EqualFold(v.node.Value, "true"), true
}

// Number reads a number, in its source text.
func (v Value) Number() (json.Number, bool) {
	if !v.expectKind(kindNumber) {
		return "", false
	}
	return json.Number(v.node.Value), true
}

// IsList reports whether the value is a list, without a finding.
func (v Value) IsList() bool { return v.IsPresent() && kindOf(v.node) == kindList }

// IsMap reports whether the value is a mapping, without a finding.
func (v Value) IsMap() bool { return v.IsPresent() && kindOf(v.node) == kindMapping }

// IsText reports whether the value is a string, without a finding.
func (v Value) IsText() bool { return v.IsPresent() && kindOf(v.node) == kindString }

// IsBool reports whether the value is true or false, without a finding.
func (v Value) IsBool() bool { return v.IsPresent() && kindOf(v.node) == kindBool }

// IsNull reports whether the value is present and empty.
func (v Value) IsNull() bool { return v.IsPresent() && kindOf(v.node) == kindNull }

// List reads a list.
func (v Value) List() ([]Value, bool) {
	if !v.expectKind(kindList) {
		return nil, false
	}
	items := make([]Value, len(v.node.Content))
	for i, n := range v.node.Content {
		items[i] = Value{file: v.file, node: n, path: fmt.Sprintf("%s[%d]", v.path, i)}
	}
	return items, true
}

// Texts reads a list of non-empty strings.
func (v Value) Texts() ([]string, bool) {
	items, ok := v.List()
	texts := make([]string, 0, len(items))
	for _, item := range items {
		text, isText := item.Text()
		if isText && text == "" {
			item.Add(v.file.codes.Value, "must not be empty")
		}
		ok = ok && text != ""
		texts = append(texts, text)
	}
	return texts, ok
}

// Find returns the value at a JSON pointer relative to this one, absent if it does not exist.
func (v Value) Find(pointer string) Value {
	for token := range jsontext.Pointer(pointer).Tokens() {
		v = v.child(token)
		if !v.IsPresent() {
			return Value{}
		}
	}
	return v
}

// Key returns a key of a mapping itself, for its position. It is absent if the value is not a mapping with that key.
func (v Value) Key(name string) Value {
	if i := v.index(name); i >= 0 {
		return Value{file: v.file, node: v.node.Content[i], path: joinPath(v.path, name)}
	}
	return Value{}
}

// index returns the index of a key in a mapping, or -1.
func (v Value) index(key string) int {
	if !v.IsPresent() || v.node.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// child returns a member of a mapping or an item of a list.
func (v Value) child(token string) Value {
	if v.node.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(v.node.Content) {
			return Value{}
		}
		return Value{file: v.file, node: v.node.Content[i], path: fmt.Sprintf("%s[%d]", v.path, i)}
	}
	if i := v.index(token); i >= 0 {
		return Value{file: v.file, node: v.node.Content[i+1], path: joinPath(v.path, token)}
	}
	return Value{}
}
