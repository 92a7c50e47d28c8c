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

// A reading is what a call says.
type reading struct {
	call         chat.Call
	alternatives []chat.Call
	findings     []diag.Finding
	named        stretch
	steps        int
}

// A stretch is a part of the text.
type stretch struct{ start, end int }

// An output takes in what a machine reads of a call.
type output struct {
	name, id  string
	named     stretch         // where the name stands
	args      []byte          // the arguments as an object, but for its closing brace
	members   []argument      // in it
	indexes   map[string]int  // of the members, by their quoted names, where they are many
	repeated  bool            // some have come again
	json      *literal.Strict // reads values
	scratch   []byte          // holds the one that is being read
	value     valueReader
	object    json.RawMessage
	notes     []diag.Finding
	tracer    tracer
	invalid   bool
	ambiguous bool
	repaired  bool
	changed   bool // a repair may have changed a value
}

// An argument is a member of the arguments: where its quoted name, and its value, begin
// and end there.
type argument struct {
	key, colon, value, end int
	more                   []json.RawMessage // values that came again
}

// A member is a member of a value that is tags.
type member struct {
	key    string
	values []json.RawMessage
}

// read returns what the call says whose end is known. If its marks can be read in two
// ways it is read once more.
func (m *machine) read() reading {
	var r reading
	m.out.ambiguous = m.out.ambiguous || m.doubt
	r.call, r.named = m.call(), stretch{m.base + m.out.named.start, m.base + m.out.named.end}
	if m.doubt && r.call.Status == chat.StatusAmbiguous {
		other := m.naively()
		r.steps = other.steps
		other.out.ambiguous = true
		r.alternatives = []chat.Call{r.call}
		if call := other.call(); call.Status == chat.StatusAmbiguous && string(call.Arguments) != string(r.call.Arguments) {
			r.alternatives = append(r.alternatives, call)
		}
		m.noteDoubt()
	}
	diag.Sort(m.out.notes)
	r.findings = m.out.notes
	return r
}

// naively returns a machine that has read the call in the naive way, in which it must
// come to the same end.
func (m *machine) naively() *machine {
	again := &machine{
		syntax: m.syntax, words: m.words, tools: m.tools, base: m.base,
		text: m.text[:m.end], whole: true, naive: true, inside: true, out: &output{},
	}
	again.run()
	return again
}

// noteDoubt makes an error of what leaves two readings.
func (m *machine) noteDoubt() {
	for i := range m.out.notes {
		if f := &m.out.notes[i]; f.Code == diag.MarkerInValue || f.Code == diag.WrongCloser {
			f.Severity = diag.Error
			f.Hint = "write the call again: close every value with its own mark, and write no marks in values"
		}
	}
}

// call returns the call that was read.
func (m *machine) call() chat.Call {
	o := m.out
	c := chat.Call{
		ID: o.id, Name: o.name, ValueChanged: o.changed,
		Start: m.base + m.start, End: m.base + m.end, Text: string(m.text[m.start:m.end]),
	}
	c.Status = m.status()
	c.Executable = c.Status == chat.StatusOK || c.Status == chat.StatusRepaired
	if !o.invalid && !m.half {
		c.Arguments = o.arguments()
	}
	return c
}

func (m *machine) status() chat.Status {
	switch {
	case m.cut:
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

// add takes in a finding. It returns a place where it can be changed, still.
func (o *output) add(f diag.Finding) *diag.Finding {
	if len(o.notes) == mostNotes {
		return &f
	}
	o.notes = append(o.notes, f)
	return &o.notes[len(o.notes)-1]
}

// arguments returns all arguments as one JSON object.
func (o *output) arguments() json.RawMessage {
	switch {
	case o.object != nil:
		return o.object
	case len(o.args) == 0:
		return json.RawMessage("{}")
	case !o.repeated:
		return append(append(make([]byte, 0, len(o.args)+1), o.args...), '}')
	}
	b := []byte{'{'}
	for i, a := range o.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, o.args[a.key:a.value]...)
		if value := o.args[a.value:a.end]; len(a.more) > 0 {
			b = array(b, append([]json.RawMessage{value}, a.more...))
		} else {
			b = append(b, value...)
		}
	}
	return append(b, '}')
}

// fewMembers is how many arguments are compared one by one.
const fewMembers = 16

// begin begins an argument. It reports false, with its index, if there is one of that
// name.
func (o *output) begin(name string) (i int, isNew bool) {
	from := len(o.args)
	first := byte('{')
	if from > 0 {
		first = ','
	}
	o.args = literal.AppendString(append(o.args, first), []byte(name))
	key := o.args[from+1:]
	if i := o.index(key); i >= 0 {
		o.args = o.args[:from]
		return i, false
	}
	o.members = append(o.members, argument{key: from + 1, colon: len(o.args)})
	o.args = append(o.args, ':')
	if o.indexes != nil {
		o.indexes[string(key)] = len(o.members) - 1
	}
	return len(o.members) - 1, true
}

// index returns the index of the argument with a quoted name, -1 if there is none.
func (o *output) index(key []byte) int {
	if o.indexes == nil && len(o.members) == fewMembers {
		o.indexes = map[string]int{}
		for i, a := range o.members {
			o.indexes[string(o.args[a.key:a.colon])] = i
		}
	}
	if o.indexes != nil {
		if i, known := o.indexes[string(key)]; known {
			return i
		}
		return -1
	}
	return slices.IndexFunc(o.members, func(a argument) bool { return string(o.args[a.key:a.colon]) == string(key) })
}

// end ends the argument that has begun last with its value.
func (o *output) end(value []byte) {
	a := &o.members[len(o.members)-1]
	a.value = len(o.args)
	o.args = append(o.args, value...)
	a.end = len(o.args)
}

// quoted returns a text as a JSON string, in the room for the value that is being read.
func (o *output) quoted(text []byte) json.RawMessage {
	from := len(o.scratch)
	o.scratch = literal.AppendString(o.scratch, text)
	return o.scratch[from:len(o.scratch):len(o.scratch)]
}

// strict returns the value of a text that is strict JSON, in the same room; false if it
// is none, or unusual.
func (o *output) strict(text []byte) (json.RawMessage, bool) {
	from, ok := len(o.scratch), false
	if o.json == nil {
		o.json = new(literal.Strict)
	}
	o.scratch, ok = o.json.Append(o.scratch, text)
	return o.scratch[from:len(o.scratch):len(o.scratch)], ok
}

// object writes members as one JSON object. A member that came again is an array.
func object(members []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(literal.AppendString(b, []byte(m.key)), ':')
		if len(m.values) > 1 {
			b = array(b, m.values)
		} else {
			b = append(b, m.values[0]...)
		}
	}
	return append(b, '}')
}

// array writes values as a JSON array.
func array(b []byte, values []json.RawMessage) []byte {
	b = append(b, '[')
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, value...)
	}
	return append(b, ']')
}

// takeID takes the id of the call from the attributes of its tag.
func (m *machine) takeID(attributes []attribute) {
	if a, ok := attr(attributes, m.syntax.ID); ok && m.out != nil && utf8.ValidString(a.value) {
		m.out.id = a.value
	}
}

// takeParam takes the parameter whose value stands between two offsets.
func (m *machine) takeParam(start, end int) {
	if m.out == nil {
		return
	}
	o, p := m.out, &m.param
	o.changed = o.changed || p.wrong || p.refused
	if p.opener {
		m.note(diag.MissingOpener, start, start, "the mark in front of the value of %s is missing", excerpt(p.name.text))
	}
	if p.name.text == "" {
		m.fault(diag.CallMember, p.name.start, max(p.name.end, p.name.start), "a parameter has no name")
	} else if !utf8.ValidString(p.name.text) {
		m.fault(diag.InvalidUTF8, p.name.start, p.name.end, "the name of a parameter holds bytes that are not UTF-8")
	}
	if m.object {
		m.fault(diag.CallMember, start, end, "there are parameters beside an object of arguments")
	}
	m.noteMarks()
	o.scratch = spare(o.scratch)
	value := m.value(start, end)
	switch i, isNew := o.begin(p.name.text); {
	case isNew:
		o.end(value)
	case p.element && m.syntax.Nested:
		o.members[i].more = append(o.members[i].more, bytes.Clone(value))
		o.repeated = true
	default:
		m.fault(diag.DuplicateKey, p.name.start, p.name.end, "the parameter %s is there twice", excerpt(p.name.text))
	}
}

// takeObject takes arguments that are one JSON object between two offsets.
func (m *machine) takeObject(start, end int) {
	if m.out == nil {
		return
	}
	r := literal.ParseBytes(m.text[start:end])
	m.takeReading(r, start, "")
	if r.Value == nil || r.Value[0] != '{' {
		m.out.invalid = true
	}
	m.out.object = r.Value
}

// takeBroken takes what is wrong with an object of arguments that cannot be read.
// It reports false if there is none.
func (m *machine) takeBroken(start, end int) bool {
	text := m.text[start:end]
	if m.out == nil || text[0] != '{' {
		return false
	}
	m.steps += len(text)
	r := literal.ParseBytes(text)
	m.takeReading(r, start, "")
	m.out.invalid = true
	return diag.HasErrors(r.Findings)
}

// takeReading takes over the status and the findings of a value that begins at
// an offset.
func (m *machine) takeReading(r literal.Reading, start int, path string) {
	o := m.out
	o.changed = o.changed || r.Changed
	switch r.Status {
	case chat.StatusAmbiguous:
		o.ambiguous = true
	case chat.StatusRepaired:
		o.repaired = true
	}
	for _, f := range r.Findings {
		o.add(moved(f, m.base+start, path))
	}
}

// moved returns a finding about a text that begins at an offset.
func moved(f diag.Finding, by int, path string) diag.Finding {
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
