package markup

import (
	"strconv"

	"oneshot/pkg/diag"
)

// An ArgumentSpan locates an argument in the text of a call, in bytes of that text.
type ArgumentSpan struct {
	Pointer string    // to the argument in the arguments, or to an item of it for a repeated tag
	Name    diag.Span // zero if the text does not contain the name
	Value   diag.Span // without padding
}

// A tracedValue is the recorded position of a value.
type tracedValue struct {
	parent       int // index of the containing value; outermost for an argument
	name         string
	named, value diag.Span
	list         bool // it is an array of the values in it
}

const outermost = -1

// A tracer records the positions of values if it is enabled.
type tracer struct {
	enabled bool
	values  []tracedValue // in the order of their starts
}

// begin records a value, whose end may still be unknown, and returns its index.
func (t *tracer) begin(in int, name string, named, said diag.Span) int {
	if !t.enabled {
		return outermost
	}
	t.values = append(t.values, tracedValue{parent: in, name: name, named: named, value: said})
	return len(t.values) - 1
}

// end sets the end of a value that contains others.
func (t *tracer) end(i, at int, list bool) {
	if t.enabled {
		t.values[i].value.End, t.values[i].list = at, list
	}
}

// dropNested drops the values inside one.
func (t *tracer) dropNested(i int) {
	if t.enabled {
		t.values = t.values[:i+1]
	}
}

// traceParam records the value of the current parameter.
func (b *builder) traceParam(start, end int) int {
	if !b.out.tracer.enabled {
		return outermost
	}
	n := b.param.name
	from := n.start
	if b.param.isElement { // its name is that of its tag
		from = n.end - len(n.text)
	}
	for from < n.end && isSpace(b.text[from]) {
		from++
	}
	named := diag.Bytes(from, b.trimmedEnd(from, n.end, " \t\r\n"))
	return b.out.tracer.begin(outermost, n.text, named, diag.Bytes(start, end))
}

// maxPointerLen limits pointers, in bytes: many values can be below long names.
const maxPointerLen = 256

// A sibling identifies the values of one name in a value, or all items of a list.
type sibling struct {
	parent int
	name   string
}

// argumentSpans returns the spans of all values. A repeated name makes an array.
func (t *tracer) argumentSpans() []ArgumentSpan {
	all, pointers := make([]ArgumentSpan, 0, len(t.values)), make([]string, len(t.values))
	count, seen, arrays := map[sibling]int{}, map[sibling]int{}, map[sibling]int{}
	for _, v := range t.values {
		count[sibling{v.parent, v.name}]++
	}
	for i, v := range t.values {
		key, pointer, list := sibling{v.parent, v.name}, "", false
		if v.parent != outermost {
			pointer, list = pointers[v.parent], t.values[v.parent].list
		}
		if v.parent != outermost && (pointer == "" || len(pointer)+len(v.name) > maxPointerLen) {
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
				all = append(all, ArgumentSpan{pointer, v.named, v.value})
			}
			all[arrays[key]].Value.End = v.value.End
			list = true
		}
		if list {
			pointer += "/" + strconv.Itoa(seen[key])
			seen[key]++
		}
		pointers[i] = pointer
		all = append(all, ArgumentSpan{pointer, v.named, v.value})
	}
	return all
}
