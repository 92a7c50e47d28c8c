package tool

import (
	"net/http"
	"slices"
	"strings"

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
