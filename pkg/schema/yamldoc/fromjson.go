package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"
)

// fromJSON parses a text that is one JSON object or list into YAML nodes: YAML does not accept all of JSON, such as
// escaped surrogates. It returns nil for any other text. Keys can be duplicate.
func (t *sourceText) fromJSON() *yaml.Node {
	start := t.starts[0]
	if rest := bytes.TrimLeft(t.src[start:], " \t\r\n"); len(rest) == 0 || rest[0] != '{' && rest[0] != '[' {
		return nil
	}
	b := nodeBuilder{text: t, begin: start, line: 1, at: start}
	dec := jsontext.NewDecoder(bytes.NewBuffer(t.src[start:]), jsontext.AllowDuplicateNames(true))
	for {
		err := b.readToken(dec)
		switch {
		case errors.Is(err, io.EOF) && b.root != nil:
			return b.root
		case err != nil:
			return nil
		}
	}
}

// A nodeBuilder turns the tokens of a JSON text into nodes, without recursion.
type nodeBuilder struct {
	text  *sourceText
	begin int // offset of the JSON
	root  *yaml.Node
	open  []*yaml.Node

	line, column, at int // last position: at is its offset, column counts from 0
}

// readToken reads one token. A second top-level value is an error.
func (b *nodeBuilder) readToken(dec *jsontext.Decoder) error {
	kind := dec.PeekKind()
	if b.root != nil && len(b.open) == 0 && kind != 0 {
		return errors.New("a second value")
	}
	if kind == '}' || kind == ']' {
		_, err := dec.ReadToken()
		if err == nil {
			b.open = b.open[:len(b.open)-1]
		}
		return err
	}
	n, size, err := readNode(dec, kind)
	if err != nil {
		return err
	}
	b.setPosition(n, b.begin+int(dec.InputOffset())-size)
	if b.root == nil {
		b.root = n
	} else {
		parent := b.open[len(b.open)-1]
		parent.Content = append(parent.Content, n)
	}
	if n.Kind != yaml.ScalarNode {
		b.open = append(b.open, n)
	}
	return nil
}

// readNode reads a scalar, or the start of a container, and its length.
func readNode(dec *jsontext.Decoder, kind jsontext.Kind) (n *yaml.Node, size int, err error) {
	if kind == '{' || kind == '[' {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
		if kind == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		_, err = dec.ReadToken()
		return n, 1, err
	}
	v, err := dec.ReadValue()
	if err != nil {
		return nil, 0, err
	}
	n = &yaml.Node{Kind: yaml.ScalarNode, Value: string(v)}
	if kind == '"' {
		value, err := jsontext.AppendUnquote(nil, v)
		n.Value, n.Tag, n.Style = string(value), "!!str", yaml.DoubleQuotedStyle
		return n, len(v), err
	}
	return n, len(v), nil
}

// setPosition sets the line and column of a node. Nodes must come in document order.
func (b *nodeBuilder) setPosition(n *yaml.Node, offset int) {
	starts := b.text.starts
	for b.line < len(starts) && starts[b.line] <= offset {
		b.at, b.column = starts[b.line], 0
		b.line++
	}
	b.column += utf8.RuneCount(b.text.src[b.at:offset])
	b.at = offset
	n.Line, n.Column = b.line, b.column+1
}
