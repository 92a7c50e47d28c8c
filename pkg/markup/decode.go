package markup

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// value returns the value of the current parameter, which stands between two
// offsets, as JSON.
func (m *machine) value(start, end int) json.RawMessage {
	start, end = m.framed(start, end)
	text := string(m.text[start:end])
	if a, ok := m.valueAttr(); ok && start == end {
		text, start = a.value, a.start
	}
	shape := m.shape.Property(m.param.name.text)
	v := valueReader{m: m, start: start, path: pointer(m.param.name.text)}
	if m.syntax.Nested {
		if value, ok := v.nested(text, shape); ok {
			return value
		}
	}
	text, plain := m.plain(text)
	kinds := m.kinds(shape)
	if m.syntax.Nested {
		kinds = shape.oneOrMore()
	}
	return v.read(text, kinds, plain)
}

// framed returns the offsets of a value without what stands around it.
func (m *machine) framed(start, end int) (int, int) {
	framing := m.syntax.Framing
	switch {
	case m.param.opener:
		framing = Blanks
	case m.param.wrong && framing == Verbatim: // the line of the next mark ends it
		end = m.trimLineEnd(start, m.trimRight(start, end, " \t"))
	}
	switch framing {
	case Blanks:
		end = m.trimRight(start, end, " \t\r\n")
		for start < end && isBlank(m.text[start]) {
			start++
		}
	case Newline:
		end = m.trimLineEnd(start, end)
		for _, lineEnd := range []string{"\r\n", "\n"} {
			if bytes.HasPrefix(m.text[start:end], []byte(lineEnd)) {
				return start + len(lineEnd), end
			}
		}
	}
	return start, end
}

func (m *machine) trimRight(start, end int, blanks string) int {
	return start + len(bytes.TrimRight(m.text[start:end], blanks))
}

// trimLineEnd returns the end of a text without one line end.
func (m *machine) trimLineEnd(start, end int) int {
	text, ok := bytes.CutSuffix(m.text[start:end], []byte("\n"))
	if ok {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	return start + len(text)
}

// valueAttr returns the attribute that holds the value.
func (m *machine) valueAttr() (attribute, bool) { return m.attr(m.syntax.ValueAttr) }

func (m *machine) attr(name string) (attribute, bool) {
	i := slices.IndexFunc(m.param.attrs, func(a attribute) bool { return a.name == name })
	if name == "" || i < 0 {
		return attribute{}, false
	}
	return m.param.attrs[i], true
}

// plain returns the text that a value stands for, and whether it is the value
// byte by byte.
func (m *machine) plain(text string) (string, bool) {
	if m.syntax.CDATA {
		if section, ok := cdata(text); ok {
			return section, false
		}
	}
	if m.syntax.Entities {
		clear := unescape(text)
		return clear, clear == text
	}
	return text, true
}

// cdata returns the content of a text that is one CDATA section.
func cdata(text string) (string, bool) {
	text, ok := strings.CutPrefix(strings.TrimSpace(text), cdataOpen)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, cdataClose)
}

// kinds returns the kinds that the value of the parameter can have: those that
// its attributes say, or those of its shape.
func (m *machine) kinds(shape *Shape) Kinds {
	switch a, ok := m.attr(m.syntax.StringAttr); {
	case !ok && m.syntax.StringAttr != "":
		m.note(diag.CallMember, m.param.name.start, m.param.name.end, "the tag lacks the attribute %s: the type of the parameter is taken", m.syntax.StringAttr).
			Severity = diag.Warning
	case ok && a.value == "true":
		return String
	case ok:
		if kinds := shape.kinds() &^ String; kinds != 0 {
			return kinds
		}
		return anyJSON
	}
	if a, ok := m.attr(m.syntax.TypeAttr); ok {
		if kinds := typeNames[strings.ToLower(a.value)]; kinds != 0 {
			return kinds
		}
	}
	return shape.kinds()
}

const anyJSON = Integer | Number | Boolean | Null | Array | Object

// A valueReader reads the values of one parameter.
type valueReader struct {
	m     *machine
	start int // where the text of the value begins
	path  string
}

// read returns what a text says that should be of some kinds, as JSON. If it is
// plain, findings about it have a place in it.
func (v *valueReader) read(text string, kinds Kinds, plain bool) json.RawMessage {
	switch {
	case kinds == String:
		return v.text(text)
	case kinds == 0:
		return v.strict(text, v.m.syntax.Untyped.kinds())
	case kinds&String != 0:
		return v.strict(text, kinds&^String)
	}
	r := literal.ParseJSON(text)
	if r.Value == nil && hard(r.Findings) {
		v.take(r, plain)
		v.m.out.invalid = true
		return json.RawMessage("null")
	}
	if r.Value != nil && kindOf(r.Value) == String {
		if inner, ok := v.decoded(r, kinds); ok {
			return inner
		}
	}
	if r.Value == nil || !kinds.admit(kindOf(r.Value)) {
		return v.text(text)
	}
	v.take(r, plain)
	return r.Value
}

// admit reports whether a value of a kind is one of some kinds. Whether a number
// has no fraction is told by the definition.
func (k Kinds) admit(kind Kinds) bool {
	if kind&(Integer|Number) != 0 {
		kind = Integer | Number
	}
	return k&kind != 0
}

// kinds returns the kinds that a value without a known type can have beside text.
func (u Untyped) kinds() Kinds {
	switch u {
	case Containers:
		return Array | Object
	case JSON:
		return anyJSON
	}
	return 0
}

// strict returns the value of a text that is strictly JSON of some kinds, and the
// text itself otherwise.
func (v *valueReader) strict(text string, kinds Kinds) json.RawMessage {
	if kinds == 0 || !json.Valid([]byte(text)) {
		return v.text(text)
	}
	r := literal.ParseJSON(text)
	if r.Value == nil && hard(r.Findings) {
		v.take(r, true)
		v.m.out.invalid = true
		return json.RawMessage("null")
	}
	if r.Value == nil || r.Status != chat.StatusOK || !kinds.admit(kindOf(r.Value)) {
		return v.text(text)
	}
	v.take(r, true)
	return r.Value
}

// hard reports whether findings are about a text that is JSON beyond doubt, and
// must not be used.
func hard(findings []diag.Finding) bool {
	return slices.ContainsFunc(findings, func(f diag.Finding) bool {
		return f.Code == diag.DuplicateKey || f.Code == diag.TooDeep
	})
}

// decoded returns the object or array that a JSON string holds where no string
// may stand.
func (v *valueReader) decoded(r literal.Reading, kinds Kinds) (json.RawMessage, bool) {
	var text string
	if kinds&(Array|Object) == 0 || json.Unmarshal(r.Value, &text) != nil || !json.Valid([]byte(text)) {
		return nil, false
	}
	inner := literal.ParseJSON(text)
	if inner.Value == nil || inner.Status != chat.StatusOK || !(kinds & (Array | Object)).admit(kindOf(inner.Value)) {
		return nil, false
	}
	v.take(r, true)
	f := v.m.note(diag.DoubleEncoded, v.start, v.start, "the value is a string that holds JSON")
	f.Path = v.path
	return inner.Value, true
}

// take takes over the findings about a value.
func (v *valueReader) take(r literal.Reading, plain bool) {
	if !plain {
		for i := range r.Findings {
			r.Findings[i].Span, r.Findings[i].Fixes = diag.Span{}, nil
		}
	}
	v.m.takeReading(r, v.start, v.path)
}

// text returns a text as a JSON string.
func (v *valueReader) text(text string) json.RawMessage {
	b, ok := appendQuote(make([]byte, 0, len(text)+2), text)
	if !ok {
		v.m.fault(diag.InvalidUTF8, v.start, v.start+1, "a value holds bytes that are not UTF-8")
	}
	return b
}

// unescape replaces the entities of XML. An "&" that begins none is text.
func unescape(text string) string {
	if strings.IndexByte(text, '&') < 0 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '&')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		clear, n := entity(text[i:])
		b.WriteString(clear)
		text = text[i+n:]
	}
}

var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// entity returns what the entity at the start of a text stands for, and its
// length.
func entity(text string) (string, int) {
	const longest = len("&#x10ffff;")
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return "&", 1
	}
	name := text[1:end]
	if clear, ok := entities[name]; ok {
		return clear, end + 1
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		base := 10
		if hex, ok := strings.CutPrefix(digits, "x"); ok {
			digits, base = hex, 16
		}
		if r, err := strconv.ParseUint(digits, base, 21); err == nil && r > 0 && r <= 0x10ffff && (r < 0xd800 || r > 0xdfff) {
			return string(rune(r)), end + 1
		}
	}
	return "&", 1
}
