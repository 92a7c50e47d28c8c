package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/wire"
)

// A path leads to a value in a line of JSON, as gjson reads it. Most paths are names of
// members and numbers of elements, with dots between them: those are followed here, in
// one pass over what stands before the value. A text is not taken out of its string
// before it is known which one is needed.
type path struct {
	text  string
	steps []string // nil if gjson has to follow the path
}

// newPath returns a path; that of nothing for "".
func newPath(text string) path {
	if text == "" || strings.ContainsAny(text, "*?|#@!{}[]()\\=<>%\"'~^:, ") || slices.Contains(strings.Split(text, "."), "") {
		return path{text: text}
	}
	return path{text, strings.Split(text, ".")}
}

// A member is a value in a line of JSON.
type member struct {
	raw   []byte // as it is written; nil if there is none
	start int    // where that stands; -1 in no place of its own
}

// pieces returns the piece of the line that a value is, if it stands there.
func (m member) pieces() []wire.Piece {
	if len(m.raw) == 0 || m.start < 0 {
		return nil
	}
	return []wire.Piece{{Start: m.start, End: m.start + len(m.raw), Quoted: m.raw[0] == '"'}}
}

// in returns the value in a line, which is JSON. A text and a number have no members: to
// gjson a bracket in a text begins an array.
func (p path) in(line []byte) member {
	if p.text == "" || p.text[0] != '@' && !holds(line) {
		return member{}
	}
	if p.steps == nil {
		return memberAt(line, gjson.GetBytes(line, p.text))
	}
	start, end := skipBlanks(line, 0), len(line)
	for _, step := range p.steps {
		if start, end = child(line, start, step); end == 0 {
			return member{}
		}
	}
	return member{line[start:end], start}
}

// holds reports whether a line, which is JSON, is an object or an array.
func holds(line []byte) bool {
	at := skipBlanks(line, 0)
	return at < len(line) && (line[at] == '{' || line[at] == '[')
}

// A PathError is a path that gjson cannot follow.
type PathError struct {
	Path string
	At   int // where in it something begins that never ends
}

func (e *PathError) Error() string {
	return fmt.Sprintf("the path %q has no end of what begins with %q", e.Path, e.Path[e.At:])
}

// CheckPath returns a [PathError] where a query, a list of paths or the argument of a
// modifier has no end. To gjson it would be a name then, which a backslash can say, too.
func CheckPath(text string) error {
	for at := 0; at < len(text); at++ {
		switch end := skipGroup(text, at); {
		case end < 0:
			return &PathError{text, at}
		case end > at:
			at = end - 1
		case text[at] == '\\':
			at++
		}
	}
	return nil
}

// skipGroup returns the end of a query, a list of paths or the argument of a modifier that
// begins at an offset; the offset if none does, and -1 if it has no end.
func skipGroup(text string, at int) int {
	opening := "([{"
	i := at
	switch {
	case strings.HasPrefix(text[at:], "#(") || strings.HasPrefix(text[at:], "#["):
		i, opening = at+1, "(["
	case text[at] != '{' && text[at] != '[':
		return at
	}
	if !beginsStep(text[:at]) {
		return at
	}
	for depth := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.IndexByte(opening, c) >= 0:
			depth++
		case c == ')' || c == ']' || c == '}' && len(opening) == 3:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// beginsStep reports whether a step of a path, or the argument of a modifier, begins
// behind a text.
func beginsStep(before string) bool {
	if before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "|") {
		return true
	}
	modifier := before[strings.LastIndexAny(before, ".|")+1:]
	return modifier[0] == '@' && strings.IndexByte(modifier, ':') == len(modifier)-1
}

// memberAt returns a value that gjson has found. What it has made stands nowhere.
func memberAt(line []byte, v gjson.Result) member {
	if string(line[v.Index:min(len(line), v.Index+len(v.Raw))]) != v.Raw {
		return member{[]byte(v.Raw), -1}
	}
	return member{line[v.Index : v.Index+len(v.Raw)], v.Index}
}

// exists reports whether there is a value that is not null.
func (m member) exists() bool { return len(m.raw) > 0 && m.raw[0] != 'n' }

// text returns what a value says if it is a string, and else how it is written.
func (m member) text() []byte {
	if len(m.raw) > 0 && m.raw[0] == '"' {
		return wire.Unquote(m.raw)
	}
	return m.raw
}

// child returns where in the JSON at an offset a member of that name stands, or an element
// of that number; 0, 0 if it has none.
func child(line []byte, at int, step string) (start, end int) {
	switch line[at] {
	case '{':
		return memberOf(line, at, step)
	case '[':
		if n, err := strconv.ParseUint(step, 10, 31); err == nil {
			return elementOf(line, at, int(n))
		}
	}
	return 0, 0
}

// memberOf returns where the member of that name stands in the object at an offset.
func memberOf(line []byte, at int, name string) (start, end int) {
	for at = skipBlanks(line, at+1); line[at] != '}'; {
		key := line[at:skipString(line, at)]
		at = skipBlanks(line, at+len(key))
		at = skipBlanks(line, at+len(":"))
		end := skipValue(line, at)
		if says(key, name) {
			return at, end
		}
		at = skipComma(line, end)
	}
	return 0, 0
}

// elementOf returns where an element stands in the array at an offset.
func elementOf(line []byte, at, number int) (start, end int) {
	for at = skipBlanks(line, at+1); line[at] != ']'; number-- {
		end := skipValue(line, at)
		if number == 0 {
			return at, end
		}
		at = skipComma(line, end)
	}
	return 0, 0
}

// says reports whether a JSON string says a name.
func says(raw []byte, name string) bool {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return string(wire.Unquote(raw)) == name
	}
	return string(raw[1:len(raw)-1]) == name
}

// skipBlanks returns where what follows blanks begins.
func skipBlanks(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r' || line[at] == '\n') {
		at++
	}
	return at
}

// skipComma returns where what follows a value and a comma, if there is one, begins.
func skipComma(line []byte, at int) int {
	if at = skipBlanks(line, at); line[at] == ',' {
		at = skipBlanks(line, at+1)
	}
	return at
}

// skipString returns where a string ends; the length of the line if it does not.
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

// skipValue returns where a value ends.
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

// skipContainer returns where an object or an array ends; the length of the line if it
// does not.
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
