package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
)

func TestSpelledOut(t *testing.T) {
	for _, tt := range []struct{ name, schema, want, description string }{
		{"nothing to say", `{"type":"object","properties":{"a":{"type":"string","enum":["x"],"title":"A","x-hint":1}},"additionalProperties":false}`, "", "Does."},
		{"bounds", `{"properties":{"n":{"type":"integer","minimum":1,"maximum":500,"default":10,"description":"How many."}}}`,
			`{"properties":{"n":{"type":"integer","minimum":1,"maximum":500,"default":10,"description":"How many. (at least 1; at most 500; default 10)"}}}`, "Does."},
		{"exact numbers", `{"properties":{"n":{"exclusiveMinimum":12345678901234567890,"exclusiveMaximum":1.50e3,"multipleOf":0.10}}}`,
			`{"properties":{"n":{"exclusiveMinimum":12345678901234567890,"exclusiveMaximum":1.50e3,"multipleOf":0.10,"description":"more than 12345678901234567890; less than 1.50e3; a multiple of 0.10"}}}`, "Does."},
		{"strings", `{"properties":{ "s" : { "pattern":"^\\d+$", "minLength":1, "maxLength":9, "format":"date", "const":"x y", "default":"" , "description" : " " } } }`,
			`{"properties":{ "s" : { "pattern":"^\\d+$", "minLength":1, "maxLength":9, "format":"date", "const":"x y", "default":"" , "description" : "matches the regular expression ^\\d+$; at least 1 character; at most 9 characters; in the format date; always \"x y\"; default \"\"" } } }`, "Does."},
		{"arrays", `{"properties":{"a":{"items":{"maximum":3},"minItems":1,"uniqueItems":true},"b":{"uniqueItems":false,"prefixItems":[{}],"contains":{"const":1}}}}`,
			`{"properties":{"a":{"items":{"maximum":3,"description":"at most 3"},"minItems":1,"uniqueItems":true,"description":"at least 1 item; no item twice"},"b":{"uniqueItems":false,"prefixItems":[{}],"contains":{"const":1},"description":"the first items are [{}]; contains {\"const\":1}"}}}`, "Does."},
		{"objects", `{"properties":{"a":{"additionalProperties":false},"b":{"additionalProperties":true},"c":{"additionalProperties":{ "type" : "string" }},"d":{"dependentRequired":{"x":["y"]}}}}`,
			`{"properties":{"a":{"additionalProperties":false,"description":"no other members"},"b":{"additionalProperties":true},"c":{"additionalProperties":{ "type" : "string" },"description":"any other members are {\"type\":\"string\"}"},"d":{"dependentRequired":{"x":["y"]},"description":"dependentRequired {\"x\":[\"y\"]}"}}}`, "Does."},
		{"combined", `{"$defs":{"p":{"maxLength":3}},"properties":{"a":{"$ref":"#/$defs/p"},"b":{"oneOf":[{"type":"string"},{"type":"null"}]},"c":{"anyOf":[{"minimum":1},true],"not":{}}}}`,
			`{"$defs":{"p":{"maxLength":3,"description":"at most 3 characters"}},"properties":{"a":{"$ref":"#/$defs/p","description":"as in #/$defs/p"},"b":{"oneOf":[{"type":"string"},{"type":"null"}],"description":"exactly one of [{\"type\":\"string\"},{\"type\":\"null\"}]"},"c":{"anyOf":[{"minimum":1,"description":"at least 1"},true],"not":{},"description":"not {}"}}}`, "Does."},
		{"at the top", `{"properties":{},"minProperties":1,"additionalProperties":false}`, "", "Does. (at least 1 member)"},
		{"a strange description", `{"properties":{"a":{"minimum":1,"description":7}}}`, "", "Does."},
		{"no object", `true`, "", "Does."},
		{"properties of another kind", `{"properties":[{"minimum":1}],"items":7}`, `{"properties":[{"minimum":1,"description":"at least 1"}],"items":7}`, "Does."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.schema
			}
			got := withSchemaHint(chat.Function{Name: "f", Description: "Does.", Parameters: json.RawMessage(tt.schema)})
			want := chat.Function{Name: "f", Description: tt.description, Parameters: json.RawMessage(tt.want)}
			if diff := cmp.Diff(want, got, cmp.Transformer("text", func(r json.RawMessage) string { return string(r) })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Hints change only descriptions, whatever the schema.
func TestSpelledOutAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := "{" + anyMembers(3).Draw(t, "members") + "}"
		got := withSchemaHint(chat.Function{Parameters: json.RawMessage(schema)})
		if diff := cmp.Diff(undescribed(decoded(t, schema)), undescribed(decoded(t, string(got.Parameters)))); diff != "" {
			t.Errorf("%s became %s", schema, got.Parameters)
		}
	})
}

// anyMembers draws members of a schema, valid or not.
func anyMembers(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(schemaWords), 0, 4, rapid.ID).Draw(t, "names")
		var members []string
		for _, name := range names {
			value := rapid.SampledFrom(schemaValues).Draw(t, "value")
			if how := rapid.IntRange(0, 3).Draw(t, "how"); depth > 0 && how > 0 {
				value = "{" + anyMembers(depth-1).Draw(t, "inner") + "}"
				if how > 2 {
					value = "[" + value + ",true]"
				}
			}
			members = append(members, `"`+name+`":`+value)
		}
		return strings.Join(members, ", ")
	})
}

// schemaWords are names of members, and schemaValues values, of schemas.
var (
	schemaWords = []string{
		"properties", "items", "$defs", "anyOf", "oneOf", "allOf", "not", "$ref", "type", "enum", "const", "minimum", "maximum", "multipleOf", "pattern",
		"minLength", "format", "default", "description", "maxProperties", "additionalProperties", "dependentRequired", "uniqueItems", "prefixItems", "a", "b c",
	}
	schemaValues = []string{"1", "1.50", "1E1000", "-0", `"x"`, `" "`, `"#/$defs/a"`, `"\u003c\n"`, "true", "false", "null", "[]", "{}", `["a",1]`}
)

// decoded reads JSON with its numbers as they are written.
func decoded(t *rapid.T, text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// undescribed drops every description.
func undescribed(value any) any {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "description")
		for name, inner := range v {
			v[name] = undescribed(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = undescribed(inner)
		}
	}
	return value
}
