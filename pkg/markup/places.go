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

// A trace is what is kept of where a value stands.
type trace struct {
	in          int // the index of the value that it stands in; outermost for an argument
	name        string
	named, said diag.Span
	list        bool // it is an array of the values in it
}

const outermost = -1

// A tracer keeps where values stand, if it is on.
type tracer struct {
	on  bool
	all []trace // by their beginning
}

// Places reads the text of one call again, of all its bytes, and returns its
// arguments with their places; nil if it is none, or cannot be read. Where the
// arguments are one object the places are none.
func Places(s *Syntax, text string, tools Toolset) (json.RawMessage, []Place) {
	if bare := strings.TrimPrefix(text, s.Token); !strings.HasPrefix(bare, s.delimiters().Open) {
		return nil, nil
	}
	m := traced(s, text, tools)
	if m.half { // a mark behind the call has ended its last value
		m = traced(s, text+m.callCloser(), tools)
	}
	if m.none || m.half || m.out.invalid {
		return nil, nil
	}
	return m.out.arguments(), m.out.tracer.places()
}

// traced returns a machine that has read the text of a call, and kept where its
// parameters stand.
func traced(s *Syntax, text string, tools Toolset) *machine {
	m := &machine{
		syntax: s, words: s.words(), tools: tools, text: []byte(text), whole: true, inside: true, out: &output{tracer: tracer{on: true}},
	}
	m.run()
	return m
}

// begin takes a value, whose end may not be known yet, and returns its index.
func (t *tracer) begin(in int, name string, named, said diag.Span) int {
	if !t.on {
		return outermost
	}
	t.all = append(t.all, trace{in: in, name: name, named: named, said: said})
	return len(t.all) - 1
}

// end takes the end of a value that holds others.
func (t *tracer) end(i, at int, list bool) {
	if t.on {
		t.all[i].said.End, t.all[i].list = at, list
	}
}

// forget drops what has been taken of the values in one.
func (t *tracer) forget(i int) {
	if t.on {
		t.all = t.all[:i+1]
	}
}

// trace takes the value of the current parameter.
func (m *machine) trace(start, end int) int {
	if !m.out.tracer.on {
		return outermost
	}
	n := m.param.name
	from := n.start
	if m.param.element { // whose name is that of its tag
		from = n.end - len(n.text)
	}
	for from < n.end && isSpace(m.text[from]) {
		from++
	}
	named := diag.Bytes(from, m.trimRight(from, n.end, " \t\r\n"))
	return m.out.tracer.begin(outermost, n.text, named, diag.Bytes(start, end))
}

// longestPointer bounds the pointers to what stands in arguments, in bytes: behind long
// names many values can stand.
const longestPointer = 256

// A sibling is the values of one name in a value, or all of those in a list.
type sibling struct {
	in   int
	name string
}

// places returns where the values stand. A name that comes again makes an array.
func (t *tracer) places() []Place {
	all, pointers := make([]Place, 0, len(t.all)), make([]string, len(t.all))
	count, seen, arrays := map[sibling]int{}, map[sibling]int{}, map[sibling]int{}
	for _, v := range t.all {
		count[sibling{v.in, v.name}]++
	}
	for i, v := range t.all {
		key, pointer, list := sibling{v.in, v.name}, "", false
		if v.in != outermost {
			pointer, list = pointers[v.in], t.all[v.in].list
		}
		if v.in != outermost && (pointer == "" || len(pointer)+len(v.name) > longestPointer) {
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
