package lint

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
)

// fill sets every JSON field of a value to a distinct value.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		switch {
		case v.Type() == reflect.TypeFor[json.RawMessage]():
			v.SetBytes([]byte("{ \"a b\" : [1.50 ,\t\"\\\" \\u00e9<é\" ] }"))
		case depth > 0:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), depth-1)
			fill(v.Index(1), depth-1)
		default:
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.String:
		v.SetString("<a \"b\" \\ \n\x01 é&>")
	case reflect.Int:
		v.SetInt(17)
	case reflect.Float64:
		v.SetFloat(-1.5e-7)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(v.Type())
	}
}

// The hand-written output equals that of encoding/json.
func TestAppendJSON(t *testing.T) {
	full := ParseResult{}
	fill(reflect.ValueOf(&full).Elem(), 2)
	for _, r := range []ParseResult{
		full, {Calls: []Call{}, Findings: []diag.Finding{}},
		{File: "\xff", Calls: []Call{{Priority: 1e21, Repairs: []diag.Code{}, Alternatives: []Call{}}}, Findings: []diag.Finding{}},
	} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		got := append(r.AppendJSON(nil), '\n')
		if want := strings.ReplaceAll(want.String(), `\ufffd`, "\ufffd"); string(got) != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// The same holds for the results of arbitrary responses.
func TestAppendJSONOfTexts(t *testing.T) {
	for file, text := range texts(t) {
		r := response("x", []byte(text), Options{})
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got := jsontext.Value(r.AppendJSON(nil))
		if err := got.Format(jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true), jsontext.PreserveRawStrings(false)); err != nil {
			t.Errorf("%s: %v", file, err)
		} else if want := strings.ReplaceAll(string(want), `\ufffd`, "\ufffd"); string(got) != want {
			t.Errorf("%s: %s\nwant\n%s", file, got, want)
		}
	}
}
