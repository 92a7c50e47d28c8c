package yamldoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// TestReadsJSON checks that JSON is read as JSON, even if it is not valid YAML.
func TestReadsJSON(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"surrogates", `{"a": "\ud83d\ude00", "b": "\u00e9"}`, `{"a":"😀","b":"é"}`},
		{"escaped slash", `["a\/b"]`, `["a/b"]`},
		{"indented with tabs", "{\n\t\"a\":\t[\n\t\t1\n\t]\n}", `{"a":[1]}`},
		{"a character YAML does not have", "[\"\u007f\ufeff\"]", "[\"\u007f\ufeff\"]"},
		{"no blank behind a colon", `{"a":1,"b":[true,null,-1.5e3]}`, `{"a":1,"b":[true,null,-1.5e3]}`},
		{"words that YAML could read otherwise", `{"a":"yes","b":"1.10","<<":"c","d":"~"}`, `{"a":"yes","b":"1.10","<<":"c","d":"~"}`},
		{"byte order mark", "\ufeff {}", `{}`},
		{"a very long key", `{"` + strings.Repeat("k", 2000) + `": 1}`, `{"` + strings.Repeat("k", 2000) + `":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, docs := Read("f.json", []byte(tt.src), codes)
			if len(docs) != 1 || len(f.Findings()) > 0 {
				t.Fatalf("%d documents, %v", len(docs), lines(f.Findings()))
			}
			if got, ok := docs[0].JSON(); !ok || string(got) != tt.want {
				t.Errorf("JSON = %s, %v", got, ok)
			}
		})
	}
}

// Faults of JSON are found at their position.
func TestFaultsInJSON(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"key twice", "{\n\t\"\\ud83d\\ude00\": 1, \"a\": 1,\n\t\"a\": 2}", []string{`TD003 f.json:3:2 duplicate key "a", first on line 2`}},
		{"too deep", strings.Repeat("[", 70) + strings.Repeat("]", 70), []string{"TD001 f.json:1:65 values are nested too deeply"}},
		{"one half of a character", `{"a": "\ud83d"}`, []string{"TD001 f.json:1:10 while scanning a quoted scalar: found invalid Unicode character escape code"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := Read("f.json", []byte(tt.src), codes)
			if d := cmp.Diff(tt.want, lines(f.Findings())); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestPlaceBehindSurrogates checks that a position in a string counts the bytes of its
// escapes.
func TestPlaceBehindSurrogates(t *testing.T) {
	src := `["é", "\ud83d\ude00x"]`
	_, docs := Read("f.json", []byte(src), codes)
	at := docs[0].Find("/1").At(len("😀"))
	if got := src[at.Start:]; got != `x"]` {
		t.Errorf("At leads to %q", got)
	}
	if span := docs[0].Find("/1").Span(); src[span.Start:span.End] != `"\ud83d\ude00x"` {
		t.Errorf("Span = %+v", span)
	}
}

// sameAsYAML checks that JSON that is also YAML has the same values and positions with
// both readers. A comment after the JSON makes it YAML.
func sameAsYAML(t *testing.T, src string) {
	f, docs := Read("f", []byte(src), codes)
	if newSourceText([]byte(src)).fromJSON() == nil || strings.ContainsAny(src, "\\") {
		return
	}
	g, others := Read("f", []byte(src+"\n# YAML"), codes)
	if len(others) != 1 || len(docs) != 1 {
		return // this JSON is not valid YAML
	}
	want, _ := others[0].JSON()
	got, _ := docs[0].JSON()
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%q: %s", src, d)
	}
	if d := cmp.Diff(lines(g.Findings()), lines(f.Findings())); d != "" {
		t.Errorf("%q: %s", src, d)
	}
	if d := cmp.Diff(places(others[0]), places(docs[0])); d != "" {
		t.Errorf("%q: %s", src, d)
	}
}

// places returns the spans of all values of a document.
func places(v Value) []diag.Span {
	var out []diag.Span
	for open := []Value{v}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		out = append(out, at.Span())
		for _, n := range at.node.Content {
			open = append(open, Value{file: v.file, node: n})
		}
	}
	return out
}

func TestSameAsYAML(t *testing.T) {
	for _, src := range []string{
		`{}`, `[]`, ` {"a": 1}`, "{\n  \"é\": [1, \"ü\", true],\n  \"b\": {\"c\": null}\n}\n", `{"a": 1, "a": 2}`, "[1,\r\n 2,\r 3]", `{"a": "yes", "b": 1e5, "c": ""}`,
	} {
		sameAsYAML(t, src)
	}
}

func FuzzSameAsYAML(f *testing.F) {
	f.Add(`{"a": [1, "b", {"c": null}], "é": 1e5}`)
	f.Fuzz(func(t *testing.T, src string) { sameAsYAML(t, src) })
}
