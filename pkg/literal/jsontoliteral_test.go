package literal

import (
	"bytes"
	"testing"
)

func TestAppendPython(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [true, false, null, 1.50, -2e3], "b": {}}`: `{"a": [True, False, None, 1.50, -2e3], "b": {}}`,
		`"\u00e9\/\ud83d\ude00 \"'\\\n\u0001\u007f"`:      `"é/😀 \"'\\\n\u0001` + "\x7f" + `"`,
		`"true: null,"`: `"true: null,"`,
		`[]`:            `[]`,
	} {
		if got := string(AppendPython(nil, []byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestAppendQuoted(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [true, null, 1.50, -2e3], "b": {"c": "x"}, "d": ""}`: `{a:[true,null,1.50,-2e3],b:{c:~x~},d:~~}`,
		`{"a": "\u00e9\/ \"'\\\n"}`:                                 "{a:~é/ \"'\\\n~}",
		`{"a b": 1, "": 2, "c:": 3, "<d": 4, "e-f.g": 5}`:           `{"a b":1,"":2,"c:":3,"<d":4,e-f.g:5}`,
		`{"a": "x<|\"|>y", "b": "<|\"|"}`:                           `{a:"x\u003c|\"|>y",b:~<|"|~}`,
	} {
		if got := string(AppendDelimited(nil, []byte(text), testDelimiter)); got != withDelimiters(want) {
			t.Errorf("%s: %s, want %s", text, got, withDelimiters(want))
		}
	}
	if got := string(AppendDelimited(nil, []byte(`{"k":"xa"}`), "aa")); got != `{k:"x\u0061"}` {
		t.Error(got)
	}
}

// checkRendered checks that the rendered form is read back as the same value.
func checkRendered(t *testing.T, text string) {
	want := tokens(t, []byte("["+text+"]"))
	call, findings := readPython("f("+string(AppendPython(nil, []byte(text)))+")", Options{})
	if !bytes.Equal(tokens(t, call.Arguments), want) || !call.Executable {
		t.Fatalf("%s is read back as %s: %s", text, call.Arguments, findings)
	}
	object := `{"v":[` + text + `]}`
	quoted := string(AppendDelimited(nil, []byte(object), testDelimiter))
	r := readDelimited(quoted, len(quoted), Options{MaxDepth: MaxDepth + 2})
	if !bytes.Equal(tokens(t, []byte(r.Value)), tokens(t, []byte(object))) || r.State != Done {
		t.Fatalf("%s is read back as %s: %s", quoted, r.Value, r.Codes)
	}
}
