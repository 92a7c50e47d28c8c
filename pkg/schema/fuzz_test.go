package schema

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// FuzzSchemaCheck checks that no schema and no document causes a panic, that
// every finding has a position, and that the same input gives the same
// findings.
func FuzzSchemaCheck(f *testing.F) {
	for name, ex := range examples {
		text, _ := PublishedText(name)
		for _, doc := range ex.good {
			f.Add(text, []byte(doc))
		}
		for doc := range ex.bad {
			f.Add(text, []byte(doc))
		}
	}
	for _, pair := range [][2]string{
		{`{"$ref":"#"}`, `1`},
		{`{"$id":"http://a.example/","$ref":"x#y","$dynamicAnchor":"y"}`, `{}`},
		{`{"anyOf":[{"const":1},{"oneOf":[true,true]}],"propertyNames":{"pattern":"("}}`, `{"a":[1e9]}`},
		{`{"minimum":1e1000,"multipleOf":1e-1000}`, `1e1000`},
		{`{"items":{"enum":[]},"unevaluatedItems":false}`, `[[],{}]`},
		{`{"properties":{"a":{"propertyNames":{"maxLength":1}},"b":{}}}`, `{"a":{"xx":1},"b":{"yy":1}}`},
		{`{"maxLength":1e30}`, `"x"`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, text, doc []byte) {
		start := time.Now()
		s, findings := Compile("s.json", text)
		if (s == nil) == (len(findings) == 0) {
			t.Fatalf("schema %v with findings %v", s, findings)
		}
		checkPlaces(t, text, findings)
		if s == nil {
			_, again := Compile("s.json", text)
			if diff := cmp.Diff(findings, again); diff != "" {
				t.Fatalf("the same schema gave other findings:\n%s", diff)
			}
			return
		}
		got := s.Check(doc)
		checkPlaces(t, doc, got)
		if diff := cmp.Diff(got, s.Check(doc)); diff != "" {
			t.Fatalf("the same document gave other findings:\n%s", diff)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("%d and %d bytes took %v", len(text), len(doc), took)
		}
	})
}

func checkPlaces(t *testing.T, text []byte, findings []diag.Finding) {
	t.Helper()
	if len(findings) > maxFindings+1 {
		t.Fatalf("%d findings", len(findings))
	}
	for _, f := range findings {
		if f.Span.Line < 1 || f.Span.Start < 0 || f.Span.End < f.Span.Start || f.Span.End > len(text) {
			t.Fatalf("finding without a place: %+v", f)
		}
		if f.Message == "" || strings.ContainsRune(f.Message, '\n') && !slices.Contains([]byte(text), '\n') {
			t.Fatalf("message %q", f.Message)
		}
	}
}
