package mend

import (
	"errors"
	"testing"
)

func TestPartial(t *testing.T) {
	for _, c := range []struct {
		text  string
		allow Kinds
		want  string
	}{
		{`{"a": 1}`, 0, `{"a": 1}`},
		{` 12 `, 0, ` 12 `},
		{`12`, 0, `12`},
		{`{"a": 1, "b": [true, {"c": "d`, Everything, `{"a": 1, "b": [true, {"c": "d"}]}`},
		{`{"a": 1, "b": [true, {"c": "d`, Everything &^ Strings, `{"a": 1, "b": [true, {}]}`},
		{`{"a": 1, "b": [true, {"c": "d`, Objects, `{"a": 1}`},
		{`[1, 23`, Everything, `[1, 23]`},
		{`[1, 23`, Arrays, `[1]`},
		{`[1, 2.`, Everything, `[1, 2]`},
		{`[1, 2.5e-`, Everything, `[1, 2.5]`},
		{`[1, -`, Everything, `[1]`},
		{`[1, nu`, Everything, `[1, null]`},
		{`[1, null`, Arrays, `[1, null]`},
		{`[1, f`, Arrays | Nulls, `[1]`},
		{`[1, `, Everything, `[1]`},
		{`{"a"`, Everything, `{}`},
		{`{"a":`, Everything, `{}`},
		{`{"a": 1,`, Everything, `{"a": 1}`},
		{`"x\`, Everything, `"x"`},
		{`"x\u00e`, Everything, `"x"`},
		{"\"x\xc3", Everything, `"x"`},
		{`"x`, Strings, `"x"`},
		{"[1\n", Arrays, "[1]"},
	} {
		got, err := Partial(c.text, c.allow)
		if err != nil || string(got) != c.want {
			t.Errorf("%q (%b) is completed to %s (%v), want %s", c.text, c.allow, got, err, c.want)
		}
	}
}

func TestPartialRefuses(t *testing.T) {
	for text, offset := range map[string]int{
		`{a`: 1, `[1}`: 2, `{"a" 1`: 5, `[1,]`: 3, `'x`: 0, `1.2.3`: 0, `[01`: 1, `[1] 2`: 4, "\"a\nb": 0, `"\q`: 0, `nulx`: 0, `tru `: 0,
		"\"\xff\"": 0, `{"a":1]`: 6, `// c`: 0, `-x`: 0, `+1`: 0,
	} {
		_, err := Partial(text, Everything)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != offset || syntax.Deep {
			t.Errorf("%q: %v, want a syntax error at %d", text, err, offset)
		}
	}
	for text, allow := range map[string]Kinds{``: Everything, ` `: Everything, `-`: Everything, `"a`: Arrays, `[1`: Objects, `{"a":[`: Arrays, `t`: Nulls} {
		_, err := Partial(text, allow)
		var cut *CutError
		if !errors.As(err, &cut) || cut.Offset != len(text) {
			t.Errorf("%q: %v, want one that is cut", text, err)
		}
	}
	var syntax *SyntaxError
	if _, err := Partial(prefixed("", "[")(MaxDepth+1), Everything); !errors.As(err, &syntax) || !syntax.Deep {
		t.Errorf("too deep: %v", err)
	}
}

func TestPartialErrors(t *testing.T) {
	for text, want := range map[string]string{
		`[`:    "the text ends at byte 1 before there is a value",
		`[a`:   "byte 1: this is no JSON",
		deep65: "byte 64: arrays and objects are nested too deeply",
	} {
		if _, err := Partial(text, Objects); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

var deep65 = prefixed("", "[")(MaxDepth + 1)
