package tool

import (
	"slices"

	"oneshot/pkg/diag"
)

// A Builtin is a tool that is written in Go, in package executor.
type Builtin struct {
	Name      string
	Effect    Effect // the least that a definition can declare; exec for a tool that runs programs
	NeedsRoot bool   // every call fails without a root
	// Formats are those of the parameters. Definitions cannot change them: the implementation reads a path or a URL
	// whatever a definition declares.
	Formats map[string]string
	Labels  []Label // as in the shipped definition
}

// Builtins returns the built-in tools.
func Builtins() []Builtin {
	return []Builtin{
		{Name: "wget", Effect: Read, Formats: map[string]string{"uri": "uri"}, Labels: []Label{Untrusted, Sink}},
		{Name: "vault_search", Effect: Read, NeedsRoot: true, Labels: []Label{Private}},
		{Name: "file_read", Effect: Read, NeedsRoot: true, Formats: map[string]string{"filePaths": "path"}, Labels: []Label{Private}},
		{Name: "file_put", Effect: Write, NeedsRoot: true, Formats: map[string]string{"path": "path"}},
		{Name: "send_chat", Effect: Read},
		{Name: "say", Effect: Read},
		{Name: "open_url", Effect: Write, Formats: map[string]string{"url": "uri"}, Labels: []Label{Sink}},
		{Name: "terminal_execute", Effect: Exec, NeedsRoot: true, Formats: map[string]string{"command": "command"}, Labels: []Label{Untrusted, Private, Sink}},
	}
}

// BuiltinNames returns the names of the built-in tools.
func BuiltinNames() []string {
	var names []string
	for _, b := range Builtins() {
		names = append(names, b.Name)
	}
	return names
}

// builtinNamed returns the built-in tool of a name, the zero value for none.
func builtinNamed(name string) Builtin {
	all := Builtins()
	if i := slices.IndexFunc(all, func(b Builtin) bool { return b.Name == name }); i >= 0 {
		return all[i]
	}
	return Builtin{}
}

// RunsPrograms reports whether calls of the tool run programs.
func (d *Definition) RunsPrograms() bool {
	return d.Backend() == BackendExec || builtinNamed(d.Builtin).Effect == Exec
}

// NeedsRoot reports whether every call of the tool fails without a root.
func (d *Definition) NeedsRoot() bool { return d.RunsPrograms() || builtinNamed(d.Builtin).NeedsRoot }

// BuiltinFormat returns the format that the built-in tool gives to a parameter or to each item of its list: "path",
// "uri", "command", or "" for none.
func (d *Definition) BuiltinFormat(parameter string) string {
	if d.Backend() != BackendBuiltin {
		return ""
	}
	return builtinNamed(d.Builtin).Formats[parameter]
}

// HasFormat reports whether a parameter, or each item of its list, has a format.
func (d *Definition) HasFormat(parameter, format string) bool {
	if own := d.BuiltinFormat(parameter); own != "" {
		return own == format
	}
	property := readKeywords(readKeywords(readKeywords(d.Schema)["properties"])[parameter])
	return unquoted(property["format"]) == format || unquoted(readKeywords(property["items"])["format"]) == format
}

// addBuiltinLabels adds the labels of the built-in tool if the definition has none. The label sink is always added.
func (d *decoder) addBuiltinLabels() {
	for _, label := range builtinNamed(d.def.Builtin).Labels {
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
