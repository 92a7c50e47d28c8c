package tool

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// A shape is a JSON value whose strings have holes.
type shape struct {
	text    *Template // of a string
	items   []shape   // of a list
	members []part    // of an object
	kind    byte      // '{', '[', '"', or 0 for what is as it is written
	raw     json.RawMessage
}

// A part is a member of a shape.
type part struct {
	name  string
	value shape
}

// body reads what is sent.
func (d *decoder) body(m yamldoc.Map, known bool) {
	body, form, r := m.Get("body"), m.Get("form"), d.def.HTTP
	switch {
	case !body.Present() && !form.Present():
		return
	case body.Present() && form.Present():
		m.Key("form").Add(diag.DefRequest, "there are two bodies, body and form").Hint = "leave one of them out"
		return
	case r.Method == http.MethodGet:
		m.Of().Add(diag.DefRequest, "a GET request has no body").Hint = "method: POST, or query"
		return
	case form.Present():
		r.form = d.fields(form, known, fieldSlot)
		return
	}
	if body.IsText() {
		if text, _ := body.Text(); text == "json" {
			r.whole = true
			return
		}
	}
	if s, ok := d.shape(body, known); ok {
		r.body = &s
	}
}

// shape reads a JSON value with holes.
func (d *decoder) shape(v yamldoc.Value, known bool) (s shape, ok bool) {
	ok = true
	switch {
	case v.IsText():
		t, fits := d.anyHoled(v, known)
		return shape{kind: '"', text: &t}, fits
	case v.IsList():
		s.kind = '['
		items, _ := v.List()
		for _, item := range items {
			one, good := d.shape(item, known)
			s.items, ok = append(s.items, one), ok && good
		}
	case v.IsMap():
		s.kind = '{'
		m, _ := v.Map()
		for _, name := range m.Keys() {
			if strings.Contains(name, "${") {
				m.Key(name).Add(diag.DefHole, "there can be no hole in a name")
				ok = false
			}
			one, good := d.shape(m.Get(name), known)
			s.members, ok = append(s.members, part{name, one}), ok && good
		}
	default:
		s.raw, ok = v.JSON()
	}
	return s, ok
}

// anyHoled reads text with holes; one that is only a hole takes a value of any type.
func (d *decoder) anyHoled(v yamldoc.Value, known bool) (Template, bool) {
	text, _ := v.Text()
	if t, wrong := ParseTemplate(text); wrong == nil && t.alone() != "" {
		if _, ok := d.def.param(t.alone()); ok {
			return t, true
		}
	}
	return d.holed(v, known, textSlot)
}

func (f *requestFiller) body(out *FilledRequest) *FillError {
	switch {
	case f.of.form != nil:
		text, wrong := f.encoded(f.of.form)
		out.Body = []byte(text)
		return wrong
	case f.of.body != nil:
		var b bytes.Buffer
		_, wrong := f.write(&b, *f.of.body)
		out.Body = b.Bytes()
		return wrong
	}
	return nil
}

// write writes a value. It reports whether there is one.
func (f *requestFiller) write(b *bytes.Buffer, s shape) (there bool, wrong *FillError) {
	switch s.kind {
	case '"':
		return f.writeText(b, *s.text)
	case '[':
		return true, f.writeAll(b, "[", "]", len(s.items), func(i int) (string, shape) { return "", s.items[i] })
	case '{':
		return true, f.writeAll(b, "{", "}", len(s.members), func(i int) (string, shape) { return s.members[i].name, s.members[i].value })
	}
	b.Write(s.raw)
	return true, nil
}

// writeAll writes those of n values that are there, each behind its name if it has one.
func (f *requestFiller) writeAll(b *bytes.Buffer, begin, end string, n int, of func(i int) (string, shape)) *FillError {
	b.WriteString(begin)
	sep := ""
	for i := range n {
		name, value := of(i)
		before := b.Len()
		b.WriteString(sep)
		if begin == "{" {
			b.WriteString(quote(name) + ":")
		}
		there, wrong := f.write(b, value)
		if wrong != nil {
			return wrong
		}
		if !there {
			b.Truncate(before)
			continue
		}
		sep = ","
	}
	b.WriteString(end)
	return nil
}

func (f *requestFiller) writeText(b *bytes.Buffer, t Template) (there bool, wrong *FillError) {
	if name := t.alone(); name != "" {
		raw, given := f.given[name]
		b.Write(raw)
		return given, f.count(name, len(raw))
	}
	if !f.hasAll(t) {
		return false, nil
	}
	texts, wrong := f.texts(t)
	b.WriteString(quote(t.fill(texts.of)))
	return true, wrong
}
