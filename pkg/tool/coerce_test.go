package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// coercing returns a definition with one parameter of each type that can be coerced.
func coercing(t testing.TB) *Definition {
	t.Helper()
	s, _, wrong := parseSignature(`f(
		n?: number, i?: integer, b?: boolean, s?: string, z?: null, o?: object, r?: Record<string, integer>,
		a?: integer[], w?: string[], m?: boolean[][], e?: 1 | 2 | "x", q?: "1" | "2",
		u?: integer | boolean, v?: number | number[], k?: string | null, c?: integer | null,
		p?: {x: integer, y?: {z: boolean}}, l?: {x: integer}[] | {y: string}, x?)`)
	if wrong != nil {
		t.Fatal(wrong)
	}
	return &Definition{Name: "f", Signature: s, Schema: s.Schema()}
}

// M22: values that can be converted without loss, and values that cannot.
func TestCoerce(t *testing.T) {
	d := coercing(t)
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, tt := range []struct {
		args, want string
		lossy      string // start of the reason against a conversion
	}{
		// Strings with the JSON of the expected type
		{`{"n":"5"}`, `{"n":5}`, ""},
		{`{"n":" -1.50e2\n"}`, `{"n":-1.50e2}`, ""},
		{`{"n":"9007199254740993"}`, `{"n":9007199254740993}`, ""},
		{`{"i":"123456789012345678901234567890"}`, `{"i":123456789012345678901234567890}`, ""},
		{`{"i":"5.0"}`, `{"i":5}`, ""},
		{`{"i":"1.5e1"}`, `{"i":15}`, ""},
		{`{"b":"true"}`, `{"b":true}`, ""},
		{`{"b":"False"}`, `{"b":false}`, ""},
		{`{"z":"None"}`, `{"z":null}`, ""},
		{`{"o":"{\"a\": [1, {\"b\": 12345678901234567890}]}"}`, `{"o":{"a":[1,{"b":12345678901234567890}]}}`, ""},
		{`{"a":"[1, 2]"}`, `{"a":[1,2]}`, ""},
		{`{"w":"[\"a\", \"b\"]"}`, `{"w":["a","b"]}`, ""},
		{`{"m":[["true"],"[false]"]}`, `{"m":[[true],[false]]}`, ""},
		{`{"p":"{\"x\":\"1\",\"y\":{\"z\":\"true\"}}"}`, `{"p":{"x":1,"y":{"z":true}}}`, ""},
		{`{"e":"2"}`, `{"e":2}`, ""},

		// Numbers and booleans as strings
		{`{"s":7}`, `{"s":"7"}`, ""},
		{`{"s":7.10}`, `{"s":"7.10"}`, ""},
		{`{"s":true}`, `{"s":"true"}`, ""},
		{`{"w":[1,"b",false]}`, `{"w":["1","b","false"]}`, ""},
		{`{"q":2}`, `{"q":"2"}`, ""},
		{`{"s":{"a":1}}`, `{"s":{"a":1}}`, ""},
		{`{"s":["a"]}`, `{"s":["a"]}`, ""},

		// Whole numbers with a fraction or an exponent
		{`{"i":5.0}`, `{"i":5}`, ""},
		{`{"i":-0.50e1}`, `{"i":-5}`, ""},
		{`{"i":1e3}`, `{"i":1000}`, ""},
		{`{"i":0.0}`, `{"i":0}`, ""},
		{`{"n":5.0}`, `{"n":5.0}`, ""},
		{`{"i":12.7}`, `{"i":12.7}`, "12.7 is not a whole number"},
		{`{"i":"12.7"}`, `{"i":"12.7"}`, "it is not a whole number"},
		{`{"i":1e-1}`, `{"i":1e-1}`, "1e-1 is not a whole number"},
		{`{"i":0e700}`, `{"i":0}`, ""},
		{`{"i":-0e-99999999999}`, `{"i":0}`, ""},
		{`{"i":"0.0e99999999999"}`, `{"i":0}`, ""},
		{`{"i":10e-1}`, `{"i":1}`, ""},
		{`{"i":1.50e1}`, `{"i":15}`, ""},
		{`{"i":-0}`, `{"i":-0}`, ""},
		{`{"i":1e310}`, `{"i":1e310}`, ""}, // whole, but with too many digits
		{`{"i":1e99999999999}`, `{"i":1e99999999999}`, ""},
		{`{"i":1e-99999999999}`, `{"i":1e-99999999999}`, "1e-99999999999 is not a whole number"},
		{`{"i":0.0001e99999999999}`, `{"i":0.0001e99999999999}`, ""},

		// One value for an array
		{`{"w":"a"}`, `{"w":["a"]}`, ""},
		{`{"a":5}`, `{"a":[5]}`, ""},
		{`{"a":"5"}`, `{"a":[5]}`, ""},
		{`{"w":7}`, `{"w":["7"]}`, ""},
		{`{"m":true}`, `{"m":[[true]]}`, ""},
		{`{"w":"a, b"}`, `{"w":"a, b"}`, "it could be one item or several"},
		{`{"w":"[a"}`, `{"w":"[a"}`, "the text is not JSON"},
		{`{"w":null}`, `{}`, ""},
		{`{"a":"x"}`, `{"a":"x"}`, ""},

		// Null for an optional argument
		{`{"n":null,"s":"x","b":null}`, `{"s":"x"}`, ""},
		{`{"p":{"x":1,"y":null}}`, `{"p":{"x":1}}`, ""},
		{`{"p":{"x":null}}`, `{"p":{"x":null}}`, ""},
		{`{"c":null,"k":null,"z":null,"x":null}`, `{"c":null,"k":null,"z":null,"x":null}`, ""},
		{`{"s":"null"}`, `{"s":"null"}`, ""},

		// Unions
		{`{"u":"1"}`, `{"u":1}`, ""},
		{`{"u":"true"}`, `{"u":true}`, ""},
		{`{"v":"5"}`, `{"v":5}`, ""},
		{`{"v":"[\"5\"]"}`, `{"v":[5]}`, ""},
		{`{"k":"null"}`, `{"k":"null"}`, ""},
		{`{"k":5}`, `{"k":"5"}`, ""},
		{`{"c":"null"}`, `{"c":null}`, ""},
		{`{"c":"5"}`, `{"c":5}`, ""},
		{`{"l":{"y":5}}`, `{"l":{"y":"5"}}`, ""},
		{`{"l":{"x":"5"}}`, `{"l":{"x":"5"}}`, ""},
		{`{"l":[{"x":"5"}]}`, `{"l":[{"x":5}]}`, ""},

		// Conversions with a loss or a guess
		{`{"b":"yes"}`, `{"b":"yes"}`, "it is not written as true"},
		{`{"b":0}`, `{"b":0}`, "it is not written as false"},
		{`{"n":"5 apples"}`, `{"n":"5 apples"}`, "it is not a JSON number"},
		{`{"n":"1,000"}`, `{"n":"1,000"}`, "it is not a JSON number"},
		{`{"n":"0x10"}`, `{"n":"0x10"}`, "it is not a JSON number"},
		{`{"n":"1e400"}`, `{"n":"1e400"}`, "it exceeds the range of a 64-bit float"},
		{`{"i":"1e400"}`, `{"i":"1e400"}`, "it exceeds the range of a 64-bit float"},
		{`{"n":"1e-400"}`, `{"n":"1e-400"}`, "it exceeds the range of a 64-bit float"},
		{`{"n":"twice"}`, `{"n":"twice"}`, ""},
		{`{"n":""}`, `{"n":""}`, ""},
		{`{"o":"{\"a\":1} and more"}`, `{"o":"{\"a\":1} and more"}`, "the text is not JSON: "},
		{`{"o":"{'a':1}"}`, `{"o":"{'a':1}"}`, "the text is not JSON: "},
		{`{"o":"{\"a\":1,\"a\":2}"}`, `{"o":"{\"a\":1,\"a\":2}"}`, "the text is not JSON: "},
		{`{"a":"` + deep + `"}`, `{"a":"` + deep + `"}`, "the nesting would exceed 64 levels"},
		{`{"n":["5"]}`, `{"n":["5"]}`, ""},

		// Unknown arguments, values that fit, arguments that are not an object, and duplicate keys
		{`{"x":"5","other":"5"}`, `{"x":"5","other":"5"}`, ""},
		{`{"s":"5","n":5,"o":{"x":"1"},"r":{"k":"1"}}`, `{"s":"5","n":5,"o":{"x":"1"},"r":{"k":1}}`, ""},
		{`[1]`, `[1]`, ""},
		{`{"n":"5","n":"6"}`, `{"n":"5","n":"6"}`, ""},
	} {
		got, all := d.Coerce(json.RawMessage(tt.args))
		if string(got) != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.args, got, tt.want)
		}
		lossy := ""
		for _, c := range all {
			lossy += c.Loss
		}
		if !strings.HasPrefix(lossy, tt.lossy) || tt.lossy == "" && lossy != "" {
			t.Errorf("%s: %q would be lost, want %q", tt.args, lossy, tt.lossy)
		}
		if tt.lossy == "" && (len(all) == 0) != (tt.args == tt.want) {
			t.Errorf("%s becomes %s, and %v is said", tt.args, got, all)
		}
	}
}

// Each coercion has the path, the original value and the new one.
func TestCoercions(t *testing.T) {
	_, got := coercing(t).Coerce(json.RawMessage(`{"p":{"x":"1","y":{"z":"no"}},"m":[["True"]],"i":2.0,"s":null,"w":7}`))
	want := []Coercion{
		{Path: "/p/x", From: json.RawMessage(`"1"`), To: json.RawMessage(`1`)},
		{Path: "/p/y/z", From: json.RawMessage(`"no"`), Loss: "it is not written as false"},
		{Path: "/m/0/0", From: json.RawMessage(`"True"`), To: json.RawMessage(`true`)},
		{Path: "/i", From: json.RawMessage(`2.0`), To: json.RawMessage(`2`)},
		{Path: "/s", From: json.RawMessage(`null`)},
		{Path: "/w", From: json.RawMessage(`7`), To: json.RawMessage(`["7"]`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var retyped []bool
	for _, c := range got {
		retyped = append(retyped, c.ChangesType())
	}
	if diff := cmp.Diff([]bool{true, true, true, false, true, true}, retyped); diff != "" {
		t.Error("retyped:", diff)
	}
}

// FuzzCoerce checks that values that fit do not change their type, that coerced arguments are JSON
// and fit no worse, and that a second coercion changes nothing.
func FuzzCoerce(f *testing.F) {
	for _, args := range []string{
		`{}`, `{"n":"5","i":"5.0","b":"true","s":7,"w":"a"}`, `{"a":"[1, \"2\"]","u":"1","l":[{"x":"5"}]}`,
		`{"p":"{\"x\":\"{}\"}","o":"{\"a\":null}","m":"[[\"true\"]]","c":null,"n":null}`, `{"i":1e30,"e":"x","q":1}`,
		`{"c":0e700}`, `{"i":1e310}`, `{"i":0e99999999999}`, `{"i":1e-99999999999,"c":-0.0e5}`,
	} {
		f.Add(args)
	}
	d := coercing(f)
	f.Fuzz(func(t *testing.T, args string) {
		if !json.Valid([]byte(args)) {
			return
		}
		before := d.Check(json.RawMessage(args))
		got, all := d.Coerce(json.RawMessage(args))
		if !json.Valid(got) {
			t.Fatalf("%s becomes %s", args, got)
		}
		for _, c := range all {
			if len(before) == 0 && (c.Loss != "" || c.ChangesType()) {
				t.Errorf("%s fits, and becomes %s: %+v", args, got, c)
			}
		}
		if len(all) == 0 && string(got) != args {
			t.Errorf("%s becomes %s without a word", args, got)
		}
		if after := d.Check(got); len(after) > len(before) && !decodes(all) {
			t.Errorf("%s becomes %s: %v, and then %v", args, got, before, after)
		}
		again, more := d.Coerce(got)
		for _, c := range more {
			if c.Loss == "" {
				t.Errorf("%s becomes %s, and then %s", args, got, again)
			}
		}
	})
}

// decodes reports whether a string was converted to an array or object, whose contents can have
// more faults than the string.
func decodes(all []Coercion) bool {
	for _, c := range all {
		if c.From[0] == '"' && (c.To != nil && (c.To[0] == '{' || c.To[0] == '[')) {
			return true
		}
	}
	return false
}

// Long and deep values are coerced without much time or stack.
func TestCoerceDeep(t *testing.T) {
	d := coercing(t)
	for _, args := range []string{
		`{"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,"n":"5"}`,
		`{"w":[` + strings.Repeat(`1,`, 100_000) + `1]}`,
		`{"n":"` + strings.Repeat("9", 100_000) + `"}`,
	} {
		got, all := d.Coerce(json.RawMessage(args))
		if len(all) == 0 || !json.Valid(got) {
			t.Errorf("%.20s: %d coercions", args, len(all))
		}
	}
}
