package schema

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
)

// A Location is the span of a value in a document and, in an object, the span of its key, in bytes.
type Location struct{ Name, Value diag.Span }

// A target is a value to locate, or an ancestor of one.
type target struct {
	Location
	members map[string]*target // by key or index
}

// child returns the target for a key or index, adding it if absent.
func (w *target) child(key string) *target {
	m := w.members[key]
	if m == nil {
		m = &target{}
		if w.members == nil {
			w.members = map[string]*target{}
		}
		w.members[key] = m
	}
	return m
}

// Locate returns the locations of the values that JSON pointers name, in one pass over a document of strict JSON.
// Memory is proportional to the pointers. A value that the document lacks has the zero location.
func Locate(doc []byte, pointers []string) map[string]Location {
	root := &target{}
	wants := make(map[string]*target, len(pointers))
	for _, p := range pointers {
		w := root
		for key := range jsontext.Pointer(p).Tokens() {
			w = w.child(key)
		}
		wants[p] = w
	}
	f := locator{dec: jsontext.NewDecoder(bytes.NewBuffer(doc))}
	f.visitValue(root)
	for len(f.open) > 0 {
		f.readMember()
	}
	spots := make(map[string]Location, len(wants))
	for p, w := range wants {
		spots[p] = w.Location
	}
	return spots
}

// A locator walks a document along the tree of targets.
type locator struct {
	dec  *jsontext.Decoder
	open []frame
}

// A frame is an object or array around the current position.
type frame struct {
	want  *target
	array bool
	next  int // index of the next item
}

// readMember reads one member of the innermost open value, or closes it.
func (f *locator) readMember() {
	top := &f.open[len(f.open)-1]
	if kind := f.dec.PeekKind(); kind == '}' || kind == ']' {
		top.want.Value.End = f.readToken()
		f.open = f.open[:max(0, len(f.open)-1)]
		return
	}
	if top.array {
		top.next++
		f.visitValue(top.want.members[strconv.Itoa(top.next-1)])
		return
	}
	name, err := f.dec.ReadValue()
	if err != nil {
		f.open = nil
		return
	}
	end := int(f.dec.InputOffset())
	span := diag.Bytes(end-len(name), end)
	key, _ := jsontext.AppendUnquote(nil, name) // a name that was just read is valid
	w := top.want.members[string(key)]
	if w != nil {
		w.Name = span
	}
	f.visitValue(w)
}

// visitValue skips a value without targets, records the span of a target, and enters a value with targets inside.
func (f *locator) visitValue(w *target) {
	if w == nil {
		if f.dec.SkipValue() != nil {
			f.open = nil
		}
		return
	}
	kind := f.dec.PeekKind()
	if (kind == '{' || kind == '[') && len(w.members) > 0 {
		w.Value.Start = f.readToken() - 1
		f.open = append(f.open, frame{want: w, array: kind == '['})
		return
	}
	v, err := f.dec.ReadValue()
	if err != nil {
		f.open = nil
		return
	}
	end := int(f.dec.InputOffset())
	w.Value = diag.Bytes(end-len(v), end)
}

// readToken reads one token and returns its end. An error would end the walk, but the document has been parsed before.
func (f *locator) readToken() (end int) {
	if _, err := f.dec.ReadToken(); err != nil {
		f.open = nil
	}
	return int(f.dec.InputOffset())
}

// joinPointer encodes tokens as a JSON pointer.
func joinPointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(t))
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
