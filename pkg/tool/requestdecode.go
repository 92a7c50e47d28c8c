package tool

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/netguard"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// requestKeys are the keys of a request in a definition.
var requestKeys = []string{"method", "url", "query", "headers", "body", "form", "result", "done", "errors"}

// methods are the methods of requests.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// changing are those that change something whenever they succeed.
var changing = []string{"PUT", "PATCH", "DELETE"}

var (
	fieldSlot  = slot{lists: true, items: "a field", whole: "a string of the body that is only a hole takes any value"}
	headerSlot = slot{whole: fieldSlot.whole, secrets: true}
	textSlot   = slot{whole: fieldSlot.whole}
)

// request reads the request that does what a definition says. Its holes are held against the
// parameters, if those are known.
func (d *decoder) request(v yamldoc.Value, known bool) {
	m, ok := v.Map(requestKeys...)
	if !ok {
		return
	}
	r := &Request{Method: http.MethodGet}
	d.def.HTTP = r
	before := len(d.file.Findings())
	d.method(m.Get("method"))
	d.address(m.Need("url"), known)
	r.query = d.fields(m.Get("query"), known, fieldSlot)
	r.headers = d.headers(m.Get("headers"), known)
	d.body(m, known)
	d.resultPath(m.Get("result"))
	d.done(m.Get("done"))
	d.statuses(m.Get("errors"))
	if len(d.file.Findings()) == before { // else what is no JSON has been found already
		r.Raw, _ = v.JSON()
	}
	if !slices.Contains(d.def.Labels, Sink) {
		d.def.Labels = append(d.def.Labels, Sink)
	}
	if !d.doc.Get("labels").Present() {
		d.def.Labels = append(d.def.Labels, Untrusted)
	}
}

// method reads the method, which has to go with the effect.
func (d *decoder) method(v yamldoc.Value) {
	if text, ok := v.Text(); ok {
		if d.def.HTTP.Method = text; !slices.Contains(methods, text) {
			v.Add(diag.DefValue, "must be %s, is %q", schema.Either(methods), text).Hint = schema.Meant(strings.ToUpper(text), methods)
		}
	}
	effect := d.doc.Get("effect")
	switch {
	case d.def.Effect == Exec:
		effect.Add(diag.DefRequest, "the definition runs no program, so the effect must be read or write")
	case d.def.Effect == Read && slices.Contains(changing, d.def.HTTP.Method):
		effect.Add(diag.DefRequest, "%s changes something, so the effect must be write", d.def.HTTP.Method)
	}
}

// address reads the URL. Holes stand in its path only.
func (d *decoder) address(v yamldoc.Value, known bool) {
	text, ok := v.Text()
	if !ok {
		return
	}
	t, wrong := ParseTemplate(text)
	if wrong != nil {
		v.AddAt(diag.DefHole, wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
		return
	}
	if strings.Contains(text, "#") {
		v.Add(diag.DefRequest, "what stands behind # is sent to no server").Hint = "%23 stands for # itself"
		return
	}
	whole := t.fill(func(string) string { return "x" })
	u, err := netguard.CheckURL(whole)
	origin, path := splitOrigin(text)
	switch {
	case strings.Contains(origin, "${"):
		v.AddAt(diag.DefHole, strings.Index(text, "${"), "there can be no hole in the host: a value would say who gets the request").Hint = "write a definition for each host"
		return
	case err != nil:
		v.Add(diag.DefRequest, "%v", err)
		return
	}
	path, asked, _ := strings.Cut(path, "?")
	fixed, _ := ParseTemplate(asked)
	if holes := fixed.holes(); len(holes) > 0 {
		v.AddAt(diag.DefHole, len(origin)+len(path)+1+holes[0].at, "values of a query have no place in the address").Hint = "query: {name: \"${value}\"}"
		return
	}
	d.def.HTTP.Origin, d.def.HTTP.asked = u.Scheme+"://"+u.Host, fixed.fill(nil)
	if path = strings.TrimPrefix(path, "/"); path != "" {
		d.path(v, path, len(origin)+1, known)
	}
}

// splitOrigin returns the scheme and the host of a URL, and the rest.
func splitOrigin(text string) (origin, rest string) {
	scheme, behind, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(behind, "/?"); end >= 0 {
		begin := len(scheme) + len("://")
		return text[:begin+end], text[begin+end:]
	}
	return text, ""
}

// path reads the path of the address, which begins at an offset of it.
func (d *decoder) path(v yamldoc.Value, text string, offset int, known bool) {
	for part := range strings.SplitSeq(text, "/") {
		t, wrong := ParseTemplate(part)
		if wrong != nil { // a slash in a hole, which is none
			v.AddAt(diag.DefHole, offset+wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
			return
		}
		for _, hole := range t.holes() {
			why, hint := d.misfit(t, hole.hole, textSlot)
			if p, ok := d.def.param(hole.hole); ok && why == "" && p.Optional && p.Default == nil {
				why, hint = hole.hole+" can be left out, and the address needs it", "make it required, or give it a default"
			}
			if known && why != "" {
				v.AddAt(diag.DefHole, offset+hole.at, "%s", why).Hint = hint
			}
		}
		d.def.HTTP.path = append(d.def.HTTP.path, t)
		offset += len(part) + 1
	}
}

// fields reads names and their values.
func (d *decoder) fields(v yamldoc.Value, known bool, in slot) []field {
	if !v.Present() {
		return nil
	}
	m, _ := v.Map()
	out := []field{}
	for _, name := range m.Keys() {
		if t, ok := d.scalarOrHoled(m.Get(name), known, in); ok {
			out = append(out, field{name, t})
		}
		if strings.Contains(name, "${") {
			m.Key(name).Add(diag.DefHole, "there can be no hole in a name")
		}
	}
	return out
}

// scalarOrHoled reads text with holes, or a number, true or false.
func (d *decoder) scalarOrHoled(v yamldoc.Value, known bool, in slot) (Template, bool) {
	if v.Present() && !v.IsText() && !v.IsList() && !v.IsMap() && !v.IsNull() {
		raw, ok := v.JSON()
		var t Template
		t.write(string(raw), 0)
		return t, ok
	}
	return d.holed(v, known, in)
}

// headers reads the headers.
func (d *decoder) headers(v yamldoc.Value, known bool) []field {
	out := d.fields(v, known, headerSlot)
	if !v.IsMap() {
		return out
	}
	m, _ := v.Map()
	seen := map[string]bool{}
	for _, name := range m.Keys() {
		canonical := http.CanonicalHeaderKey(name)
		why, hint := unfitHeader(name)
		switch {
		case why != "":
		case seen[canonical]:
			why = "stands twice"
		case canonical == d.def.KeyHeader:
			why, hint = "holds the key of the call", "idempotent names it"
		}
		if seen[canonical] = true; why != "" {
			m.Key(name).Add(diag.DefRequest, "%s %s", quote(name), why).Hint = hint
			continue
		}
		if v := m.Get(name); v.IsText() {
			if text, _ := v.Text(); !isHeaderText(text) {
				v.Add(diag.DefRequest, "a header holds visible characters of ASCII and blanks")
			}
		}
	}
	for _, f := range out {
		d.def.HTTP.Secrets = append(d.def.HTTP.Secrets, f.value.secrets()...)
	}
	return out
}

// ownHeaders are those that say how a request is sent, which is not the definition's to say.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// unfitHeader says why no request has a header of this name from a definition, or "".
func unfitHeader(name string) (why, hint string) {
	switch {
	case !isToken(name):
		return "is no name of a header", ""
	case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
		return "says how the request is sent", "the program sets it"
	}
	return "", ""
}

// isToken reports whether a text is a token of HTTP (RFC 9110, 5.6.2), as names of headers are.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
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

// resultPath reads where the data is in the response.
func (d *decoder) resultPath(v yamldoc.Value) {
	text, ok := v.Text()
	if ok && strings.TrimSpace(text) == "" {
		v.Add(diag.DefValue, "must not be empty")
	}
	d.def.HTTP.Result = text
}

// done reads the statuses that say that a call has been made before.
func (d *decoder) done(v yamldoc.Value) {
	items, ok := v.List()
	if !ok {
		return
	}
	if d.def.KeyHeader == "" {
		v.Add(diag.DefRequest, "without a key no server knows that it is the same call").Hint = "idempotent: {key: header Idempotency-Key}"
	}
	for _, item := range items {
		number, ok := item.Number()
		if status, good := statusOf(number.String()); good {
			d.def.HTTP.Done = append(d.def.HTTP.Done, status)
		} else if ok {
			item.Add(diag.DefValue, "must be a status from 400 to 599, is %s", number)
		}
	}
}

// statusOf reads a status that says no, of three digits.
func statusOf(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 400 && n <= 599 && text == strconv.Itoa(n)
}

// statuses reads what statuses mean.
func (d *decoder) statuses(v yamldoc.Value) {
	if !v.Present() {
		return
	}
	m, _ := v.Map()
	var codes []string
	for _, doc := range chat.ErrorCodes {
		if doc.Code != chat.UnknownTool {
			codes = append(codes, string(doc.Code))
		}
	}
	d.def.HTTP.Errors = map[int]chat.ErrorCode{}
	for _, key := range m.Keys() {
		status, good := statusOf(key)
		if !good {
			m.Key(key).Add(diag.DefValue, "must be a status from 400 to 599, is %q", key)
		}
		if slices.Contains(d.def.HTTP.Done, status) {
			m.Key(key).Add(diag.DefRequest, "%d is a success, as done says", status)
		}
		text, ok := m.Get(key).Text()
		if ok && !slices.Contains(codes, text) {
			f := m.Get(key).Add(diag.DefValue, "%q is no error code of a server", text)
			if f.Hint = schema.Meant(strings.ToUpper(text), codes); f.Hint == "" {
				f.Hint = "oneshot error-codes lists them"
			}
		}
		d.def.HTTP.Errors[status] = chat.ErrorCode(text)
	}
}
