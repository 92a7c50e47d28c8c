package markup

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/quote"
)

// A builder makes a call from the parts that a machine reads, with its findings.
type builder struct {
	lexer
	tools      Toolset
	base       int
	start, end int  // of the call
	truncated  bool // the text ends inside the call
	incomplete bool // it ends inside a parameter or before the first
	hasObject  bool // the arguments are a JSON object
	hasParams  bool // a parameter was read
	ambiguous  bool // there may be another reading
	out        *output
}

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

// An output collects the parts of a call that a machine reads.
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

// escalateAmbiguity turns findings into errors if the call is ambiguous.
func (b *builder) escalateAmbiguity() {
	for i := range b.out.findings {
		if f := &b.out.findings[i]; f.Code == diag.MarkerInValue || f.Code == diag.WrongCloser {
			f.Severity = diag.Error
			f.Hint = "write the call again: close every value with its own tag, and write no tags in values"
		}
	}
}

func (b *builder) buildCall() chat.Call {
	o := b.out
	c := chat.Call{
		ID: o.id, Name: o.name, ValueChanged: o.valueChanged,
		Start: b.base + b.start, End: b.base + b.end, Text: string(b.text[b.start:b.end]),
	}
	c.Status = b.status()
	c.Executable = c.Status == chat.StatusOK || c.Status == chat.StatusRepaired
	if !o.invalid && !b.incomplete {
		c.Arguments = o.argumentsJSON()
	}
	return c
}

func (b *builder) status() chat.Status {
	switch {
	case b.truncated:
		return chat.StatusTruncated
	case b.out.invalid:
		return chat.StatusInvalid
	case b.out.ambiguous:
		return chat.StatusAmbiguous
	case b.out.repaired:
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
	o.args = quote.AppendJSON(append(o.args, first), []byte(name))
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
	o.scratch = quote.AppendJSON(o.scratch, text)
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
		b = append(quote.AppendJSON(b, []byte(m.key)), ':')
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
func (b *builder) setID(attributes []attribute) {
	if a, ok := findAttribute(attributes, b.syntax.IDAttr); ok && b.out != nil && utf8.ValidString(a.value) {
		b.out.id = a.value
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

// A valueReader decodes the values of one parameter. Its results are valid until the next
// parameter is read.
type valueReader struct {
	m     *builder
	start int // start of the value
	trace int // index of its tracedValue
}

// maxReuse limits the buffers that are reused for the next call, in bytes.
const maxReuse = 1 << 14

// reusableBuffer returns the buffer of a text that is not needed any more.
func reusableBuffer(text []byte) []byte {
	if cap(text) > maxReuse {
		return nil
	}
	return text[:0]
}

// newToolName returns a tool name, cleaned unless there is a tool with exactly that name.
func (b *builder) newToolName(text string, start, end int) name {
	if b.tools[text] != nil {
		return name{text: text, start: start, end: end}
	}
	n := cleanName(text, start, end)
	space, rest := literal.CutNamespace(n.text)
	if space != "" && b.tools[n.text] == nil && (b.tools == nil || b.tools[rest] != nil) {
		n.namespace, n.text = space, rest
	}
	space, rest = cutRepeatedNamespace(n.text)
	if space != "" && b.tools[n.text] == nil && b.tools[rest] != nil {
		n.text = rest
		if !b.syntax.DoubledName {
			n.namespace = space
		}
	}
	return n
}
