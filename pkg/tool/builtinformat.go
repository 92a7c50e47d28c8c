package tool

import (
	"slices"

	"oneshot/pkg/diag"
)

// builtinFormats are the formats of parameters of the tools written in Go, which no definition changes: the function
// reads a path or an address there, whatever a definition says.
var builtinFormats = map[string]map[string]string{
	"wget":             {"uri": "uri"},
	"open_url":         {"url": "uri"},
	"file_read":        {"filePaths": "path"},
	"file_put":         {"path": "path"},
	"terminal_execute": {"command": "command"},
}

// BuiltinFormat returns the format that the tool written in Go gives to a parameter, or to each item of its list:
// "path", "uri" or "command". It is "" where it gives none.
func (d *Definition) BuiltinFormat(parameter string) string {
	if d.Backend() != BackendBuiltin {
		return ""
	}
	return builtinFormats[d.Builtin][parameter]
}

// addBuiltinLabels are the labels of the tools written in Go, as the shipped definitions have them.
var builtinLabels = map[string][]Label{
	"wget":             {Untrusted, Sink},
	"open_url":         {Sink},
	"file_read":        {Private},
	"vault_search":     {Private},
	"terminal_execute": {Untrusted, Private, Sink},
}

// addBuiltinLabels gives a definition the labels of its built-in tool, if it says none, and in any case that it is a sink.
func (d *decoder) addBuiltinLabels() {
	for _, label := range builtinLabels[d.def.Builtin] {
		if (label == Sink || !d.doc.Get("labels").Present()) && !slices.Contains(d.def.Labels, label) {
			d.def.Labels = append(d.def.Labels, label)
		}
	}
}

// checkBuiltinFormats finds parameters of a built-in tool to which the definition gives another format.
func (d *decoder) checkBuiltinFormats() {
	parameters := d.doc.Get("parameters")
	if !parameters.IsMap() {
		return
	}
	all, _ := parameters.Map()
	for _, name := range all.Keys() {
		want := d.def.BuiltinFormat(name)
		for v := all.Get(name); want != "" && v.IsMap(); {
			m, _ := v.Map()
			if format := m.Get("format"); format.IsText() {
				if got, _ := format.Text(); got != want {
					format.Add(diag.DefValue, "%s reads %s as %s, but the format is %q", d.def.Builtin, name, want, got).Hint = "format: " + want
				}
			}
			v = m.Get("items")
		}
	}
}
