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

// A Request turns a call into an HTTP request. It is part of a definition. Values cannot change the method, the host,
// a name, or the number of path segments.
type Request struct {
	Method  string                 // upper case
	Origin  string                 // the scheme and the host, as the definition has them
	Secrets []string               // names of the secrets it uses
	Result  string                 // gjson path of the data in the response, "" for all
	Done    []int                  // statuses that mean the call already took effect
	Errors  map[int]chat.ErrorCode // error codes that differ from the default of a status
	Raw     json.RawMessage

	path            []Template // segments
	fixedQuery      string     // query in the URL of the definition
	query           []field
	headers         []field
	form            []field
	body            *bodyTemplate // nil for none
	bodyIsArguments bool          // send the arguments object
}

type field struct {
	name  string
	value Template
}

// A FilledRequest is the HTTP request of one call.
type FilledRequest struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte // nil for none
}

// FillRequest returns the request of a call whose arguments fit the parameters. secret returns the secret of a name.
// Each value is escaped for its place. A value that would break out of it, such as a path segment ".." or a header of
// several lines, is a *[FillError].
//
// A header, a field or a body member with a placeholder without a value is omitted. A field that is only a placeholder
// is repeated for each item of a list. A body string that is only a placeholder becomes the value itself, of any type.
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

// A requestFiller builds the request of one call.
type requestFiller struct {
	argumentValues
	request *Request
	secret  func(name string) string
	size    int
}

func (f *requestFiller) fillURL(out *FilledRequest) *FillError {
	var b strings.Builder
	b.WriteString(f.request.Origin)
	for _, t := range f.request.path {
		text, wrong := f.fillPathSegment(t)
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

// fillPathSegment returns one segment of the path. A segment that a server could split, or read as "..", is rejected even
// if escaped: servers unescape at different times.
func (f *requestFiller) fillPathSegment(t Template) (string, *FillError) {
	placeholders := t.placeholders()
	if len(placeholders) == 0 {
		return t.fill(nil), nil
	}
	texts, wrong := f.placeholderTexts(t)
	if wrong != nil {
		return "", wrong
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(t.percentDecode().fill(texts.get), `\`, "/"), "/") {
		if part == "" || part == "." || part == ".." {
			return "", &FillError{Argument: placeholders[0].param, Why: fmt.Sprintf("the URL path would contain the segment %q", part)}
		}
	}
	for _, h := range placeholders {
		if strings.ContainsFunc(texts[h.param], func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", &FillError{Argument: h.param, Why: "a URL path cannot contain control characters"}
		}
	}
	return t.fill(func(name string) string { return escapePathSegment(texts[name]) }), nil
}

// percentDecode returns a template of the path with its text unescaped up to three times, as servers may do: after %2e a
// value follows a dot.
func (t Template) percentDecode() Template {
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

// escapePathSegment escapes everything that has a meaning in a path. [url.PathEscape] leaves +, which some servers
// read as a blank, and :, which some read as a method.
func escapePathSegment(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// textsByName are values as text by the names of their placeholders.
type textsByName map[string]string

func (t textsByName) get(name string) string { return t[name] }

// placeholderTexts returns the values of a template's placeholders, which must all have one.
func (f *requestFiller) placeholderTexts(t Template) (textsByName, *FillError) {
	texts := textsByName{}
	for _, h := range t.placeholders() {
		text, wrong := f.scalar(h.param)
		if wrong == nil {
			wrong = f.addSize(h.param, len(text))
		}
		if wrong != nil {
			return nil, wrong
		}
		texts[h.param] = text
	}
	return texts, nil
}

func (f *requestFiller) hasAllValues(t Template) bool {
	for _, h := range t.placeholders() {
		if !f.has(h.param) {
			return false
		}
	}
	return true
}

// encodeFields encodes fields as in a query or form.
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

// fieldValues returns the values of a template that can be a list.
func (f *requestFiller) fieldValues(t Template) ([]string, *FillError) {
	if name := t.onlyPlaceholder(); name != "" {
		texts, wrong := f.list(name)
		for _, text := range texts {
			if wrong == nil {
				wrong = f.addSize(name, len(text))
			}
		}
		return texts, wrong
	}
	texts, wrong := f.placeholderTexts(t)
	return []string{t.fill(texts.get)}, wrong
}

func (f *requestFiller) addSize(name string, bytes int) *FillError {
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
			if !isHeaderValue(texts[h.param]) {
				return &FillError{Argument: h.param, Why: "a header can contain only printable ASCII characters"}
			}
		}
		text := one.value.fillWith(texts.get, f.secret)
		out.Header.Set(one.name, strings.TrimSpace(text))
	}
	return nil
}

func isHeaderValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
