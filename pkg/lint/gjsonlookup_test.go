package lint

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// A path leads to the same value as in gjson, at the same offset.
func FuzzPath(f *testing.F) {
	f.Add(`{"a": [1, {"b\n": "x\"y"}, [ ]], "": {} }`, "a.1.b")
	f.Add(` {"a":{"b":null,"0":[true,-1.5e3]},"c":"\\"} `, "a.0.1")
	f.Add(`[[],["\"\\\\\"",{"a":"]"}],0]`, "1.1.a")
	f.Add(`{"a":"[[00","b":"{"}`, "a.0")
	f.Add(`{"\u0061":1}`, "a")
	f.Add(`{"a":{}}`, "a..b")
	f.Fuzz(func(t *testing.T, line, text string) {
		p := newPath(text)
		if p.steps == nil || !jsontext.Value(line).IsValid() || !isObjectOrArray([]byte(line)) {
			return
		}
		want, got := gjson.Get(line, text), p.lookup([]byte(line))
		if string(got.raw) != want.Raw {
			t.Fatalf("%q leads to %q in %s, want %q", text, got.raw, line, want.Raw)
		}
		if want.Raw != "" && got.start != want.Index {
			t.Fatalf("%q leads to %d in %s, want %d", text, got.start, line, want.Index)
		}
	})
}

// Paths with gjson features work, too. Computed values have no offset.
func TestPath(t *testing.T) {
	line := []byte(` {"log":[{"from":"user","text":"a"},{"from":"model","text":"b"}],"fav.x":"c"}`)
	for text, want := range map[string]struct {
		raw    string
		placed bool
	}{
		`log.#(from=="model").text`: {`"b"`, true},
		`fav\.x`:                    {`"c"`, true},
		`log.#.text`:                {`["a","b"]`, false},
		`log.#`:                     {`2`, false},
		`@this.log.0.text`:          {`"a"`, false},
		`log.2.text`:                {``, false},
		`log.text`:                  {``, false},
		``:                          {``, false},
	} {
		got := newPath(text).lookup(line)
		if string(got.raw) != want.raw || (got.valueSegments() != nil) != want.placed {
			t.Errorf("%s leads to %q at %v", text, got.raw, got.valueSegments())
		}
	}
	for _, text := range []string{"0", "0.a", "#", "#.a", "a|b"} {
		if got := newPath(text).lookup([]byte(` "[[00"`)); got.isPresent() {
			t.Errorf("%s leads to %q in a text", text, got.raw)
		}
	}
	if got := newPath("@this").lookup([]byte(`{"a":1}`)); string(got.raw) != `{"a":1}` || got.valueSegments() == nil {
		t.Errorf("@this leads to %q at %v", got.raw, got.valueSegments())
	}
}
