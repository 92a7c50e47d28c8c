package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
)

func nested(open, shut string, n int) string {
	return strings.Repeat(open, n) + strings.Repeat(shut, n)
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		name, args string
		code       diag.Code // "" for valid arguments
		path       string
		says       string
	}{
		{"empty", `{}`, "", "", ""},
		{"nested", `{"a":{"b":[1,{"b":2}]},"b":{"a":1}}`, "", "", ""},
		{"same key, other object", `[{"a":1},{"A":2},{"a":{"A":3}}]`, "", "", ""},
		{"digits", `{"n":9007199254740993,"m":0.1,"k":-0.0e9,"j":1e308}`, "", "", ""},
		{"blanks", " {\n\"a\" : 1 }\r\n", "", "", ""},
		{"pair", `{"a":"\ud83d\ude00"}`, "", "", ""},
		{"many digits", `{"n":` + strings.Repeat("9", 300) + `}`, "", "", ""},
		{"twice", `{"to":"a","to":"b"}`, diag.DuplicateKey, "/to", `to: duplicate key "to"`},
		{"twice, deep", `{"x":[{"y":{"to":1,"z":2,"to":3}}]}`, diag.DuplicateKey, "/x/0/y/to", `x[0].y.to: duplicate key "to"`},
		{"twice, escaped", `{"to":1,"\u0074o":2}`, diag.DuplicateKey, "/to", "duplicate"},
		{"case", `{"to":1,"cc":2,"TO":3}`, diag.CaseCollision, "/TO", `the keys "to" and "TO" of one object differ only in case`},
		{"case, deep", `{"x":{"Straße":1,"y":[],"STRAßE":2}}`, diag.CaseCollision, "/x/STRAßE", "differ only in case"},
		{"long s", `{"subject":1,"ſubject":2}`, diag.CaseCollision, "/ſubject", "differ only in case"},
		{"Kelvin", `{"key":1,"\u212Aey":2}`, diag.CaseCollision, "/\u212Aey", "differ only in case"},
		{"bytes", "{\"a\":\"\xff\"}", diag.InvalidUTF8, "/a", "UTF-8"},
		{"bytes in a key", "{\"\xc3\":1}", diag.InvalidUTF8, "", "UTF-8"},
		{"half a pair", `{"a":"x\ud800"}`, diag.BadLiteral, "/a", "surrogate"},
		{"low half", `{"a":["\udc00x"]}`, diag.BadLiteral, "/a/0", "surrogate"},
		{"trailing", `{"a":1}{"a":2}`, diag.BadLiteral, "", "text after the JSON value"},
		{"trailing word", `{"a":1} x`, diag.BadLiteral, "", "text after the JSON value"},
		{"cut", `{"a":`, diag.BadLiteral, "", "unexpected end"},
		{"nothing", ` `, diag.BadLiteral, "", "empty"},
		{"NaN", `{"a":NaN}`, diag.BadLiteral, "", "invalid"},
		{"comment", `{"a":1/*b*/}`, diag.BadLiteral, "", "invalid"},
		{"large number", `{"a":[1,1e999]}`, diag.NumberRange, "/a/1", "a[1]: 1e999 exceeds the range of a 64-bit float"},
		{"negative number", `{"a":-1e999}`, diag.NumberRange, "/a", "-1e999"},
		{"small number", `{"a":1e-999}`, diag.NumberRange, "/a", "1e-999"},
		{"long number", `{"a":` + strings.Repeat("9", 400) + `}`, diag.NumberRange, "/a", "9…"},
		{"long key", `{"` + strings.Repeat("ö", 1000) + `":{"a":1,"A":2}}`, diag.CaseCollision, "", ""},
		{"long names", `{"` + strings.Repeat("ö", 1000) + `":1,"` + strings.Repeat("Ö", 1000) + `":2}`, diag.CaseCollision, "", "differ only in case"},
		{"deep", `{"a":` + nested("[", "]", 63) + `}`, "", "", ""},
		{"too deep", `{"a":` + nested("[", "]", 64) + `}`, diag.TooDeep, "/a" + strings.Repeat("/0", 63), "the nesting exceeds 64 levels"},
		{"too deep, objects", nested(`{"a":`, "}", 65), diag.TooDeep, strings.Repeat("/a", 64), "the nesting exceeds 64 levels"},
		{"large", `{"a":"` + strings.Repeat("x", MaxArguments-8) + `"}`, "", "", ""},
		{"too large", `{"a":"` + strings.Repeat("x", MaxArguments) + `"}`, diag.LargeArguments, "", "at most 1048576 are allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults := CheckStrict(json.RawMessage(c.args))
			if c.code == "" {
				if len(faults) > 0 {
					t.Errorf("good arguments: %v", faults)
				}
				return
			}
			if len(faults) != 1 || faults[0].Code != c.code || faults[0].Severity != diag.Error {
				t.Fatalf("%v, want one error %s", faults, c.code)
			}
			if len(faults[0].Message) > 500 {
				t.Errorf("a message of %d bytes", len(faults[0].Message))
			}
			if f := faults[0]; c.path != "" && f.Path != c.path && f.Path != strings.TrimSuffix(c.path, "/0") || !strings.Contains(f.Message, c.says) {
				t.Errorf("at %q: %s", f.Path, f.Message)
			}
		})
	}
}

// FoldCase and strings.EqualFold agree on which texts are equal.
func TestFoldLaw(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("aAſsSkK\u212AßẞσςΣİıiI1_")), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		if got := fileroot.FoldCase(a) == fileroot.FoldCase(b); got != strings.EqualFold(a, b) {
			t.Errorf("%q and %q fold alike: %v", a, b, got)
		}
	})
}

// Strict arguments are one JSON value that encoding/json accepts. Their canonical form is strict,
// too.
func FuzzStrict(f *testing.F) {
	for _, seed := range []string{`{"a":1,"A":2}`, `{"a":[{"b":1e999}]}`, `{"a":"\ud800"}`, `{"a":1}{}`, "{\"\xff\":1}", `[[[[]]]]`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		faults := CheckStrict(args)
		if len(faults) > 1 {
			t.Fatalf("%d faults", len(faults))
		}
		if len(faults) == 1 {
			return
		}
		v := jsontext.Value(bytes.Clone(args)) // Canonicalize changes it in place
		if err := v.Canonicalize(); err != nil || len(CheckStrict(json.RawMessage(v))) > 0 {
			t.Fatalf("%q is strict, and what it says is not: %q (%v)", args, v, err)
		}
		var same any
		if err := json.Unmarshal(args, &same); err != nil {
			t.Fatalf("%q is strict, and encoding/json says: %v", args, err)
		}
	})
}
