package tool

import (
	"net/http"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema/yamldoc"
)

// repetition reads whether a call may be made again when nobody knows whether it took effect:
// true, false, or with a key of the call: {key: env NAME} for a program, {key: header NAME} for a
// server.
func (d *decoder) repetition() {
	v := d.doc.Get("idempotent")
	if !v.IsMap() {
		d.def.Idempotent, _ = v.Bool()
		return
	}
	m, ok := v.Map("key")
	if !ok {
		return
	}
	key := m.Need("key")
	text, ok := key.Text()
	if !ok {
		return
	}
	switch where, name, _ := strings.Cut(text, " "); {
	case (where != "env" && where != "header") || name == "":
		key.Add(diag.DefValue, "must be env NAME or header NAME, is %q", text).Hint = "a program gets the key in the variable of that name, a server in the header"
	case where == "env" && !d.doc.Get("exec").Present():
		key.Add(diag.DefValue, "no program is run that could get the key").Hint = d.keyPlace()
	case where == "header" && !d.doc.Get("http").Present():
		key.Add(diag.DefValue, "no request is made that could have the key").Hint = d.keyPlace()
	case where == "header":
		d.keyHeader(key, name)
	default:
		d.keyVariable(key, name)
	}
}

// keyPlace says where a key goes that cannot go where it is to.
func (d *decoder) keyPlace() string {
	switch {
	case d.doc.Get("http").Present():
		return "header Idempotency-Key, or another that the server knows"
	case d.doc.Get("exec").Present():
		return "env IDEMPOTENCY_KEY, or another that the program reads"
	}
	return "say true or false"
}

// givenHeaders are those that a request has anyway, and in which no key has a place.
var givenHeaders = []string{"Accept", "Content-Type", "User-Agent"}

// keyHeader reads the name of the header.
func (d *decoder) keyHeader(v yamldoc.Value, name string) {
	if why, hint := unfitHeader(name); why != "" {
		v.Add(diag.DefRequest, "%s %s", quote(name), why).Hint = hint
		return
	}
	if slices.Contains(givenHeaders, http.CanonicalHeaderKey(name)) {
		v.Add(diag.DefRequest, "%s says something else to every server", quote(name)).Hint = "header Idempotency-Key"
		return
	}
	if d.def.Effect == Read {
		v.Add(diag.DefValue, "a read is made again without a key").Hint = "leave idempotent out, or say effect: write"
		return
	}
	d.def.KeyHeader = http.CanonicalHeaderKey(name)
}

// keyVariable reads the name of the variable.
func (d *decoder) keyVariable(v yamldoc.Value, name string) {
	if why, hint := unfit(name); why != "" {
		v.Add(diag.DefProgram, "%s %s", quote(name), why).Hint = hint
		return
	}
	d.def.KeyEnv = name
}
