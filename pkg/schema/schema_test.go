package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// lines writes findings as "code line:column path: message [syntaxHint]".
func lines(findings []diag.Finding) []string {
	var out []string
	for _, f := range findings {
		s := fmt.Sprintf("%s %d:%d %s", f.Code, f.Span.Line, f.Span.Column, f.Message)
		if f.Hint != "" {
			s += " [" + f.Hint + "]"
		}
		out = append(out, s)
	}
	return out
}

func compiled(t testing.TB, text string) *Schema {
	t.Helper()
	s, findings := Compile("test.schema.json", []byte(text))
	if len(findings) > 0 {
		t.Fatalf("schema %s: %v", text, lines(findings))
	}
	return s
}

// T9: the findings that are sent back to the model are exact.
func TestCheck(t *testing.T) {
	const order = `{"type":"object","properties":{
		"state":{"enum":["open","closed"]},
		"items":{"type":"array","minItems":1,"items":{"type":"object",
			"properties":{"name":{"type":"string","minLength":2},"price":{"type":"number","minimum":0}},
			"required":["name","price"],"additionalProperties":false}}},
		"required":["state","items"],"additionalProperties":false}`
	tests := []struct {
		name, schema, doc string
		want              []string
	}{
		{"fits", order, `{"state":"open","items":[{"name":"ab","price":1}]}`, nil},
		{"type", order, `{"state":"open","items":[{"name":"ab","price":"12"}]}`,
			[]string{`TA002 1:47 /items/0/price: expected a number, got the string "12"`}},
		{"several, by place", order, "{\n \"items\": [{\"price\": -1, \"nmae\": \"x\"}, []],\n \"state\": \"opne\"}", []string{
			`TA002 2:12 /items/0: missing key "name"`,
			`TA002 2:22 /items/0/price: expected at least 0, got the number -1`,
			`TA002 2:26 /items/0: unknown key "nmae"; known keys: "name", "price" [did you mean "name"?]`,
			`TA002 2:40 /items/1: expected an object, got an empty array`,
			`TA002 3:11 /state: expected one of "open", "closed"; got the string "opne" [did you mean "open"?]`,
		}},
		{"whole document", order, `[]`, []string{`TA002 1:1 document: expected an object, got an empty array`}},
		{"missing", order, `{}`, []string{
			`TA002 1:1 document: missing key "items"`,
			`TA002 1:1 document: missing key "state"`,
		}},
		{"exact numbers", `{"maximum":9007199254740992}`, `9007199254740993`,
			[]string{`TA002 1:1 document: expected at most 9007199254740992, got the number 9007199254740993`}},
		{"decimals", `{"exclusiveMinimum":0.30}`, `0.1`,
			[]string{`TA002 1:1 document: expected more than 0.3, got the number 0.1`}},
		{"multiple", `{"multipleOf":0.25}`, `1.30`,
			[]string{`TA002 1:1 document: expected a multiple of 0.25, got the number 1.30`}},
		{"integer", `{"type":"integer"}`, `1.5`, []string{`TA002 1:1 document: expected an integer, got the number 1.5`}},
		{"integer with a point", `{"type":"integer"}`, `2.0`, nil},
		{"const", `{"const":{"a":1}}`, `{"a":2}`, []string{`TA002 1:1 document: expected {"a":1}, got an object`}},
		{"length", `{"minLength":3}`, `"éa"`, []string{`TA002 1:1 document: expected at least 3 characters, got 2`}},
		{"items", `{"maxItems":1}`, `[1,2]`, []string{`TA002 1:1 document: expected at most 1 item, got 2`}},
		{"keys", `{"minProperties":1}`, `{}`, []string{`TA002 1:1 document: expected at least 1 key, got 0`}},
		{"unique", `{"uniqueItems":true}`, `[1,2,1.0]`, []string{`TA002 1:1 document: expected unique items, but items 0 and 2 are equal`}},
		{"pattern", `{"pattern":"^a+$"}`, `"b"`, []string{`TA002 1:1 document: expected a match of the pattern ^a+$, got the string "b"`}},
		{"format", `{"format":"date"}`, `"tomorrow"`, []string{`TA002 1:1 document: expected a date such as 2026-01-31, got the string "tomorrow"`}},
		{"unknown format", `{"format":"colour"}`, `"x"`, nil},
		{"not", `{"not":{"type":"null"}}`, `null`, []string{`TA002 1:1 document: the schema excludes this value with "not"`}},
		{"false", `{"properties":{"a":false}}`, `{"a":1}`, []string{`TA002 1:6 /a: no value is allowed here`}},
		{"unevaluated", `{"properties":{"a":true},"unevaluatedProperties":false}`, `{"b":1}`, []string{`TA002 1:6 /b: no value is allowed here`}},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{`TA002 1:1 document: missing key "b", which "a" requires`}},
		{"regular expressions", `{"items":{"format":"regex"}}`, `["a+","("]`, []string{`TA002 1:7 /1: is not a regular expression (RE2): missing closing ): (`}},
		{"property names", `{"propertyNames":{"maxLength":2}}`, `{"abc":1}`,
			[]string{`TA002 1:2 document: invalid key "abc": expected at most 2 characters, got 3`}},
		{"property names inside", `{"additionalProperties":{"propertyNames":{"maxLength":1}}}`, `{"a":{"xx":1},"b":{"x":1},"c":{"y":1}}`,
			[]string{`TA002 1:7 /a: invalid key "xx": expected at most 1 character, got 2`}},
		{"property names, in which object is not known", `{"additionalProperties":{"propertyNames":{"maxLength":1}}}`, `{"a":{"xx":1},"b":{"xx":1}}`,
			[]string{`TA002 1:1 document: invalid key "xx": expected at most 1 character, got 2`}},
		{"contains", `{"contains":{"type":"null"},"minContains":2}`, `[null]`,
			[]string{`TA002 1:1 document: expected at least 2 items matching "contains", got 1`}},
		{"types", `{"type":["string","null"]}`, `1`, []string{`TA002 1:1 document: expected null or a string, got the number 1`}},
		{"any of types", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, `1`,
			[]string{`TA002 1:1 document: expected a string or an array, got the number 1`}},
		{"any of, the one meant", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, `["a",2]`,
			[]string{`TA002 1:6 /1: expected a string, got the number 2`}},
		{"any of values", `{"anyOf":[{"const":"a"},{"enum":["b","c"]}]}`, `"d"`,
			[]string{`TA002 1:1 document: expected one of "a", "b", "c"; got the string "d"`}},
		{"one of, by discriminator", `{"oneOf":[
			{"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x"]},
			{"properties":{"kind":{"const":"b"},"y":{"type":"string"}},"required":["kind","y"]}]}`, `{"kind":"b","y":1}`,
			[]string{`TA002 1:17 /y: expected a string, got the number 1`}},
		{"one of, no such discriminator", `{"oneOf":[
			{"properties":{"kind":{"const":"a"}},"required":["kind","x"]},
			{"properties":{"kind":{"const":"b"}},"required":["kind","y"]}]}`, `{"kind":"c"}`,
			[]string{`TA002 1:9 /kind: expected one of "a", "b"; got the string "c"`}},
		{"one of, discriminator of all others", `{"oneOf":[
			{"properties":{"kind":{"const":"a"}},"required":["kind","x"]},
			{"properties":{"kind":{"type":"string","not":{"const":"a"}}},"required":["kind","y"]}]}`, `{"kind":"a"}`,
			[]string{`TA002 1:1 document: missing key "x"`}},
		{"any of, what is excluded", `{"anyOf":[
			{"required":["a","b"]},
			{"required":["c"],"not":{"required":["a"]}}]}`, `{"a":1}`,
			[]string{`TA002 1:1 document: missing key "b"`}},
		{"one of, wrong in any case", `{"oneOf":[
			{"properties":{"a":{"type":"number"}},"required":["a","b"]},
			{"properties":{"a":{"type":"number"}},"required":["a","c"]}]}`, `{"a":"1"}`,
			[]string{`TA002 1:6 /a: expected a number, got the string "1"`}},
		{"one of, the nearest", `{"oneOf":[
			{"required":["a","b","c"]},
			{"required":["d","e"]}]}`, `{"a":1,"b":2}`,
			[]string{`TA002 1:1 document: missing key "c"`}},
		{"one of, none", `{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`, `{}`,
			[]string{`TA002 1:1 document: matches none of the alternatives: missing key "a"; or missing key "b"`}},
		{"one of, two", `{"oneOf":[{"type":"number"},{"minimum":1}]}`, `2`,
			[]string{`TA002 1:1 document: expected to match exactly one alternative, but matches 1 and 2`}},
		{"same fault twice", `{"allOf":[{"type":"string"},{"type":"string"}]}`, `1`,
			[]string{`TA002 1:1 document: expected a string, got the number 1`}},
		{"reference", `{"$defs":{"s":{"type":"string"}},"items":{"$ref":"#/$defs/s"}}`, `[1]`,
			[]string{`TA002 1:2 /0: expected a string, got the number 1`}},
		{"odd keys", `{"additionalProperties":{"type":"null"}}`, `{"a/b~c":1}`,
			[]string{`TA002 1:10 /a~1b~0c: expected null, got the number 1`}},
		{"long value", `{"type":"null"}`, `"` + strings.Repeat("é", 100) + `"`,
			[]string{`TA002 1:1 document: expected null, got the string "` + strings.Repeat("é", 40) + `…"`}},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`,
			[]string{`TA002 1:1 document: has 1 item too many`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compiled(t, tt.schema)
			for range 20 { // the validator reports in any order
				if diff := cmp.Diff(tt.want, lines(s.Check([]byte(tt.doc)))); diff != "" {
					t.Fatalf("findings (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestCheckNotJSON(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"empty", " \n", "TA001 2:1 expected a JSON value, got empty text"},
		{"cut", `{"a":[1,`, "TA001 1:9 unexpected end of JSON"},
		{"cut string", `"ab`, "TA001 1:4 unexpected end of JSON"},
		{"two values", "1 2", "TA001 1:3 unexpected text after the JSON value"},
		{"text after", "{}\nDone.", "TA001 2:1 unexpected text after the JSON value"},
		{"duplicate key", "{\"a\":1,\n\"a\":2}", `TA001 2:1 duplicate key "a"`},
		{"bare key", `{a:1}`, `TA001 1:2 invalid character 'a' at start of value`},
		{"number as key", `{1:1}`, `TA001 1:2 a key must be a string in double quotes`},
		{"trailing comma", `[1,]`, `TA001 1:3 unexpected comma`},
		{"invalid UTF-8", "\"a\xff\"", `TA001 1:3 invalid UTF-8`},
		{"lone surrogate", `"\ud800"`, "TA001 1:2 invalid surrogate pair `\\ud800\"` in string"},
		{"fence", "```json\n{}\n```", "TA001 1:1 invalid character '`' at start of value [write only the JSON, without a code fence]"},
		{"text before", `Here it is: {}`, `TA001 1:1 invalid character 'H' at start of value [write only the JSON, without other text]`},
		{"deep", strings.Repeat("[", 129) + strings.Repeat("]", 129), "TA001 1:129 values are nested deeper than 128 levels"},
		{"long exponent", `[1e1001]`, "TA001 1:2 a number has more than 1000 digits"},
		{"huge exponent", `1e99999999999999999999`, "TA001 1:1 a number has more than 1000 digits"},
		{"long number", strings.Repeat("9", 1001), "TA001 1:1 a number has more than 1000 digits"},
	}
	s := compiled(t, `{"minimum":0}`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.Check([]byte(tt.doc))
			if diff := cmp.Diff([]string{tt.want}, lines(got)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
	for _, doc := range []string{"1e400", "1e0001000", "-0.0e-1000", strings.Repeat("[", 128) + strings.Repeat("]", 128)} {
		for _, f := range s.Check([]byte(doc)) {
			if f.Code == diag.NotJSON {
				t.Errorf("%.20s: %s", doc, f)
			}
		}
	}
}

func TestCheckBound(t *testing.T) {
	s := compiled(t, `{"items":{"type":"string"}}`)
	got := s.Check([]byte("[" + strings.Repeat("1,", 999) + "1]"))
	if len(got) != maxFindings+1 {
		t.Fatalf("%d findings, want %d", len(got), maxFindings+1)
	}
	if want := "document: 950 more faults like these are not listed"; got[maxFindings].Message != want {
		t.Errorf("last finding %q, want %q", got[maxFindings].Message, want)
	}
	if got[49].Path != "/49" {
		t.Errorf("finding 49 is at %s", got[49].Path)
	}
}

func TestCompileFindings(t *testing.T) {
	tests := []struct {
		name, schema string
		want         []string
	}{
		{"not JSON", "{\n  'a': 1}", []string{`TA001 2:3 invalid character '\'' at start of value`}},
		{"duplicate key", `{"type":"string","type":"number"}`, []string{`TA001 1:18 duplicate key "type"`}},
		{"unknown type", "{\"properties\": {\n  \"a\": {\"type\": \"strng\"}}}",
			[]string{`TS001 2:17 /properties/a/type: expected one of "array", "boolean", "integer", "null", "number", "object", "string"; got the string "strng" [did you mean "string"?]`}},
		{"several", `{"minLength":-1,"required":"a"}`, []string{
			`TS001 1:14 /minLength: expected at least 0, got the number -1`,
			`TS001 1:28 /required: expected an array, got the string "a"`,
		}},
		{"not a schema", `[]`, []string{`TS001 1:1 document: expected a boolean or an object, got an empty array`}},
		{"patterns, all of them", `{"pattern":"(?=a)","properties":{"b":{"pattern":"("}},"patternProperties":{"[":true}}`, []string{
			"TS001 1:12 /pattern: is not a regular expression (RE2): invalid or unsupported Perl syntax: (?=",
			"TS001 1:49 /properties/b/pattern: is not a regular expression (RE2): missing closing ): (",
			"TS001 1:80 /patternProperties/[: is not a regular expression (RE2): missing closing ]: [",
		}},
		{"references, all of them", `{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#y"},"c":{"$ref":"other.json"},"d":{"$ref":"file:///etc/passwd"},"ok":{"$ref":"#"}}}`, []string{
			`TS001 1:28 /properties/a/$ref: does not resolve: the schema has nothing at /$defs/x`,
			`TS001 1:53 /properties/b/$ref: does not resolve: the schema has no anchor "y"`,
			`TS001 1:71 /properties/c/$ref: refers to another document, but other documents are never loaded`,
			`TS001 1:97 /properties/d/$ref: refers to another document, but other documents are never loaded`,
		}},
		{"a reference into a bad place", `{"$defs":{"a":{"type":"strng"}},"x":{"y":{"type":5}},"$ref":"#/x/y"}`, []string{
			`TS001 1:23 /$defs/a/type: expected one of "array", "boolean", "integer", "null", "number", "object", "string"; got the string "strng" [did you mean "string"?]`,
		}},
		{"a bad schema outside of keywords", `{"x":{"y":{"type":5}},"$ref":"#/x/y"}`, []string{
			`TS001 1:19 /x/y/type: expected one of "array", "boolean", "integer", "null", "number", "object", "string"; got the number 5`,
		}},
		{"draft", `{"$schema":"https://example.com/my-schema"}`, []string{
			`TS001 1:12 /$schema: is not a known draft of JSON Schema; 2020-12 is https://json-schema.org/draft/2020-12/schema`,
		}},
		{"endless number", `{"maximum":1e999999999}`, []string{`TA001 1:12 a number has more than 1000 digits`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 20 { // the compiler meets subschemas in any order
				s, findings := Compile("f.json", []byte(tt.schema))
				if diff := cmp.Diff(tt.want, lines(findings)); diff != "" {
					t.Fatalf("findings (-want +got):\n%s", diff)
				}
				if s != nil || findings[0].File != "f.json" {
					t.Fatalf("schema %v, file %q", s, findings[0].File)
				}
			}
		})
	}
}

func TestCompileSize(t *testing.T) {
	_, findings := Compile("big.json", []byte(`{"description":"`+strings.Repeat("x", MaxBytes)+`"}`))
	if len(findings) != 1 || findings[0].Code != diag.BadSchema {
		t.Errorf("findings %v", findings)
	}
}

func TestClosestMatch(t *testing.T) {
	words := []string{"description", "parameters", "returns", "read", "timeoutMs"}
	tests := []struct{ word, want string }{
		{"desciption", "description"}, {"paramters", "parameters"}, {"return", "returns"}, {"raed", "read"},
		{"TimeOutMS", "timeoutMs"}, {"xyz", ""}, {"", ""}, {"r", ""}, {strings.Repeat("read", 100), ""},
	}
	for _, tt := range tests {
		if got := ClosestMatch(tt.word, words); got != tt.want {
			t.Errorf("ClosestMatch(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := ClosestMatch("cat", []string{"bat", "hat"}); got != "" {
		t.Errorf("of two as near, ClosestMatch chose %q", got)
	}
}

func BenchmarkCheck(b *testing.B) {
	s := compiled(b, `{"items":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`)
	good := []byte("[" + strings.Repeat(`{"a":"some text"},`, 999) + `{"a":""}]`)
	bad := []byte(strings.ReplaceAll(string(good), `"some text"`, `1`))
	for _, doc := range []struct {
		name string
		text []byte
	}{{"good", good}, {"bad", bad}} {
		b.Run(doc.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc.text)))
			for b.Loop() {
				s.Check(doc.text)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	text, _ := PublishedText("tool_definition.v1")
	for b.Loop() {
		if _, findings := Compile("", text); findings != nil {
			b.Fatal(findings)
		}
	}
}
