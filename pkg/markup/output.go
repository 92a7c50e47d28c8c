package markup

import (
	"encoding/json"
	"strings"
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
	steps        int
}

// An output takes in what a machine reads of a call whose end is known.
type output struct {
	name, id  string
	members   []member
	indexes   map[string]int // of the members, by name
	object    json.RawMessage
	notes     []diag.Finding
	invalid   bool
	ambiguous bool
	repaired  bool
	changed   bool // a repair may have changed a value
}

// A member is an argument.
type member struct {
	key    string
	values []json.RawMessage
}

// read reads the call whose end is known once more, and takes out what it says.
func (m *machine) read() reading {
	first := m.again(false)
	r := reading{steps: first.steps}
	first.out.ambiguous = first.out.ambiguous || first.doubt
	r.call = first.call()
	if first.doubt && r.call.Status == chat.StatusAmbiguous {
		other := m.again(true)
		r.steps += other.steps
		other.out.ambiguous = true
		r.alternatives = []chat.Call{r.call}
		if call := other.call(); call.Status == chat.StatusAmbiguous && string(call.Arguments) != string(r.call.Arguments) {
			r.alternatives = append(r.alternatives, call)
		}
		first.noteDoubt()
	}
	diag.Sort(first.out.notes)
	r.findings = first.out.notes
	return r
}

// again returns a machine that has read the call once more: in the same way, or
// in the naive one, which must come to the same end.
func (m *machine) again(naive bool) *machine {
	again := &machine{
		syntax: m.syntax, words: m.syntax.words(), tools: m.tools, base: m.base,
		text: m.text, whole: m.whole, naive: naive, out: &output{indexes: map[string]int{}},
	}
	if naive {
		again.text, again.whole, again.inside = m.text[:m.end], true, true
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
	if o.object != nil {
		return o.object
	}
	return object(o.members)
}

// object writes members as one JSON object. A member that came again is an array.
func object(members []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = appendQuote(b, m.key)
		b = append(b, ':')
		if len(m.values) > 1 {
			b = m.array(b)
		} else {
			b = append(b, m.values[0]...)
		}
	}
	return append(b, '}')
}

// array writes the values of a member as a JSON array.
func (m *member) array(b []byte) []byte {
	b = append(b, '[')
	for i, value := range m.values {
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
	value := m.value(start, end)
	i, again := o.indexes[p.name.text]
	switch {
	case !again:
		o.indexes[p.name.text] = len(o.members)
		o.members = append(o.members, member{p.name.text, []json.RawMessage{value}})
	case p.element && m.syntax.Nested:
		o.members[i].values = append(o.members[i].values, value)
	default:
		m.fault(diag.DuplicateKey, p.name.start, p.name.end, "the parameter %s is there twice", excerpt(p.name.text))
	}
}

// takeObject takes arguments that are one JSON object between two offsets.
func (m *machine) takeObject(start, end int) {
	if m.out == nil {
		return
	}
	r := literal.ParseJSON(string(m.text[start:end]))
	m.takeReading(r, start, "")
	if r.Value == nil || r.Value[0] != '{' {
		m.out.invalid = true
	}
	m.out.object = r.Value
}

// takeBroken takes what is wrong with an object of arguments that cannot be read.
// It reports false if there is none.
func (m *machine) takeBroken(start, end int) bool {
	text := string(m.text[start:end])
	if m.out == nil || text[0] != '{' {
		return false
	}
	m.steps += len(text)
	r := literal.ParseJSON(text)
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

// appendQuote writes a text as a JSON string. It reports false if the text is not
// UTF-8.
func appendQuote(b []byte, text string) ([]byte, bool) {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		if short := strings.IndexByte("\"\\\n\r\t\b\f", c); short >= 0 {
			b = append(b, '\\', `"\nrtbf`[short])
		} else {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	b = append(b, text[from:]...)
	return append(b, '"'), utf8.ValidString(text)
}
