// Package yamldoc reads hand-written YAML files strictly: every fault is a finding with file, line and column, and a wrong
// value is never read as a right one.
//
// It supports the part of YAML that JSON has: mappings with string keys, lists, strings, numbers as JSON writes them,
// true, false and null. Anchors, aliases, merge keys and tags are refused, so a file is never larger than it looks. It
// does not know the meaning of a file.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	yaml4 "go.yaml.in/yaml/v4"
	"gopkg.in/yaml.v3"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// Bounds on a file.
const (
	MaxBytes    = 1 << 20
	maxDepth    = 64
	maxFindings = 100
)

// Codes are the finding codes of a kind of file.
type Codes struct {
	Syntax     diag.Code // invalid or unsupported YAML
	UnknownKey diag.Code
	Duplicate  diag.Code // duplicate key of a mapping
	Type       diag.Code // a value is of the wrong type
	Missing    diag.Code // a key is missing
	Value      diag.Code // invalid value of the right type
}

// A File is one YAML file with its findings. Reading values adds findings. It is not safe for concurrent use.
type File struct {
	name     string
	text     *sourceText
	codes    Codes
	findings []diag.Finding
	unlisted int // findings beyond [maxFindings]
}

// Read returns a file and its documents. A syntax error ends the documents; a document with unsupported YAML is
// dropped. A JSON object or list is parsed as JSON.
func Read(name string, src []byte, codes Codes) (*File, []Value) {
	f := &File{name: name, text: newSourceText(src), codes: codes}
	if len(src) > MaxBytes {
		f.add(codes.Syntax, diag.Bytes(0, 0), "the file has more than %d bytes", MaxBytes)
		return f, nil
	}
	if root := f.text.fromJSON(); root != nil {
		return f, f.appendUsable(nil, root)
	}
	if at, why := firstInvalidChar(src); at >= 0 {
		f.add(codes.Syntax, diag.Bytes(at, at), "%s", why).Hint = schema.EncodingHint(src)
		return f, nil
	}
	var docs []Value
	for dec := yaml.NewDecoder(bytes.NewReader(src)); ; {
		var n yaml.Node
		err := dec.Decode(&n)
		switch {
		case errors.Is(err, io.EOF):
			return f, docs
		case err != nil:
			f.addSyntaxError(err)
			return f, docs
		}
		docs = f.appendUsable(docs, n.Content...)
	}
}

// appendUsable appends the documents without unsupported YAML.
func (f *File) appendUsable(docs []Value, roots ...*yaml.Node) []Value {
	for _, root := range roots {
		if f.isSupported(root) {
			docs = append(docs, Value{file: f, node: root})
		}
	}
	return docs
}

// Findings returns the findings so far, by position. After 100 findings a last one counts the rest.
func (f *File) Findings() []diag.Finding {
	diag.Sort(f.findings)
	if f.unlisted == 0 {
		return f.findings
	}
	end := f.text.lines.Locate(diag.Bytes(len(f.text.src), len(f.text.src)))
	last := diag.New(f.codes.Value, end, "%d more faults of this file are not listed", f.unlisted)
	last.File = f.name
	return append(slices.Clone(f.findings), last)
}

// Name returns the name of the file, for messages.
func (f *File) Name() string { return f.name }

// Start returns the position of the first byte.
func (f *File) Start() diag.Span { return f.text.lines.Locate(diag.Bytes(0, 0)) }

// Add adds a finding and returns it for further changes. The pointer is valid until the next finding.
func (f *File) Add(code diag.Code, span diag.Span, format string, args ...any) *diag.Finding {
	return f.add(code, span, format, args...)
}

func (f *File) add(code diag.Code, span diag.Span, format string, args ...any) *diag.Finding {
	if f.isFull() {
		f.unlisted++
		return &diag.Finding{}
	}
	finding := diag.New(code, f.text.lines.Locate(span), format, args...)
	finding.File = f.name
	f.findings = append(f.findings, finding)
	return &f.findings[len(f.findings)-1]
}

// addAtNode adds a finding about a node. Once the file is full it skips the costly lookup of the position.
func (f *File) addAtNode(n *yaml.Node, code diag.Code, format string, args ...any) *diag.Finding {
	var span diag.Span
	if !f.isFull() {
		span = f.text.span(n)
	}
	return f.add(code, span, format, args...)
}

// isFull reports whether further findings are only counted.
func (f *File) isFull() bool { return len(f.findings) == maxFindings }

// addSyntaxError reports a syntax error. yaml.v3 knows at most the line, and often not the right one, so the position
// comes from yaml.v4.
func (f *File) addSyntaxError(err error) {
	line, column, message := 1, 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if loader, openErr := yaml4.NewLoader(bytes.NewReader(f.text.src)); openErr == nil {
		for {
			var n yaml4.Node
			second := loader.Load(&n)
			if second == nil {
				continue
			}
			var at *yaml4.LoadError
			if errors.As(second, &at) {
				line, column, message = at.Mark.Line, at.Mark.Column, at.Message
				if at.ContextMsg != "" {
					message = at.ContextMsg + ": " + message
				}
			}
			break
		}
	}
	offset := f.text.offset(line, column)
	finding := f.add(f.codes.Syntax, diag.Bytes(offset, offset), "%s", message)
	if bytes.HasPrefix(f.text.src[offset:], []byte("\t")) {
		finding.Hint = "YAML is indented with spaces"
	}
}

// isSupported reports unsupported YAML and duplicate keys. It returns false if the document is unusable.
func (f *File) isSupported(root *yaml.Node) bool {
	type level struct {
		node  *yaml.Node
		depth int
	}
	good := true
	for open := []level{{root, 1}}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if why := unsupportedReason(at.node, at.depth); why != "" {
			f.addAtNode(at.node, f.codes.Syntax, "%s", why)
			good = false
			continue
		}
		if at.node.Kind == yaml.MappingNode {
			good = f.checkKeys(at.node) && good
		}
		for _, n := range at.node.Content {
			open = append(open, level{n, at.depth + 1})
		}
	}
	return good
}

// unsupportedReason returns why a node is not supported, or "".
func unsupportedReason(n *yaml.Node, depth int) string {
	switch {
	case n.Kind == yaml.AliasNode:
		return "aliases are not allowed, write the value out"
	case n.Anchor != "":
		return "anchors are not allowed"
	case n.Style&yaml.TaggedStyle != 0:
		return "tags are not allowed"
	case depth > maxDepth:
		return "values are nested too deeply"
	}
	return ""
}

// checkKeys reports keys that are not strings or are duplicate. It returns false for the former, which make a mapping
// unreadable. A whole number counts as its digits.
func (f *File) checkKeys(mapping *yaml.Node) bool {
	good := true
	first := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		switch line, twice := first[key.Value]; {
		case !canBeKey(key):
			f.addAtNode(key, f.codes.Syntax, "a key must be a string")
			good = false
		case twice:
			f.addAtNode(key, f.codes.Duplicate, "duplicate key %q, first on line %d", key.Value, line)
		default:
			first[key.Value] = key.Line
		}
	}
	return good
}

func canBeKey(n *yaml.Node) bool {
	digits := n.Value != "" && strings.Trim(n.Value, "0123456789") == ""
	return n.Tag != "!!merge" && (kindOf(n) == kindString || kindOf(n) == kindNumber && digits)
}

// firstInvalidChar returns the offset and description of the first character that YAML does not allow or the first invalid
// UTF-8, -1 for none.
func firstInvalidChar(src []byte) (offset int, why string) {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			return i, "the file is not UTF-8"
		case r < ' ' && r != '\t' && r != '\n' && r != '\r',
			r >= 0x7f && r < 0xa0 && r != 0x85,
			r == '\ufeff' && i > 0, r == 0xfffe, r == 0xffff:
			return i, fmt.Sprintf("the character %U is not allowed in YAML", r)
		}
		i += size
	}
	return -1, ""
}
