package markup

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A result is what a call says.
type result struct {
	call         chat.Call
	alternatives []chat.Call
	findings     []diag.Finding
	nameSpan     textRange
	steps        int
}

// A textRange is a part of the text.
type textRange struct{ start, end int }

// An output takes in what a machine reads of a call.
type output struct {
	name, id        string
	nameSpan        textRange       // where the name stands
	args            []byte          // the arguments as an object, but for its closing brace
	arguments       []argument      // in it
	argumentIndexes map[string]int  // of the members, by their quoted names, where they are many
	hasRepeats      bool            // some have come again
	strictJSON      *literal.Strict // reads values
	scratch         []byte          // holds the one that is being read
	value           valueReader
	object          json.RawMessage
	findings        []diag.Finding
	tracer          tracer
	invalid         bool
	ambiguous       bool
	repaired        bool
	valueChanged    bool // a repair may have changed a value
}

// An argument is a member of the arguments: where its quoted name, and its value, begin
// and end there.
type argument struct {
	key, colon, value, end int
	repeats                []json.RawMessage // values that came again
}

// A member is a member of a value that is tags.
type member struct {
	key    string
	values []json.RawMessage
}

// finishCall returns what the call says whose end is known. If its marks can be read in two
// ways it is read once more.
func (m *machine) finishCall() result {
	var r result
	m.out.ambiguous = m.out.ambiguous || m.ambiguous
	r.call, r.nameSpan = m.buildCall(), textRange{m.base + m.out.nameSpan.start, m.base + m.out.nameSpan.end}
	if m.ambiguous && r.call.Status == chat.StatusAmbiguous {
		other := m.reparseFirstCloser()
		r.steps = other.steps
		other.out.ambiguous = true
		r.alternatives = []chat.Call{r.call}
		if call := other.buildCall(); call.Status == chat.StatusAmbiguous && string(call.Arguments) != string(r.call.Arguments) {
			r.alternatives = append(r.alternatives, call)
		}
		m.escalateAmbiguity()
	}
	diag.Sort(m.out.findings)
	r.findings = m.out.findings
	return r
}

// reparseFirstCloser returns a machine that has read the call in the naive way, in which it must
// come to the same end.
func (m *machine) reparseFirstCloser() *machine {
	again := &machine{
		syntax: m.syntax, words: m.words, tools: m.tools, base: m.base,
		text: m.text[:m.end], final: true, firstCloserWins: true, endsAtCallEnd: true, out: &output{},
	}
	again.run()
	return again
}

// escalateAmbiguity makes an error of what leaves two readings.
func (m *machine) escalateAmbiguity() {
	for i := range m.out.findings {
		if f := &m.out.findings[i]; f.Code == diag.MarkerInValue || f.Code == diag.WrongCloser {
			f.Severity = diag.Error
			f.Hint = "write the call again: close every value with its own tag, and write no tags in values"
		}
	}
}

// buildCall returns the call that was read.
func (m *machine) buildCall() chat.Call {
	o := m.out
	c := chat.Call{
		ID: o.id, Name: o.name, ValueChanged: o.valueChanged,
		Start: m.base + m.start, End: m.base + m.end, Text: string(m.text[m.start:m.end]),
	}
	c.Status = m.status()
	c.Executable = c.Status == chat.StatusOK || c.Status == chat.StatusRepaired
	if !o.invalid && !m.incomplete {
		c.Arguments = o.argumentsJSON()
	}
	return c
}

func (m *machine) status() chat.Status {
	switch {
	case m.truncated:
		return chat.StatusTruncated
	case m.out.invalid:
		return chat.StatusInvalid
	case m.out.ambiguous:
		return chat.StatusAmbiguous
	case m.out.repaired:
		return chat.StatusRepaired
	}
	return chat.StatusOK
}

// addFinding takes in a finding. It returns a place where it can be changed, still.
func (o *output) addFinding(f diag.Finding) *diag.Finding {
	if len(o.findings) == maxFindings {
		return &f
	}
	o.findings = append(o.findings, f)
	return &o.findings[len(o.findings)-1]
}

// arguments returns all arguments as one JSON object.
func (o *output) argumentsJSON() json.RawMessage {
	switch {
	case o.object != nil:
		return o.object
	case len(o.args) == 0:
		return json.RawMessage("{}")
	case !o.hasRepeats:
		return append(append(make([]byte, 0, len(o.args)+1), o.args...), '}')
	}
	b := []byte{'{'}
	for i, a := range o.arguments {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, o.args[a.key:a.value]...)
		if value := o.args[a.value:a.end]; len(a.repeats) > 0 {
			b = appendArray(b, append([]json.RawMessage{value}, a.repeats...))
		} else {
			b = append(b, value...)
		}
	}
	return append(b, '}')
}

// maxLinearMembers is how many arguments are compared one by one.
const maxLinearMembers = 16

// beginArgument begins an argument. It reports false, with its index, if there is one of that
// name.
func (o *output) beginArgument(name string) (i int, isNew bool) {
	from := len(o.args)
	first := byte('{')
	if from > 0 {
		first = ','
	}
	o.args = literal.AppendString(append(o.args, first), []byte(name))
	key := o.args[from+1:]
	if i := o.argumentIndex(key); i >= 0 {
		o.args = o.args[:from]
		return i, false
	}
	o.arguments = append(o.arguments, argument{key: from + 1, colon: len(o.args)})
	o.args = append(o.args, ':')
	if o.argumentIndexes != nil {
		o.argumentIndexes[string(key)] = len(o.arguments) - 1
	}
	return len(o.arguments) - 1, true
}

// argumentIndex returns the index of the argument with a quoted name, -1 if there is none.
func (o *output) argumentIndex(key []byte) int {
	if o.argumentIndexes == nil && len(o.arguments) == maxLinearMembers {
		o.argumentIndexes = map[string]int{}
		for i, a := range o.arguments {
			o.argumentIndexes[string(o.args[a.key:a.colon])] = i
		}
	}
	if o.argumentIndexes != nil {
		if i, known := o.argumentIndexes[string(key)]; known {
			return i
		}
		return -1
	}
	return slices.IndexFunc(o.arguments, func(a argument) bool { return string(o.args[a.key:a.colon]) == string(key) })
}

// endArgument ends the argument that has begun last with its value.
func (o *output) endArgument(value []byte) {
	a := &o.arguments[len(o.arguments)-1]
	a.value = len(o.args)
	o.args = append(o.args, value...)
	a.end = len(o.args)
}

// quote returns a text as a JSON string, in the room for the value that is being read.
func (o *output) quote(text []byte) json.RawMessage {
	from := len(o.scratch)
	o.scratch = literal.AppendString(o.scratch, text)
	return o.scratch[from:len(o.scratch):len(o.scratch)]
}

// parseStrict returns the value of a text that is strict JSON, in the same room; false if it
// is none, or unusual.
func (o *output) parseStrict(text []byte) (json.RawMessage, bool) {
	from, ok := len(o.scratch), false
	if o.strictJSON == nil {
		o.strictJSON = new(literal.Strict)
	}
	o.scratch, ok = o.strictJSON.Append(o.scratch, text)
	return o.scratch[from:len(o.scratch):len(o.scratch)], ok
}

// encodeObject writes members as one JSON object. A member that came again is an array.
func encodeObject(members []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(literal.AppendString(b, []byte(m.key)), ':')
		if len(m.values) > 1 {
			b = appendArray(b, m.values)
		} else {
			b = append(b, m.values[0]...)
		}
	}
	return append(b, '}')
}

// appendArray writes values as a JSON array.
func appendArray(b []byte, values []json.RawMessage) []byte {
	b = append(b, '[')
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, value...)
	}
	return append(b, ']')
}

// setID takes the id of the call from the attributes of its tag.
func (m *machine) setID(attributes []attribute) {
	if a, ok := findAttribute(attributes, m.syntax.ID); ok && m.out != nil && utf8.ValidString(a.value) {
		m.out.id = a.value
	}
}

// addParam takes the parameter whose value stands between two offsets.
func (m *machine) addParam(start, end int) {
	if m.out == nil {
		return
	}
	o, p := m.out, &m.param
	o.valueChanged = o.valueChanged || p.wrongCloser || p.closerRejected
	if p.openerMissing {
		m.note(diag.MissingOpener, start, start, "missing opening tag before the value of %s", excerpt(p.name.text))
	}
	if p.name.text == "" {
		m.fault(diag.CallMember, p.name.start, max(p.name.end, p.name.start), "missing parameter name")
	} else if !utf8.ValidString(p.name.text) {
		m.fault(diag.InvalidUTF8, p.name.start, p.name.end, "invalid UTF-8 in a parameter name")
	}
	if m.hasObject {
		m.fault(diag.CallMember, start, end, "parameters mixed with a JSON object of arguments")
	}
	m.noteMarks()
	o.scratch = reuse(o.scratch)
	value := m.paramValue(start, end)
	switch i, isNew := o.beginArgument(p.name.text); {
	case isNew:
		o.endArgument(value)
	case p.isElement && m.syntax.Nested:
		o.arguments[i].repeats = append(o.arguments[i].repeats, bytes.Clone(value))
		o.hasRepeats = true
	default:
		m.fault(diag.DuplicateKey, p.name.start, p.name.end, "duplicate parameter %s", excerpt(p.name.text))
	}
}

// addObject takes arguments that are one JSON object between two offsets.
func (m *machine) addObject(start, end int) {
	if m.out == nil {
		return
	}
	r := literal.ParseBytes(m.text[start:end])
	m.addParsed(r, start, "")
	if r.Value == nil || r.Value[0] != '{' {
		m.out.invalid = true
	}
	m.out.object = r.Value
}

// addInvalidObject takes what is wrong with an object of arguments that cannot be read.
// It reports false if there is none.
func (m *machine) addInvalidObject(start, end int) bool {
	text := m.text[start:end]
	if m.out == nil || text[0] != '{' {
		return false
	}
	m.steps += len(text)
	r := literal.ParseBytes(text)
	m.addParsed(r, start, "")
	m.out.invalid = true
	return diag.HasErrors(r.Findings)
}

// addParsed takes over the status and the findings of a value that begins at
// an offset.
func (m *machine) addParsed(r literal.Reading, start int, path string) {
	o := m.out
	o.valueChanged = o.valueChanged || r.Changed
	switch r.Status {
	case chat.StatusAmbiguous:
		o.ambiguous = true
	case chat.StatusRepaired:
		o.repaired = true
	}
	for _, f := range r.Findings {
		o.addFinding(shiftFinding(f, m.base+start, path))
	}
}

// shiftFinding returns a finding about a text that begins at an offset.
func shiftFinding(f diag.Finding, by int, path string) diag.Finding {
	f.Span.Start += by
	f.Span.End += by
	f.Path = path + f.Path
	for i := range f.Fixes {
		for j := range f.Fixes[i].Edits {
			f.Fixes[i].Edits[j].Start += by
			f.Fixes[i].Edits[j].End += by
		}
	}
	return f
}
