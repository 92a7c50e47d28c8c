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

// A Value is one value of a document. The zero Value is one that is absent.
//
// Reading an absent value gives false and no finding; reading a value of
// another type gives false and a finding.
type Value struct {
	file *File
	node *yaml.Node
	path string // for messages: "limit.rate", "examples[0].call"
}

// Present reports whether there is a value.
func (v Value) Present() bool { return v.node != nil }

// Span is where the value stands: a scalar on one line from end to end, and
// anything else the point where it begins.
func (v Value) Span() diag.Span { return v.file.text.lines.Locate(v.file.text.span(v.node)) }

// At is where a byte of a string's value stands. In a string that goes over
// several lines it is where the string begins.
func (v Value) At(index int) diag.Span {
	at := v.file.text.valueOffset(v.node, index)
	return v.file.text.lines.Locate(diag.Bytes(at, at))
}

// Add reports something about the value, as [File.Add] does. The message is put
// after the value's path.
func (v Value) Add(code diag.Code, format string, args ...any) *diag.Finding {
	return v.file.addAtNode(v.node, code, "%s", v.messagePrefix()+fmt.Sprintf(format, args...))
}

// AddAt is like [Value.Add] about one byte of a string's value.
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

// A kind is what a value is.
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

// kindOf tells what a node is, by the core rules of YAML 1.2: yes and on are
// strings, and so is a date.
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

// expectKind reports whether the value is present and of a kind; another kind is a
// finding.
func (v Value) expectKind(want kind) bool {
	if !v.Present() {
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

// Number reads a number, as it is written.
func (v Value) Number() (json.Number, bool) {
	if !v.expectKind(kindNumber) {
		return "", false
	}
	return json.Number(v.node.Value), true
}

// IsList reports whether the value is a list, and finds nothing if it is not.
func (v Value) IsList() bool { return v.Present() && kindOf(v.node) == kindList }

// IsMap reports whether the value is a mapping.
func (v Value) IsMap() bool { return v.Present() && kindOf(v.node) == kindMapping }

// IsText reports whether the value is a string, and finds nothing if it is not.
func (v Value) IsText() bool { return v.Present() && kindOf(v.node) == kindString }

// IsBool reports whether the value is true or false, and finds nothing if it is
// not.
func (v Value) IsBool() bool { return v.Present() && kindOf(v.node) == kindBool }

// IsNull reports whether the value is there and empty.
func (v Value) IsNull() bool { return v.Present() && kindOf(v.node) == kindNull }

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

// Texts reads a list of strings that are not empty.
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

// Find returns the value that a JSON pointer leads to from here. It is absent when
// there is none.
func (v Value) Find(pointer string) Value {
	for token := range jsontext.Pointer(pointer).Tokens() {
		v = v.child(token)
		if !v.Present() {
			return Value{}
		}
	}
	return v
}

// Key returns a key of a mapping itself, for its place. It is absent when the value
// is no mapping that has it.
func (v Value) Key(name string) Value {
	if i := v.index(name); i >= 0 {
		return Value{file: v.file, node: v.node.Content[i], path: joinPath(v.path, name)}
	}
	return Value{}
}

// index returns where in a mapping a key stands, or -1.
func (v Value) index(key string) int {
	if !v.Present() || v.node.Kind != yaml.MappingNode {
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
