package tool

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema/yamldoc"
)

// A bodyTemplate is a JSON value whose strings are templates.
type bodyTemplate struct {
	text    *Template      // of a string
	items   []bodyTemplate // of a list
	members []bodyMember   // of an object
	kind    byte           // '{', '[', '"', or 0 for raw JSON
	raw     json.RawMessage
}

type bodyMember struct {
	name  string
	value bodyTemplate
}

func (d *decoder) decodeRequestBody(m yamldoc.Map, known bool) {
	body, form, r := m.Get("body"), m.Get("form"), d.def.HTTP
	switch {
	case !body.IsPresent() && !form.IsPresent():
		return
	case body.IsPresent() && form.IsPresent():
		m.Key("form").Add(diag.DefRequest, "body and form exclude each other").Hint = "remove one of them"
		return
	case r.Method == http.MethodGet:
		m.Value().Add(diag.DefRequest, "a GET request cannot have a body").Hint = "method: POST, or query"
		return
	case form.IsPresent():
		r.form = d.decodeFields(form, known, fieldContext)
		return
	}
	if body.IsText() {
		if text, _ := body.Text(); text == "json" {
			r.bodyIsArguments = true
			return
		}
	}
	if s, ok := d.decodeBodyTemplate(body, known); ok {
		r.body = &s
	}
}

func (d *decoder) decodeBodyTemplate(v yamldoc.Value, known bool) (s bodyTemplate, ok bool) {
	ok = true
	switch {
	case v.IsText():
		t, fits := d.decodeBodyText(v, known)
		return bodyTemplate{kind: '"', text: &t}, fits
	case v.IsList():
		s.kind = '['
		items, _ := v.List()
		for _, item := range items {
			one, good := d.decodeBodyTemplate(item, known)
			s.items, ok = append(s.items, one), ok && good
		}
	case v.IsMap():
		s.kind = '{'
		m, _ := v.Map()
		for _, name := range m.Keys() {
			if strings.Contains(name, "${") {
				m.Key(name).Add(diag.DefPlaceholder, "a name cannot contain a placeholder")
				ok = false
			}
			one, good := d.decodeBodyTemplate(m.Get(name), known)
			s.members, ok = append(s.members, bodyMember{name, one}), ok && good
		}
	default:
		s.raw, ok = v.JSON()
	}
	return s, ok
}

// decodeBodyText reads a template. A string that is only a placeholder accepts a value of any type.
func (d *decoder) decodeBodyText(v yamldoc.Value, known bool) (Template, bool) {
	text, _ := v.Text()
	if t, wrong := ParseTemplate(text); wrong == nil && t.onlyPlaceholder() != "" {
		if _, ok := d.def.findParam(t.onlyPlaceholder()); ok {
			return t, true
		}
	}
	return d.decodeTemplate(v, known, textContext)
}

func (f *requestFiller) fillBody(out *FilledRequest) *FillError {
	switch {
	case f.request.form != nil:
		text, wrong := f.encodeFields(f.request.form)
		out.Body = []byte(text)
		return wrong
	case f.request.body != nil:
		var b bytes.Buffer
		_, wrong := f.writeBody(&b, *f.request.body)
		out.Body = b.Bytes()
		return wrong
	}
	return nil
}

// writeBody writes a value and reports whether there is one.
func (f *requestFiller) writeBody(b *bytes.Buffer, s bodyTemplate) (there bool, wrong *FillError) {
	switch s.kind {
	case '"':
		return f.writeText(b, *s.text)
	case '[':
		return true, f.writeElements(b, "[", "]", len(s.items), func(i int) (string, bodyTemplate) { return "", s.items[i] })
	case '{':
		return true, f.writeElements(b, "{", "}", len(s.members), func(i int) (string, bodyTemplate) { return s.members[i].name, s.members[i].value })
	}
	b.Write(s.raw)
	return true, nil
}

// writeElements writes the values that are present, each after its name in an object.
func (f *requestFiller) writeElements(b *bytes.Buffer, begin, end string, n int, of func(i int) (string, bodyTemplate)) *FillError {
	b.WriteString(begin)
	sep := ""
	for i := range n {
		name, value := of(i)
		before := b.Len()
		b.WriteString(sep)
		if begin == "{" {
			b.WriteString(quote.JSON(name) + ":")
		}
		there, wrong := f.writeBody(b, value)
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
	if name := t.onlyPlaceholder(); name != "" {
		raw, given := f.arguments[name]
		b.Write(raw)
		return given, f.addSize(name, len(raw))
	}
	if !f.hasAllValues(t) {
		return false, nil
	}
	texts, wrong := f.placeholderTexts(t)
	b.WriteString(quote.JSON(t.fill(texts.get)))
	return true, wrong
}
