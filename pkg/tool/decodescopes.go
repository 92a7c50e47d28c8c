package tool

import (
	"strings"

	"oneshot/pkg/diag"
)

// decodeScopes reads the access a tool needs: scopes (all of a list, or one of {any: […]}), a connection, and how an
// authorisation is renewed.
func (d *decoder) decodeScopes() {
	v := d.doc.Get("scopes")
	if !v.IsMap() {
		d.def.Scopes, _ = v.Texts()
	} else if m, ok := v.Map("any"); ok {
		any := m.Required("any")
		var read bool
		if d.def.AnyScopes, read = any.Texts(); read && len(d.def.AnyScopes) == 0 {
			any.Add(diag.DefValue, "expected at least one scope")
		}
	}
	d.def.Connection = d.optionalText("connection")
	d.def.Renew = d.optionalText("renew")
	if strings.ContainsAny(d.def.Connection, " \t\n") {
		d.doc.Get("connection").Add(diag.DefValue, "%q is not a valid name: it contains blanks", d.def.Connection)
	}
}

// optionalText reads an optional string, which must not be empty.
func (d *decoder) optionalText(key string) string {
	v := d.doc.Get(key)
	text, ok := v.Text()
	if ok && strings.TrimSpace(text) == "" {
		v.Add(diag.DefValue, "must not be empty")
	}
	return strings.TrimSpace(text)
}
