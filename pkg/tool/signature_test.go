package tool

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/quote"
)

var _ = flag.Set("rapid.seed", "1") // the same draws in each run: CONTRIBUTING.md

// T2: both spellings of a signature.
func TestParseSignature(t *testing.T) {
	tests := []struct{ src, want, schema string }{
		{"wget(string uri, number timeoutMs): string", "wget(uri: string, timeoutMs: number): string",
			`{"type":"object","properties":{"uri":{"type":"string"},"timeoutMs":{"type":"number"}},"required":["uri","timeoutMs"],"additionalProperties":false}`},
		{"wget(uri: string, timeoutMs?: number): string", "wget(uri: string, timeoutMs?: number): string",
			`{"type":"object","properties":{"uri":{"type":"string"},"timeoutMs":{"type":"number"}},"required":["uri"],"additionalProperties":false}`},
		{"now()", "now()", `{"type":"object","properties":{},"additionalProperties":false}`},
		{" now ( ) : void ; ", "now()", ""},
		{"f(integer n = 5, string s = 'it\\'s \"x\"')", `f(n: integer = 5, s: string = "it's \"x\"")`,
			`{"type":"object","properties":{"n":{"type":"integer","default":5},"s":{"type":"string","default":"it's \"x\""}},"additionalProperties":false}`},
		{"f(a, b?, c = [1, {\"x\": [2]}])", `f(a, b?, c = [1,{"x":[2]}])`,
			`{"type":"object","properties":{"a":{},"b":{},"c":{"default":[1,{"x":[2]}]}},"required":["a"],"additionalProperties":false}`},
		{"f(mode: 'a' | \"b\" | null)", `f(mode: "a" | "b" | null)`,
			`{"type":"object","properties":{"mode":{"type":["string","null"],"enum":["a","b",null]}},"required":["mode"],"additionalProperties":false}`},
		{"f(level: 1 | 2 | 2.50)", `f(level: 1 | 2 | 2.50)`,
			`{"type":"object","properties":{"level":{"type":["integer","number"],"enum":[1,2,2.50]}},"required":["level"],"additionalProperties":false}`},
		{"f(x: string | null | string)", `f(x: string | null)`,
			`{"type":"object","properties":{"x":{"type":["string","null"]}},"required":["x"],"additionalProperties":false}`},
		{"f(x: any | string)", `f(x)`, ""},
		{"f(x: 'auto' | number | string[] | 'off')", `f(x: "auto" | "off" | number | string[])`,
			`{"type":"object","properties":{"x":{"anyOf":[{"type":"string","enum":["auto","off"]},{"type":"number"},{"type":"array","items":{"type":"string"}}]}},"required":["x"],"additionalProperties":false}`},
		{"f(xs: Array<string | null>, ys: Array<number>[])", `f(xs: (string | null)[], ys: number[][])`,
			`{"type":"object","properties":{"xs":{"type":"array","items":{"type":["string","null"]}},"ys":{"type":"array","items":{"type":"array","items":{"type":"number"}}}},"required":["xs","ys"],"additionalProperties":false}`},
		{"f(string[] names, {a: string; b?: number[]} opts, 'x'|'y' mode?)", `f(names: string[], opts: {a: string, b?: number[]}, mode?: "x" | "y")`,
			`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}},"opts":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"number"}}},"required":["a"],"additionalProperties":false},"mode":{"type":"string","enum":["x","y"]}},"required":["names","opts"],"additionalProperties":false}`},
		{"f(m: Record<string, number>, n: {[key: string]: string[]}, o: Record<string, any>)", `f(m: Record<string, number>, n: Record<string, string[]>, o: object)`,
			`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"number"}},"n":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}},"o":{"type":"object"}},"required":["m","n","o"],"additionalProperties":false}`},
		{"f(array xs, object o): {messages: {id, threadId}[], nextPageToken?}", `f(xs: any[], o: object): {messages: {id, threadId}[], nextPageToken?}`, ""},
		{`f("odd-name": string, "string"?)`, `f("odd-name": string, string?: any)`, ""},
		{"f(o: {string, any: number})", `f(o: {string: any, any: number})`, ""},
		{"f(b: true | false, n: -1.5e3)", `f(b: true | false, n: -1.5e3)`, ""},
		{"f(x: (string)[],)", `f(x: string[])`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			s, _, err := parseSignature(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.String(); got != tt.want {
				t.Errorf("signature %s\n     want %s", got, tt.want)
			}
			if got := string(s.Schema()); tt.schema != "" && got != tt.schema {
				t.Errorf("schema %s\n  want %s", got, tt.schema)
			}
		})
	}
}

func TestParseSignatureErrors(t *testing.T) {
	tests := []struct {
		src    string
		offset int
		want   string
	}{
		{"", 0, "expected the name of the tool, got the end"},
		{"wget", 4, "expected ( after the name, got the end"},
		{"wget(", 5, "expected a type, got the end"},
		{"wget(uri string)", 8, "missing colon between uri and string"},
		{"wget(uri str)", 5, "unknown type uri"},
		{"wget(string)", 5, "missing parameter name: string is a type"},
		{"wget(strng uri)", 5, "unknown type strng, did you mean string?"},
		{"wget(uri: int)", 10, "unknown type int, did you mean integer?"},
		{"wget(uri: string", 16, "expected , or ), got the end"},
		{"wget(uri: string) string", 18, "expected the end of the signature, got string"},
		{"wget(uri: string): ", 19, "expected a type, got the end"},
		{"f(a, a)", 5, `duplicate name "a"`},
		{"f(o: {a, b, a?})", 12, `duplicate name "a"`},
		{"f(a: string = )", 14, "expected a value, got )"},
		{"f(a = [1,)", 6, "invalid JSON value"},
		{"f(a: 01)", 5, "invalid number 01"},
		{"f(a: 'x)", 5, "unterminated string or invalid escape"},
		{`f(a: "\x")`, 5, "unterminated string or invalid escape"},
		{"f(a: string & number)", 12, "unexpected character '&'"},
		{"f(é: string)", 2, "unexpected character 'é'"},
		{"f(a: Record<number, string>)", 12, "expected string, got number"},
		{"f(a: [string, number])", 5, "expected a type, got ["},
		{"f(a: {[k: string]: number, b})", 27, "expected }, got b"},
		{`f("": string)`, 2, "a name must not be empty"},
		{"f(a\xff)", 0, "the text is not UTF-8"},
		{"f(a: any" + strings.Repeat("[]", 33) + ")", 73, "types are nested too deeply"},
		{"f(a: " + strings.Repeat("(", 200), 133, "types are nested too deeply"},
		{"f(a: " + strings.Repeat("{a:", 40) + "any" + strings.Repeat("}", 40) + ")", 0, "types are nested deeper than 32 levels"},
	}
	for _, tt := range tests {
		t.Run(tt.src[:min(30, len(tt.src))], func(t *testing.T) {
			s, _, err := parseSignature(tt.src)
			if err == nil {
				t.Fatalf("it was read as %s", s)
			}
			if err.Message != tt.want || err.Offset != tt.offset {
				t.Errorf("at %d: %s\nwant at %d: %s", err.Offset, err.Message, tt.offset, tt.want)
			}
		})
	}
}

// T2: the signature of a schema, without the parts that a signature cannot express.
func TestSignatureOf(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"constraints are left out", `{"type":"object","properties":{"n":{"type":"integer","minimum":1,"default":10}}}`, "f(n: integer = 10)"},
		{"a required parameter has no default", `{"properties":{"n":{"type":"integer","default":10}},"required":["n"]}`, "f(n: integer)"},
		{"reference", `{"properties":{"a":{"$ref":"#/$defs/a"}}}`, "f(a?)"},
		{"true", `{"properties":{"a":true,"b":{"type":"array","items":true}},"required":["a","b"]}`, "f(a, b: any[])"},
		{"type is implied", `{"properties":{"a":{"properties":{"b":{}}},"c":{"items":{"type":"string"}}},"required":["a","c"]}`, "f(a: {b?}, c: string[])"},
		{"enum of an object", `{"properties":{"a":{"enum":[{"x":1}]}}}`, "f(a?)"},
		{"const", `{"properties":{"a":{"const":"x\/y"}}}`, `f(a?: "x/y")`},
		{"one of", `{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}]}}}`, "f(a?: string | {b: null})"},
		{"several types", `{"properties":{"a":{"type":["string","array"],"items":{"type":"number"}}}}`, "f(a?: string | number[])"},
		{"open object", `{"properties":{"a":{"type":"object","additionalProperties":true},"b":{"type":"object","additionalProperties":{"type":"string"}}}}`, "f(a?: object, b?: Record<string, string>)"},
		{"unknown type", `{"properties":{"a":{"type":"file"}}}`, "f(a?)"},
		{"nothing", `{}`, "f()"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := SignatureOf("f", json.RawMessage(tt.schema), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := s.String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	for _, bad := range []string{``, `{`, `{"type":"array"}`} {
		if s, err := SignatureOf("f", json.RawMessage(bad), ""); err == nil {
			t.Errorf("the schema %s gave %s", bad, s)
		}
	}
	if _, err := SignatureOf("f", json.RawMessage(`{}`), "strng"); err == nil || !strings.Contains(err.Error(), "tool f: returns: at byte 0: unknown type strng") {
		t.Errorf("returns: %v", err)
	}
}

// anyLiteral generates JSON literals.
func anyLiteral(t *rapid.T) json.RawMessage {
	return json.RawMessage(rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) string { return quote.JSON(s) }),
		rapid.SampledFrom([]string{"1", "-2", "1.50", "1e400", "12345678901234567890", "true", "false", "null"}),
	).Draw(t, "literal"))
}

func anyName(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.StringMatching(`[A-Za-z_$][A-Za-z0-9_$]{0,5}`),
		rapid.SampledFrom([]string{"string", "any", "void", "Record", "true", "null", "a-b", "é", "a \"b\"", "0"}),
	).Draw(t, label)
}

func anyParams(t *rapid.T, depth int) []Param {
	var out []Param
	seen := map[string]bool{}
	for range rapid.IntRange(0, 4).Draw(t, "fields") {
		p := Param{Name: anyName(t, "name"), Type: anyType(t, depth)}
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		switch rapid.IntRange(0, 3).Draw(t, "optional") {
		case 0:
			p.Optional = true
		case 1:
			p.Optional, p.Default = true, anyLiteral(t)
		case 2:
			p.Optional, p.Default = true, json.RawMessage(`[{"a":"b"},[]]`)
		}
		out = append(out, p)
	}
	return out
}

func anyType(t *rapid.T, depth int) *Type {
	kind := rapid.IntRange(0, 11).Draw(t, "kind")
	if depth == 0 {
		kind = kind % 8
	}
	switch kind {
	case 0:
		return &Type{Kind: Any}
	case 1, 2, 3, 4, 5, 6:
		return &Type{Kind: simpleKinds[kind-1]}
	case 7:
		return literalOf(anyLiteral(t))
	case 8:
		return arrayOf(anyType(t, depth-1))
	case 9:
		return recordOf(anyType(t, depth-1))
	case 10:
		return &Type{Kind: Struct, Fields: anyParams(t, depth-1)}
	}
	options := []*Type{anyType(t, depth-1), anyType(t, depth-1), anyType(t, depth-1)}
	return unionOf(options...)
}

// T2: a signature equals the one parsed from its text, and the one derived from its schema.
func TestSignatureRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Signature{Name: "f", Params: anyParams(t, 4), Returns: anyType(t, 3)}
		parsed, _, err := parseSignature(want.String())
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if diff := cmp.Diff(want, parsed); diff != "" {
			t.Fatalf("%s: text and back (-want +got):\n%s", want, diff)
		}
		of, schemaErr := SignatureOf("f", want.Schema(), want.Returns.String())
		if schemaErr != nil {
			t.Fatalf("%s: %v", want, schemaErr)
		}
		if diff := cmp.Diff(want, of); diff != "" {
			t.Fatalf("%s: schema and back (-want +got):\n%s", want.Schema(), diff)
		}
		if got := string(of.Schema()); got != string(want.Schema()) {
			t.Fatalf("schema %s\nbecame %s", want.Schema(), got)
		}
	})
}

// signatureSeeds use all of the signature syntax.
var signatureSeeds = []string{
	"wget(string uri, number timeoutMs): string", "f(a?: 'x' | \"y\" = 'x', {a: b[], \"c\"?}[] d)",
	"f(m: Record<string, Array<any>>, n: {[k: string]: null}): {messages: {id, threadId}[], nextPageToken?}",
	"f(a = [1, {\"x\": 2}], b = -1e5): void;", "f(x: (('a' | 1)[] | null)[][])",
}

// checkSignature checks that no text causes a panic, and that a valid signature equals the one
// parsed from its text and the one derived from its schema.
func checkSignature(t *testing.T, src string) {
	s, _, err := parseSignature(src)
	if err != nil {
		if err.Offset < 0 || err.Offset > len(src) || err.Message == "" {
			t.Fatalf("error without a place: %+v", err)
		}
		return
	}
	again, _, err := parseSignature(s.String())
	if err != nil {
		t.Fatalf("%q prints as %q: %v", src, s, err)
	}
	if diff := cmp.Diff(s, again); diff != "" {
		t.Fatalf("%q prints as %q (-first +second):\n%s", src, s, diff)
	}
	of, schemaErr := SignatureOf(s.Name, s.Schema(), "")
	if schemaErr != nil {
		t.Fatalf("%s: %v", s.Schema(), schemaErr)
	}
	s.Returns = nil
	if diff := cmp.Diff(s, of); diff != "" {
		t.Fatalf("%q has the schema %s (-first +second):\n%s", src, s.Schema(), diff)
	}
}
