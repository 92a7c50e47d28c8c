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

var requestKeys = []string{"method", "url", "query", "headers", "body", "form", "result", "done", "errors"}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// writingMethods make changes whenever they succeed.
var writingMethods = []string{"PUT", "PATCH", "DELETE"}

var (
	fieldContext  = placeholderContext{allowsList: true, itemNoun: "field", typeHint: "a body string that is only a placeholder takes any value"}
	headerContext = placeholderContext{typeHint: fieldContext.typeHint, allowsSecrets: true}
	textContext   = placeholderContext{typeHint: fieldContext.typeHint}
)

// decodeRequest reads the request of a definition. Its placeholders are checked against the parameters if those are
// known.
func (d *decoder) decodeRequest(v yamldoc.Value, known bool) {
	m, ok := v.Map(requestKeys...)
	if !ok {
		return
	}
	r := &Request{Method: http.MethodGet}
	d.def.HTTP = r
	before := len(d.file.Findings())
	d.decodeMethod(m.Get("method"))
	d.decodeURL(m.Required("url"), known)
	r.query = d.decodeFields(m.Get("query"), known, fieldContext)
	r.headers = d.decodeHeaders(m.Get("headers"), known)
	d.decodeRequestBody(m, known)
	d.decodeResultPath(m.Get("result"))
	d.decodeAlreadyDoneStatuses(m.Get("done"))
	d.decodeStatusErrorCodes(m.Get("errors"))
	if len(d.file.Findings()) == before { // otherwise invalid JSON is already reported
		r.Raw, _ = v.JSON()
	}
	if !slices.Contains(d.def.Labels, Sink) {
		d.def.Labels = append(d.def.Labels, Sink)
	}
	if !d.doc.Get("labels").IsPresent() {
		d.def.Labels = append(d.def.Labels, Untrusted)
	}
}

// decodeMethod reads the method, which must agree with the effect.
func (d *decoder) decodeMethod(v yamldoc.Value) {
	if text, ok := v.Text(); ok {
		if d.def.HTTP.Method = text; !slices.Contains(methods, text) {
			v.Add(diag.DefValue, "expected %s, got %q", schema.JoinOr(methods), text).Hint = schema.DidYouMean(strings.ToUpper(text), methods)
		}
	}
	effect := d.doc.Get("effect")
	switch {
	case d.def.Effect == Exec:
		effect.Add(diag.DefRequest, "the definition runs no program, so the effect must be read or write")
	case d.def.Effect == Read && slices.Contains(writingMethods, d.def.HTTP.Method):
		effect.Add(diag.DefRequest, "%s makes changes, so the effect must be write", d.def.HTTP.Method)
	}
}

// decodeURL reads the URL. Placeholders are allowed in its path only.
func (d *decoder) decodeURL(v yamldoc.Value, known bool) {
	text, ok := v.Text()
	if !ok {
		return
	}
	t, wrong := ParseTemplate(text)
	if wrong != nil {
		v.AddAt(diag.DefPlaceholder, wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
		return
	}
	if strings.Contains(text, "#") {
		v.Add(diag.DefRequest, "the fragment after # is never sent to the server").Hint = "write %23 for a literal #"
		return
	}
	whole := t.fill(func(string) string { return "x" })
	u, err := netguard.CheckURL(whole)
	origin, path := splitOrigin(text)
	switch {
	case strings.Contains(origin, "${"):
		v.AddAt(diag.DefPlaceholder, strings.Index(text, "${"), "the host cannot contain a placeholder: a value would choose the recipient").Hint = "write a definition for each host"
		return
	case err != nil:
		v.Add(diag.DefRequest, "%v", err)
		return
	}
	path, asked, _ := strings.Cut(path, "?")
	fixed, _ := ParseTemplate(asked)
	if placeholders := fixed.placeholders(); len(placeholders) > 0 {
		v.AddAt(diag.DefPlaceholder, len(origin)+len(path)+1+placeholders[0].offset, "the query of the URL cannot contain placeholders").Hint = "query: {name: \"${value}\"}"
		return
	}
	d.def.HTTP.Origin, d.def.HTTP.fixedQuery = u.Scheme+"://"+u.Host, fixed.fill(nil)
	if path = strings.TrimPrefix(path, "/"); path != "" {
		d.decodeURLPath(v, path, len(origin)+1, known)
	}
}

// splitOrigin splits a URL after its host.
func splitOrigin(text string) (origin, rest string) {
	scheme, behind, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(behind, "/?"); end >= 0 {
		begin := len(scheme) + len("://")
		return text[:begin+end], text[begin+end:]
	}
	return text, ""
}

// decodeURLPath reads the path of the URL, which begins at offset.
func (d *decoder) decodeURLPath(v yamldoc.Value, text string, offset int, known bool) {
	for part := range strings.SplitSeq(text, "/") {
		t, wrong := ParseTemplate(part)
		if wrong != nil { // a placeholder with a slash
			v.AddAt(diag.DefPlaceholder, offset+wrong.Offset, "%s", wrong.Why).Hint = wrong.Hint
			return
		}
		for _, placeholder := range t.placeholders() {
			why, hint := d.placeholderError(t, placeholder.param, textContext)
			if p, ok := d.def.findParam(placeholder.param); ok && why == "" && p.Optional && p.Default == nil {
				why, hint = placeholder.param+" is optional, but the URL needs it", "make it required, or give it a default"
			}
			if known && why != "" {
				v.AddAt(diag.DefPlaceholder, offset+placeholder.offset, "%s", why).Hint = hint
			}
		}
		d.def.HTTP.path = append(d.def.HTTP.path, t)
		offset += len(part) + 1
	}
}

func (d *decoder) decodeFields(v yamldoc.Value, known bool, in placeholderContext) []field {
	if !v.IsPresent() {
		return nil
	}
	m, _ := v.Map()
	out := []field{}
	for _, name := range m.Keys() {
		if t, ok := d.decodeScalarOrTemplate(m.Get(name), known, in); ok {
			out = append(out, field{name, t})
		}
		if strings.Contains(name, "${") {
			m.Key(name).Add(diag.DefPlaceholder, "a name cannot contain a placeholder")
		}
	}
	return out
}

// decodeScalarOrTemplate reads a template, or a number, true or false.
func (d *decoder) decodeScalarOrTemplate(v yamldoc.Value, known bool, in placeholderContext) (Template, bool) {
	if v.IsPresent() && !v.IsText() && !v.IsList() && !v.IsMap() && !v.IsNull() {
		raw, ok := v.JSON()
		var t Template
		t.appendText(string(raw), 0)
		return t, ok
	}
	return d.decodeTemplate(v, known, in)
}
