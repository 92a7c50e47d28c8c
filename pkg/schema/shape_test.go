package schema_test

import (
	"strings"
	"testing"

	"oneshot/pkg/schema"
)

// describeShape lists the kinds of a value, its members a and b, and its items.
func describeShape(s *schema.Shape, depth int) string {
	var parts []string
	for kind := schema.String; kind <= schema.Object; kind <<= 1 {
		if s.Kinds()&kind != 0 {
			parts = append(parts, kind.String())
		}
	}
	for _, name := range []string{"a", "b"} {
		if p := s.Property(name); p != nil && depth > 0 {
			parts = append(parts, name+"("+describeShape(p, depth-1)+")")
		}
	}
	if items := s.Items(); items != nil && depth > 0 {
		parts = append(parts, "items("+describeShape(items, depth-1)+")")
	}
	return strings.Join(parts, " ")
}

func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                     "",
		`true`:                                   "",
		`{"type":"integer"}`:                     "number",
		`{"type":["string","null"]}`:             "string null",
		`{"enum":["x",1.5,true,null]}`:           "string number boolean null",
		`{"const":[]}`:                           "array",
		`{"properties":{"a":{"type":"string"}}}`: "object a(string)",
		`{"items":{"type":"boolean"}}`:           "array items(boolean)",
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":{"type":"boolean"}}`:                                                              "array items(boolean)",
		`{"type":["string","array"],"allOf":[{"type":["array","null"]}]}`:                                                                               "array",
		`{"type":"string","allOf":[{"type":"array"}]}`:                                                                                                  "string",
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`:                                                                                              "string number",
		`{"anyOf":[{"type":"string"},{}]}`:                                                                                                              "",
		`{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"},"b":{}}}]}`:                                                "object a(string null) b()",
		`{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#y"},"z":{"$anchor":"y","type":"null"}}}`:                                                            "null",
		`{"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}],"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/y"},{"$ref":"#/$defs/y"}]},"y":{"type":"null"}}}`: "null",
		`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"items":{"$ref":"#"}}}}`:                                                                  "object a(object a(object) b(array)) b(array items(object))",
	} {
		s, findings := schema.Compile("", []byte(text))
		if s == nil {
			t.Fatalf("%s: %v", text, findings)
		}
		if got := describeShape(s.Shape(), 2); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
