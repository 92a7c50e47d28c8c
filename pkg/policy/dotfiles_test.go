package policy

import (
	"slices"
	"testing"
)

// M3: tools may write a name with a leading dot if each layer spells it out in an allow or ask rule of a
// writing tool.
func TestDotFileNames(t *testing.T) {
	for _, c := range []struct {
		layers []string
		want   []string
	}{
		{nil, nil},
		{[]string{`{file_put: {allow: [{args: {path: ["**", "*/x", ".?bc", ".[a-z]"]}}]}}`}, nil},
		{[]string{`{file_put: {allow: [{args: {path: [".Notes/**", "a/.b/c.md"]}}]}}`}, []string{".notes", ".b"}},
		{[]string{`{file_put: {ask: [{args: {path: {in: ["x/.env.example"]}}}]}}`}, []string{".env.example"}},
		{[]string{`{file_put: {deny: [{args: {path: [".a"]}}], allow: [{args: {content: [".b"]}}]}}`}, nil},
		{[]string{`{file_read: {allow: [{args: {filePaths: [".a"]}}]}}`}, nil},
		{[]string{`{file_put: {allow: [{args: {path: [".a", ".b"]}}]}}`, `{file_put: {allow: [{args: {path: [".b", "**"]}}]}}`}, []string{".b"}},
		{[]string{`{file_put: {allow: [{args: {path: [".a"]}}]}}`, `{file_read: {allow: [{}]}}`}, nil},
	} {
		var p Policy
		for _, text := range c.layers {
			l, findings := compile(t, `{version: 1, tools: `+text+`}`)
			if l == nil {
				t.Fatal(findings)
			}
			p.Layers = append(p.Layers, l)
		}
		if got := p.WritableDotFileNames(); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.layers, got, c.want)
		}
	}
}
