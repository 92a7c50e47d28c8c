package markup

import (
	"encoding/json"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// A Place is where an argument stands in the text of a call, in bytes of that text.
type Place struct {
	Pointer string    // to the argument in the arguments; to an item of it where a tag comes again
	Name    diag.Span // zero where the text does not say it
	Value   diag.Span // without what stands around it and is no part of it
}

// A tracedValue is what is kept of where a value stands.
type tracedValue struct {
	in          int // the index of the value that it stands in; outermost for an argument
	name        string
	named, said diag.Span
	list        bool // it is an array of the values in it
}

const outermost = -1

// A tracer keeps where values stand, if it is on.
type tracer struct {
	enabled bool
	values  []tracedValue // by their beginning
}

// Places reads the text of one call again, of all its bytes, and returns its
// arguments with their places; nil if it is none, or cannot be read. Where the
// arguments are one object the places are none.
func Places(s *Syntax, text string, tools Toolset) (json.RawMessage, []Place) {
	if bare := strings.TrimPrefix(text, s.Token); !strings.HasPrefix(bare, s.delimiters().Open) {
		return nil, nil
	}
	m := parseTraced(s, text, tools)
	if m.incomplete { // a mark behind the call has ended its last value
		m = parseTraced(s, text+m.callClosingTag(), tools)
	}
	if m.notCall || m.incomplete || m.out.invalid {
		return nil, nil
	}
	return m.out.argumentsJSON(), m.out.tracer.argumentSpans()
}

// parseTraced returns a machine that has read the text of a call, and kept where its
// parameters stand.
func parseTraced(s *Syntax, text string, tools Toolset) *machine {
	m := &machine{
		syntax: s, words: s.words(), tools: tools, text: []byte(text), final: true, endsAtCallEnd: true, out: &output{tracer: tracer{enabled: true}},
	}
	m.run()
	return m
}

// begin takes a value, whose end may not be known yet, and returns its index.
func (t *tracer) begin(in int, name string, named, said diag.Span) int {
	if !t.enabled {
		return outermost
	}
	t.values = append(t.values, tracedValue{in: in, name: name, named: named, said: said})
	return len(t.values) - 1
}

// end takes the end of a value that holds others.
func (t *tracer) end(i, at int, list bool) {
	if t.enabled {
		t.values[i].said.End, t.values[i].list = at, list
	}
}

// truncate drops what has been taken of the values in one.
func (t *tracer) truncate(i int) {
	if t.enabled {
		t.values = t.values[:i+1]
	}
}

// trace takes the value of the current parameter.
func (m *machine) trace(start, end int) int {
	if !m.out.tracer.enabled {
		return outermost
	}
	n := m.param.name
	from := n.start
	if m.param.isElement { // whose name is that of its tag
		from = n.end - len(n.text)
	}
	for from < n.end && isSpace(m.text[from]) {
		from++
	}
	named := diag.Bytes(from, m.trimRight(from, n.end, " \t\r\n"))
	return m.out.tracer.begin(outermost, n.text, named, diag.Bytes(start, end))
}

// maxPointerLen bounds the pointers to what stands in arguments, in bytes: behind long
// names many values can stand.
const maxPointerLen = 256

// A sibling is the values of one name in a value, or all of those in a list.
type sibling struct {
	in   int
	name string
}

// argumentSpans returns where the values stand. A name that comes again makes an array.
func (t *tracer) argumentSpans() []Place {
	all, pointers := make([]Place, 0, len(t.values)), make([]string, len(t.values))
	count, seen, arrays := map[sibling]int{}, map[sibling]int{}, map[sibling]int{}
	for _, v := range t.values {
		count[sibling{v.in, v.name}]++
	}
	for i, v := range t.values {
		key, pointer, list := sibling{v.in, v.name}, "", false
		if v.in != outermost {
			pointer, list = pointers[v.in], t.values[v.in].list
		}
		if v.in != outermost && (pointer == "" || len(pointer)+len(v.name) > maxPointerLen) {
			continue
		}
		if list {
			key.name = ""
		} else {
			pointer += "/" + pointerEscapes.Replace(v.name)
		}
		if !list && count[key] > 1 {
			if seen[key] == 0 {
				arrays[key] = len(all)
				all = append(all, Place{pointer, v.named, v.said})
			}
			all[arrays[key]].Value.End = v.said.End
			list = true
		}
		if list {
			pointer += "/" + strconv.Itoa(seen[key])
			seen[key]++
		}
		pointers[i] = pointer
		all = append(all, Place{pointer, v.named, v.said})
	}
	return all
}
