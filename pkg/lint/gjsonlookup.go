package lint

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

// A path is a gjson path into a line of JSON. Most paths consist only of member names and element
// numbers; those are followed here, in one pass that stops at the value and unquotes nothing else.
type path struct {
	text  string
	steps []string // nil if only gjson can follow the path
}

// newPath returns a path. The empty path leads to no value.
func newPath(text string) path {
	if text == "" || strings.ContainsAny(text, "*?|#@!{}[]()\\=<>%\"'~^:, ") || slices.Contains(strings.Split(text, "."), "") {
		return path{text: text}
	}
	return path{text, strings.Split(text, ".")}
}

// A locatedValue is a value in a line of JSON.
type locatedValue struct {
	raw   []byte // as written; nil if absent
	start int    // offset of raw; -1 for a computed value
}

// valueSegments returns the segment of the line with the value, if it has one.
func (v locatedValue) valueSegments() []wire.Segment {
	if len(v.raw) == 0 || v.start < 0 {
		return nil
	}
	return []wire.Segment{{Start: v.start, End: v.start + len(v.raw), Quoted: v.raw[0] == '"'}}
}

// lookup returns the value in a line, which is JSON. Strings and numbers have no members; gjson
// would take a bracket in a string for an array.
func (p path) lookup(line []byte) locatedValue {
	if p.text == "" || p.text[0] != '@' && !isObjectOrArray(line) {
		return locatedValue{}
	}
	if p.steps == nil {
		return locatedValueAt(line, gjson.GetBytes(line, p.text))
	}
	start, end := skipBlanks(line, 0), len(line)
	for _, step := range p.steps {
		if start, end = findChild(line, start, step); end == 0 {
			return locatedValue{}
		}
	}
	return locatedValue{line[start:end], start}
}

// isObjectOrArray reports whether a line, which is JSON, is an object or an array.
func isObjectOrArray(line []byte) bool {
	at := skipBlanks(line, 0)
	return at < len(line) && (line[at] == '{' || line[at] == '[')
}

// locatedValueAt returns a value that gjson has found. A value that gjson has computed has no offset.
func locatedValueAt(line []byte, v gjson.Result) locatedValue {
	if string(line[v.Index:min(len(line), v.Index+len(v.Raw))]) != v.Raw {
		return locatedValue{[]byte(v.Raw), -1}
	}
	return locatedValue{line[v.Index : v.Index+len(v.Raw)], v.Index}
}

// isPresent reports whether the value exists and is not null.
func (v locatedValue) isPresent() bool { return len(v.raw) > 0 && v.raw[0] != 'n' }

// unquoted returns the content of a string, and other values as written.
func (v locatedValue) unquoted() []byte {
	if len(v.raw) > 0 && v.raw[0] == '"' {
		return wire.Unquote(v.raw)
	}
	return v.raw
}

// findChild returns the range of a member or element of the JSON at an offset; 0, 0 if it does not
// exist.
func findChild(line []byte, at int, step string) (start, end int) {
	switch line[at] {
	case '{':
		return findMember(line, at, step)
	case '[':
		if n, err := strconv.ParseUint(step, 10, 31); err == nil {
			return findElement(line, at, int(n))
		}
	}
	return 0, 0
}

// findMember returns the range of a member's value in the object at an offset.
func findMember(line []byte, at int, name string) (start, end int) {
	for at = skipBlanks(line, at+1); line[at] != '}'; {
		key := line[at:skipString(line, at)]
		at = skipBlanks(line, at+len(key))
		at = skipBlanks(line, at+len(":"))
		end := skipValue(line, at)
		if isQuotedName(key, name) {
			return at, end
		}
		at = skipComma(line, end)
	}
	return 0, 0
}

// findElement returns the range of an element of the array at an offset.
func findElement(line []byte, at, number int) (start, end int) {
	for at = skipBlanks(line, at+1); line[at] != ']'; number-- {
		end := skipValue(line, at)
		if number == 0 {
			return at, end
		}
		at = skipComma(line, end)
	}
	return 0, 0
}

// isQuotedName reports whether a JSON string equals a name.
func isQuotedName(raw []byte, name string) bool {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return string(wire.Unquote(raw)) == name
	}
	return string(raw[1:len(raw)-1]) == name
}

// skipBlanks returns the offset after white space.
func skipBlanks(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r' || line[at] == '\n') {
		at++
	}
	return at
}

// skipComma returns the offset after white space and an optional comma.
func skipComma(line []byte, at int) int {
	if at = skipBlanks(line, at); line[at] == ',' {
		at = skipBlanks(line, at+1)
	}
	return at
}

// skipString returns the end of a string, or the length of the line if it is not closed.
func skipString(line []byte, at int) int {
	for at++; ; at++ {
		next := bytes.IndexByte(line[at:], '"')
		if next < 0 {
			return len(line)
		}
		at += next
		back := at
		for line[back-1] == '\\' {
			back--
		}
		if (at-back)%2 == 0 {
			return at + 1
		}
	}
}

// skipValue returns the end of a value.
func skipValue(line []byte, at int) int {
	switch line[at] {
	case '"':
		return skipString(line, at)
	case '{', '[':
		return skipContainer(line, at)
	}
	for at < len(line) && line[at] > ' ' && line[at] != ',' && line[at] != '}' && line[at] != ']' {
		at++
	}
	return at
}

// skipContainer returns the end of an object or array, or the length of the line if it is not
// closed.
func skipContainer(line []byte, at int) int {
	for depth := 0; at < len(line); {
		switch line[at] {
		case '"':
			at = skipString(line, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if at++; depth == 0 {
			return at
		}
	}
	return len(line)
}
