package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// M1: the format of a built-in tool's parameter does not depend on the definition, and a definition with another
// format is invalid. Without a format, rules saw the raw text.
func TestBuiltinFormats(t *testing.T) {
	const head = "name: mine\ndescription: Mine.\neffect: write\nexamples: [{call: 'mine(%)'}, {call: 'mine(%)'}, {call: 'mine(%)'}]\n"
	define := func(builtin, example, parameters string) (*Definition, string) {
		t.Helper()
		defs, findings := Loader{}.Parse("d.yaml", []byte(strings.ReplaceAll(head, "%", example)+"builtin: "+builtin+"\nparameters: "+parameters+"\n"))
		if len(findings) > 0 {
			return nil, findings[0].Message
		}
		return defs[0], ""
	}
	for parameters, args := range map[string]string{
		`{filePaths: {type: array, items: {type: string}}}`:                `{"filePaths":["./a"]}`,
		`{filePaths: {anyOf: [{type: string}, {type: array}]}}`:            `{"filePaths":["./a"]}`,
		`{filePaths: {type: array, items: {anyOf: [{type: string}, {}]}}}`: `{"filePaths":["./a"]}`,
		`{filePaths: {type: array, items: {type: string, format: path}}}`:  `{"filePaths":["./a"]}`,
	} {
		d, wrong := define("file_read", `["a"]`, parameters)
		if wrong != "" {
			t.Errorf("%s: %s", parameters, wrong)
			continue
		}
		if paths, err := d.FilePaths(json.RawMessage(args)); err != nil || len(paths) != 1 || d.BuiltinFormat("filePaths") != "path" {
			t.Errorf("%s: %q, %v", parameters, paths, err)
		}
	}
	for builtin, c := range map[string]struct{ example, parameters, want string }{
		"file_read": {`["https://a.test/"]`, `{filePaths: {type: array, items: {type: string, format: uri}}}`, `file_read reads filePaths as path, but the format is "uri"`},
		"wget":      {`"a"`, `{uri: {type: string, format: path}}`, `wget reads uri as uri, but the format is "path"`},
		"file_put":  {`"2026-01-31"`, `{path: {type: string, format: date}}`, `file_put reads path as path, but the format is "date"`},
	} {
		if _, wrong := define(builtin, c.example, c.parameters); !strings.HasSuffix(wrong, c.want) {
			t.Errorf("%s: %q", builtin, wrong)
		}
	}
	if d, wrong := define("file_put", `"https://a.test/"`, `{other: {type: string, format: uri}}`); wrong != "" || d.BuiltinFormat("other") != "" {
		t.Error(wrong)
	}
}

// A definition of a built-in tool has the tool's labels unless it sets its own, and always the label sink if the tool
// has it. Otherwise a user's own definition could read private data and send it away under on_trifecta: deny.
func TestBuiltinLabels(t *testing.T) {
	for labels, want := range map[string][]Label{
		"":                    {Untrusted, Sink},
		"labels: []\n":        {Sink},
		"labels: [private]\n": {Private, Sink},
		"labels: [sink]\n":    {Sink},
	} {
		defs, findings := Loader{}.Parse("d.yaml", []byte("name: mine\ndescription: Mine.\neffect: read\nsignature: 'mine(uri: string): string'\n"+labels+
			"examples: [{call: 'mine(\"https://a.test/\")'}, {call: 'mine(\"https://b.test/\")'}, {call: 'mine(\"https://c.test/\")'}]\nbuiltin: wget\n"))
		if len(findings) > 0 || !slices.Equal(defs[0].Labels, want) {
			t.Errorf("%q: %v, %v", labels, findings, defs[0].Labels)
		}
	}
}
