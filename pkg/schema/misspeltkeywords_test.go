package schema

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMisspelt checks that an unknown keyword is reported only where keywords
// are allowed, and only if it is near a known one.
func TestMisspelt(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"none", `{"type": "object", "properties": {"proprties": {"type": "string"}}, "required": ["reqired"]}`, nil},
		{"at the top", `{"proprties": {}}`, []string{"1:2 : properties"}},
		{"in another case", `{"additionalproperties": false, "Type": "string"}`, []string{"1:2 : additionalProperties", "1:33 : type"}},
		{"below", `{"properties": {"a": {"minimun": 1}}, "items": [{"requird": []}], "anyOf": [{"patern": "a"}], "not": {"enums": []}}`,
			[]string{"1:23 /properties/a: minimum", "1:50 /items/0: required", "1:78 /anyOf/0: pattern", "1:103 /not: enum"}},
		{"in values", `{"const": {"typ": 1}, "enum": [{"tipe": 1}], "default": {"itemz": 1}, "examples": [{"titel": 1}], "x-order": {"titel": 1}}`, nil},
		{"notes", `{"x-titles": 1, "$$title": 1, "_title": 1, "//title": 1, "label": "a", "nullable": true, "example": 1, "name": "b", "order": 1, "unit": "c", "widget": "d", "optional": true}`, nil},
		{"no JSON", `{"proprties": {},}`, nil},
		{"no object", `true`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range MisspeltKeywords([]byte(tt.src)) {
				got = append(got, fmt.Sprintf("%d:%d %s: %s", f.Span.Line, f.Span.Column, f.Path, f.Hint[len("did you mean "):len(f.Hint)-1]))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
