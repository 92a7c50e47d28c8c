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

// A result is a finished call with its findings.
type result struct {
	call         chat.Call
	alternatives []chat.Call
	findings     []diag.Finding
	nameSpan     textRange
	steps        int
}

// A textRange is a range of the text.
type textRange struct{ start, end int }

// An output collects what a machine reads of a call.
type output struct {
	name, id        string
	nameSpan        textRange       // span of the tool name
	args            []byte          // the arguments object without its closing brace
	arguments       []argument      // in args
	argumentIndexes map[string]int  // by quoted name, if there are more than maxLinearMembers
	hasRepeats      bool            // some argument has repeats
	strictJSON      *literal.Strict // decodes values
	scratch         []byte          // buffer of the value being read
	value           valueReader
	object          json.RawMessage
	findings        []diag.Finding
	tracer          tracer
	invalid         bool
	ambiguous       bool
	repaired        bool
	valueChanged    bool // a repair may have changed the value
}

// An argument is the range of a member in output.args.
type argument struct {
	key, keyEnd, value, end int
	repeats                 []json.RawMessage // values of repeated tags
}

// A member is a member of a value written as tags.
type member struct {
	key    string
	values []json.RawMessage
}

// finishCall returns the finished call. If its tags can be read in two ways it reads the call
// again to get the alternative.
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

// reparseFirstCloser reads the call again with the simple rule that the first closing tag closes
// a value. It ends at the same offset.
func (m *machine) reparseFirstCloser() *machine {
	again := &machine{
		syntax: m.syntax, words: m.words, tools: m.tools, base: m.base,
		text: m.text[:m.end], final: true, firstCloserWins: true, endsAtCallEnd: true, out: &output{},
	}
	again.run()
	return again
}

// escalateAmbiguity turns findings into errors if the call is ambiguous.
func (m *machine) escalateAmbiguity() {
	for i := range m.out.findings {
		if f := &m.out.findings[i]; f.Code == diag.MarkerInValue || f.Code == diag.WrongCloser {
			f.Severity = diag.Error
			f.Hint = "write the call again: close every value with its own tag, and write no tags in values"
		}
	}
}

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

// addFinding adds a finding and returns a pointer for later changes.
func (o *output) addFinding(f diag.Finding) *diag.Finding {
	if len(o.findings) == maxFindings {
		return &f
	}
	o.findings = append(o.findings, f)
	return &o.findings[len(o.findings)-1]
}

// argumentsJSON returns all arguments as one JSON object.
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

// maxLinearMembers is the number of arguments up to which names are compared one by one.
const maxLinearMembers = 16

// beginArgument begins an argument. If its name is already there it returns its index and false.
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
	o.arguments = append(o.arguments, argument{key: from + 1, keyEnd: len(o.args)})
	o.args = append(o.args, ':')
	if o.argumentIndexes != nil {
		o.argumentIndexes[string(key)] = len(o.arguments) - 1
	}
	return len(o.arguments) - 1, true
}

// argumentIndex returns the index of the argument with a quoted name, or -1.
func (o *output) argumentIndex(key []byte) int {
	if o.argumentIndexes == nil && len(o.arguments) == maxLinearMembers {
		o.argumentIndexes = map[string]int{}
		for i, a := range o.arguments {
			o.argumentIndexes[string(o.args[a.key:a.keyEnd])] = i
		}
	}
	if o.argumentIndexes != nil {
		if i, known := o.argumentIndexes[string(key)]; known {
			return i
		}
		return -1
	}
	return slices.IndexFunc(o.arguments, func(a argument) bool { return string(o.args[a.key:a.keyEnd]) == string(key) })
}

// endArgument ends the last argument with its value.
func (o *output) endArgument(value []byte) {
	a := &o.arguments[len(o.arguments)-1]
	a.value = len(o.args)
	o.args = append(o.args, value...)
	a.end = len(o.args)
}

// quote returns a text as a JSON string in the scratch buffer.
func (o *output) quote(text []byte) json.RawMessage {
	from := len(o.scratch)
	o.scratch = literal.AppendString(o.scratch, text)
	return o.scratch[from:len(o.scratch):len(o.scratch)]
}

// parseStrict returns the value of a strict JSON text in the scratch buffer; false for any other
// or unusual text.
func (o *output) parseStrict(text []byte) (json.RawMessage, bool) {
	from, ok := len(o.scratch), false
	if o.strictJSON == nil {
		o.strictJSON = new(literal.Strict)
	}
	o.scratch, ok = o.strictJSON.Append(o.scratch, text)
	return o.scratch[from:len(o.scratch):len(o.scratch)], ok
}

// encodeObject returns members as a JSON object. A repeated member is an array.
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

// appendArray appends values as a JSON array.
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

// setID sets the id of the call from the attributes of its tag.
func (m *machine) setID(attributes []attribute) {
	if a, ok := findAttribute(attributes, m.syntax.IDAttr); ok && m.out != nil && utf8.ValidString(a.value) {
		m.out.id = a.value
	}
}

// addParam adds the current parameter, whose value is between two offsets.
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
		m.fail(diag.CallMember, p.name.start, max(p.name.end, p.name.start), "missing parameter name")
	} else if !utf8.ValidString(p.name.text) {
		m.fail(diag.InvalidUTF8, p.name.start, p.name.end, "invalid UTF-8 in a parameter name")
	}
	if m.hasObject {
		m.fail(diag.CallMember, start, end, "parameters mixed with a JSON object of arguments")
	}
	m.noteValueMarkers()
	o.scratch = reuse(o.scratch)
	value := m.paramValue(start, end)
	switch i, isNew := o.beginArgument(p.name.text); {
	case isNew:
		o.endArgument(value)
	case p.isElement && m.syntax.NestedTags:
		o.arguments[i].repeats = append(o.arguments[i].repeats, bytes.Clone(value))
		o.hasRepeats = true
	default:
		m.fail(diag.DuplicateKey, p.name.start, p.name.end, "duplicate parameter %s", excerpt(p.name.text))
	}
}

// addObject adds arguments that are one JSON object between two offsets.
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

// addInvalidObject adds the findings about an invalid arguments object, and reports whether
// there are errors.
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

// addParsed adds the status and findings of a value that begins at an offset.
func (m *machine) addParsed(r literal.Parsed, start int, path string) {
	o := m.out
	o.valueChanged = o.valueChanged || r.ValueChanged
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

// shiftFinding moves a finding by an offset and below a path.
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
