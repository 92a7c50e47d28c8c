package tool

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
)

// A Request says how a call becomes a request of HTTP. It belongs to a definition and is read with
// it. No value changes the method, the host, a name, or how many parts a path has.
type Request struct {
	Method  string                 // in upper case
	Origin  string                 // the scheme and the host, as the definition has them
	Secrets []string               // names of the secrets that stand in it
	Result  string                 // where the data is in the response, a path of package gjson; "" for all of it
	Done    []int                  // statuses which say that a call with this key has been made before
	Errors  map[int]chat.ErrorCode // what a status means, where it is not the usual
	Raw     json.RawMessage

	path    []Template // between the slashes
	asked   string     // what stands behind the ? of the address
	query   []field
	headers []field
	form    []field
	body    *shape // nil for none
	whole   bool   // the body is the arguments object
}

// A field is a name with a value.
type field struct {
	name  string
	value Template
}

// A FilledRequest is what a call makes of one.
type FilledRequest struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte // nil for none
}

// FillRequest returns the request of a call, whose arguments fit the parameters; secret returns
// the secret of a name. Each value is escaped for where it stands. One that would be more than a
// value there is a *[FillError]: a part of a path that leads elsewhere, a header of several lines.
//
// A header, a field or a member of the body with a hole for which there is no value is left out.
// A field that is only a hole for a list stands there for each item, and a string of the body
// that is only a hole is the value itself, of whatever type.
func (d *Definition) FillRequest(args json.RawMessage, secret func(name string) string) (FilledRequest, error) {
	v, err := d.valuesOf(args)
	if err != nil {
		return FilledRequest{}, err
	}
	f := requestFiller{values: v, of: d.HTTP, secret: secret}
	out := FilledRequest{Method: d.HTTP.Method, Header: http.Header{}}
	for _, fill := range []func(*FilledRequest) *FillError{f.address, f.headers, f.body} {
		if wrong := fill(&out); wrong != nil {
			return FilledRequest{}, wrong
		}
	}
	if f.of.whole {
		out.Body = d.Complete(args)
	}
	if out.Body != nil && out.Header.Get("Content-Type") == "" {
		out.Header.Set("Content-Type", f.of.bodyType())
	}
	return out, nil
}

func (r *Request) bodyType() string {
	if r.form != nil {
		return "application/x-www-form-urlencoded"
	}
	return "application/json"
}

// A requestFiller makes the request of one call.
type requestFiller struct {
	values
	of     *Request
	secret func(name string) string
	size   int
}

// address makes the URL.
func (f *requestFiller) address(out *FilledRequest) *FillError {
	var b strings.Builder
	b.WriteString(f.of.Origin)
	for _, t := range f.of.path {
		text, wrong := f.segment(t)
		if wrong != nil {
			return wrong
		}
		b.WriteString("/" + text)
	}
	query, wrong := f.encoded(f.of.query)
	if wrong != nil {
		return wrong
	}
	switch asked := f.of.asked; {
	case asked != "" && query != "":
		b.WriteString("?" + asked + "&" + query)
	case asked+query != "":
		b.WriteString("?" + asked + query)
	}
	out.URL = b.String()
	if _, err := netguard.CheckURL(out.URL); err != nil {
		return &FillError{Argument: "the address", Why: err.Error(), Large: len(out.URL) > netguard.MaxURL}
	}
	return nil
}

// segment returns what stands between two slashes. A part that a server could take for several, or
// for the way up, is refused, escaped or not: not all of them unescape at the same time.
func (f *requestFiller) segment(t Template) (string, *FillError) {
	holes := t.holes()
	if len(holes) == 0 {
		return t.fill(nil), nil
	}
	texts, wrong := f.texts(t)
	if wrong != nil {
		return "", wrong
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(t.unescaped().fill(texts.of), `\`, "/"), "/") {
		if part == "" || part == "." || part == ".." {
			return "", &FillError{Argument: holes[0].hole, Why: fmt.Sprintf("it stands in the path of an address, which would have the part %q", part)}
		}
	}
	for _, h := range holes {
		if strings.ContainsFunc(texts[h.hole], func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", &FillError{Argument: h.hole, Why: "it stands in the path of an address, and has a control character"}
		}
	}
	return t.fill(func(name string) string { return escaped(texts[name]) }), nil
}

// unescaped returns a template of the path of an address with the text that a server sees,
// which may unescape it more than once: behind %2e a value is behind a dot.
func (t Template) unescaped() Template {
	out := Template{pieces: slices.Clone(t.pieces)}
	for i, p := range out.pieces {
		for range 3 {
			if plain, err := url.PathUnescape(p.text); err == nil {
				p.text = plain
			}
		}
		out.pieces[i] = p
	}
	return out
}

// escaped returns text in which nothing has a meaning for the path of an address: of what
// [url.PathEscape] leaves, servers read + as a blank, and what stands behind : as a method.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// texts are values as text, by the names of their holes.
type texts map[string]string

func (t texts) of(name string) string { return t[name] }

// texts returns the values for the holes of a template, each of which has to have one.
func (f *requestFiller) texts(t Template) (texts, *FillError) {
	texts := texts{}
	for _, h := range t.holes() {
		text, wrong := f.scalar(h.hole)
		if wrong == nil {
			wrong = f.count(h.hole, len(text))
		}
		if wrong != nil {
			return nil, wrong
		}
		texts[h.hole] = text
	}
	return texts, nil
}

// hasAll reports whether there is a value for each hole.
func (f *requestFiller) hasAll(t Template) bool {
	for _, h := range t.holes() {
		if !f.has(h.hole) {
			return false
		}
	}
	return true
}

// encoded returns fields as they stand in a query or a form.
func (f *requestFiller) encoded(fields []field) (string, *FillError) {
	var b strings.Builder
	for _, one := range fields {
		if !f.hasAll(one.value) {
			continue
		}
		texts, wrong := f.several(one.value)
		if wrong != nil {
			return "", wrong
		}
		for _, text := range texts {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(url.QueryEscape(one.name) + "=" + url.QueryEscape(text))
		}
	}
	return b.String(), nil
}

// several returns what becomes of a template that can be a list.
func (f *requestFiller) several(t Template) ([]string, *FillError) {
	if name := t.alone(); name != "" {
		texts, wrong := f.list(name)
		for _, text := range texts {
			if wrong == nil {
				wrong = f.count(name, len(text))
			}
		}
		return texts, wrong
	}
	texts, wrong := f.texts(t)
	return []string{t.fill(texts.of)}, wrong
}

// count refuses more than a request may have.
func (f *requestFiller) count(name string, bytes int) *FillError {
	if f.size += bytes; f.size > maxFilled {
		return &FillError{name, fmt.Sprintf("with it the request would have more than %d bytes", maxFilled), true}
	}
	return nil
}

func (f *requestFiller) headers(out *FilledRequest) *FillError {
	for _, one := range f.of.headers {
		if !f.hasAll(one.value) {
			continue
		}
		texts, wrong := f.texts(one.value)
		if wrong != nil {
			return wrong
		}
		for _, h := range one.value.holes() {
			if !isHeaderText(texts[h.hole]) {
				return &FillError{Argument: h.hole, Why: "it stands in a header, which holds visible characters of ASCII and blanks"}
			}
		}
		text := one.value.fillWith(texts.of, f.secret)
		out.Header.Set(one.name, strings.TrimSpace(text))
	}
	return nil
}

func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
