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

	path            []Template // between the slashes
	fixedQuery      string     // what stands behind the ? of the address
	query           []field
	headers         []field
	form            []field
	body            *bodyTemplate // nil for none
	bodyIsArguments bool          // the body is the arguments object
}

// A fieldFor is a name with a value.
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
// parseValue there is a *[FillError]: a part of a path that leads elsewhere, a header of several lines.
//
// A header, a field or a member of the body with a hole for which there is no value is left out.
// A fieldFor that is only a hole for a list stands there for each item, and a string of the body
// that is only a hole is the value itself, of whatever type.
func (d *Definition) FillRequest(args json.RawMessage, secret func(name string) string) (FilledRequest, error) {
	v, err := d.valuesOf(args)
	if err != nil {
		return FilledRequest{}, err
	}
	f := requestFiller{argumentValues: v, request: d.HTTP, secret: secret}
	out := FilledRequest{Method: d.HTTP.Method, Header: http.Header{}}
	for _, fill := range []func(*FilledRequest) *FillError{f.fillURL, f.fillHeaders, f.fillBody} {
		if wrong := fill(&out); wrong != nil {
			return FilledRequest{}, wrong
		}
	}
	if f.request.bodyIsArguments {
		out.Body = d.WithDefaults(args)
	}
	if out.Body != nil && out.Header.Get("Content-Type") == "" {
		out.Header.Set("Content-Type", f.request.contentType())
	}
	return out, nil
}

func (r *Request) contentType() string {
	if r.form != nil {
		return "application/x-www-form-urlencoded"
	}
	return "application/json"
}

// A requestFiller makes the request of one call.
type requestFiller struct {
	argumentValues
	request *Request
	secret  func(name string) string
	size    int
}

// decodeURL makes the URL.
func (f *requestFiller) fillURL(out *FilledRequest) *FillError {
	var b strings.Builder
	b.WriteString(f.request.Origin)
	for _, t := range f.request.path {
		text, wrong := f.pathSegment(t)
		if wrong != nil {
			return wrong
		}
		b.WriteString("/" + text)
	}
	query, wrong := f.encodeFields(f.request.query)
	if wrong != nil {
		return wrong
	}
	switch asked := f.request.fixedQuery; {
	case asked != "" && query != "":
		b.WriteString("?" + asked + "&" + query)
	case asked+query != "":
		b.WriteString("?" + asked + query)
	}
	out.URL = b.String()
	if _, err := netguard.CheckURL(out.URL); err != nil {
		return &FillError{Argument: "the URL", Why: err.Error(), TooLarge: len(out.URL) > netguard.MaxURL}
	}
	return nil
}

// pathSegment returns what stands between two slashes. A part that a server could take for several, or
// for the way up, is refused, escaped or not: not all of them unescape at the same time.
func (f *requestFiller) pathSegment(t Template) (string, *FillError) {
	holes := t.placeholders()
	if len(holes) == 0 {
		return t.fill(nil), nil
	}
	texts, wrong := f.placeholderTexts(t)
	if wrong != nil {
		return "", wrong
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(t.unescape().fill(texts.get), `\`, "/"), "/") {
		if part == "" || part == "." || part == ".." {
			return "", &FillError{Argument: holes[0].placeholder, Why: fmt.Sprintf("the URL path would contain the segment %q", part)}
		}
	}
	for _, h := range holes {
		if strings.ContainsFunc(texts[h.placeholder], func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", &FillError{Argument: h.placeholder, Why: "a URL path cannot contain control characters"}
		}
	}
	return t.fill(func(name string) string { return escapePathSegment(texts[name]) }), nil
}

// unescape returns a template of the path of an address with the text that a server sees,
// which may unescape it more than once: behind %2e a value is behind a dot.
func (t Template) unescape() Template {
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

// escapePathSegment returns text in which nothing has a meaning for the path of an address: of what
// [url.PathEscape] leaves, servers read + as a blank, and what stands behind : as a method.
func escapePathSegment(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// placeholderTexts are values as text, by the names of their holes.
type textsByName map[string]string

func (t textsByName) get(name string) string { return t[name] }

// placeholderTexts returns the values for the holes of a template, each of which has to have one.
func (f *requestFiller) placeholderTexts(t Template) (textsByName, *FillError) {
	texts := textsByName{}
	for _, h := range t.placeholders() {
		text, wrong := f.scalar(h.placeholder)
		if wrong == nil {
			wrong = f.countBytes(h.placeholder, len(text))
		}
		if wrong != nil {
			return nil, wrong
		}
		texts[h.placeholder] = text
	}
	return texts, nil
}

// hasAllValues reports whether there is a value for each hole.
func (f *requestFiller) hasAllValues(t Template) bool {
	for _, h := range t.placeholders() {
		if !f.has(h.placeholder) {
			return false
		}
	}
	return true
}

// encodeFields returns fields as they stand in a query or a form.
func (f *requestFiller) encodeFields(fields []field) (string, *FillError) {
	var b strings.Builder
	for _, one := range fields {
		if !f.hasAllValues(one.value) {
			continue
		}
		texts, wrong := f.fieldValues(one.value)
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

// fieldValues returns what becomes of a template that can be a list.
func (f *requestFiller) fieldValues(t Template) ([]string, *FillError) {
	if name := t.onlyPlaceholder(); name != "" {
		texts, wrong := f.list(name)
		for _, text := range texts {
			if wrong == nil {
				wrong = f.countBytes(name, len(text))
			}
		}
		return texts, wrong
	}
	texts, wrong := f.placeholderTexts(t)
	return []string{t.fill(texts.get)}, wrong
}

// countBytes refuses more than a request may have.
func (f *requestFiller) countBytes(name string, bytes int) *FillError {
	if f.size += bytes; f.size > maxFilledBytes {
		return &FillError{name, fmt.Sprintf("the request would exceed %d bytes", maxFilledBytes), true}
	}
	return nil
}

func (f *requestFiller) fillHeaders(out *FilledRequest) *FillError {
	for _, one := range f.request.headers {
		if !f.hasAllValues(one.value) {
			continue
		}
		texts, wrong := f.placeholderTexts(one.value)
		if wrong != nil {
			return wrong
		}
		for _, h := range one.value.placeholders() {
			if !isHeaderText(texts[h.placeholder]) {
				return &FillError{Argument: h.placeholder, Why: "a header can contain only printable ASCII characters"}
			}
		}
		text := one.value.fillWith(texts.get, f.secret)
		out.Header.Set(one.name, strings.TrimSpace(text))
	}
	return nil
}

func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
