package tool

import (
	"slices"

	"oneshot/pkg/diag"
)

// builtinFormats are the parameter formats of built-in tools. Definitions cannot change them: the implementation reads
// a path or a URL whatever a definition declares.
var builtinFormats = map[string]map[string]string{
	"wget":             {"uri": "uri"},
	"open_url":         {"url": "uri"},
	"file_read":        {"filePaths": "path"},
	"file_put":         {"path": "path"},
	"terminal_execute": {"command": "command"},
}

// BuiltinFormat returns the format that the built-in tool gives to a parameter or to each item of its list: "path",
// "uri", "command", or "" for none.
func (d *Definition) BuiltinFormat(parameter string) string {
	if d.Backend() != BackendBuiltin {
		return ""
	}
	return builtinFormats[d.Builtin][parameter]
}

// HasFormat reports whether a parameter, or each item of its list, has a format.
func (d *Definition) HasFormat(parameter, format string) bool {
	if own := d.BuiltinFormat(parameter); own != "" {
		return own == format
	}
	property := readKeywords(readKeywords(readKeywords(d.Schema)["properties"])[parameter])
	return unquoted(property["format"]) == format || unquoted(readKeywords(property["items"])["format"]) == format
}

// builtinLabels are the labels of built-in tools, as in the shipped definitions.
var builtinLabels = map[string][]Label{
	"wget":             {Untrusted, Sink},
	"open_url":         {Sink},
	"file_read":        {Private},
	"vault_search":     {Private},
	"terminal_execute": {Untrusted, Private, Sink},
}

// addBuiltinLabels adds the labels of the built-in tool if the definition has none. The label sink is always added.
func (d *decoder) addBuiltinLabels() {
	for _, label := range builtinLabels[d.def.Builtin] {
		if (label == Sink || !d.doc.Get("labels").IsPresent()) && !slices.Contains(d.def.Labels, label) {
			d.def.Labels = append(d.def.Labels, label)
		}
	}
}

// checkBuiltinFormats reports parameters whose format conflicts with the one of the built-in tool.
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
