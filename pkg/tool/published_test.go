package tool

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

func publishedSchema(t *testing.T) *schema.Schema {
	t.Helper()
	text, _ := schema.PublishedText("tool_definition.v1")
	s, findings := schema.Compile("tool_definition.v1", text)
	if findings != nil {
		t.Fatal(findings)
	}
	return s
}

// The published schema and the loader have the same keys.
func TestPublishedKeys(t *testing.T) {
	type object struct{ Properties map[string]json.RawMessage }
	var doc struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(publishedSchema(t).Raw(), &doc); err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2][]string{
		"definition": {definitionKeys, slices.Collect(maps.Keys(doc.Properties))},
		"exec":       {execKeys, slices.Collect(maps.Keys(doc.Defs["exec"].Properties))},
		"http":       {requestKeys, slices.Collect(maps.Keys(doc.Defs["http"].Properties))},
		"property":   {propertyKeys, slices.Collect(maps.Keys(doc.Defs["property"].Properties))},
	} {
		want, got := slices.Sorted(slices.Values(pair[0])), slices.Sorted(slices.Values(pair[1]))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("keys of a %s (-loader +schema):\n%s", name, diff)
		}
	}
}

// The loader and the published schema agree on the shape of every document in the cases.
func TestPublishedAgrees(t *testing.T) {
	s := publishedSchema(t)
	shape := []diag.Code{diag.DefUnknownKey, diag.DefType, diag.DefMissing, diag.DefExamples}
	for _, path := range definitionCases(t) {
		_, fsys := readCase(t, path)
		for name, file := range fsys {
			defs, findings := Loader{}.Parse(name, file.Data)
			_, docs := yamldoc.Read(name, file.Data, findingCodes)
			good := true
			for _, doc := range docs {
				text, ok := doc.JSON()
				good = good && (doc.IsNull() || ok && len(s.Check(text)) == 0)
			}
			wrongShape := slices.ContainsFunc(findings, func(f diag.Finding) bool { return slices.Contains(shape, f.Code) })
			switch {
			case len(findings) == 0 && !good:
				t.Errorf("%s %s: the loader takes it, the schema does not", path, name)
			case len(docs) > 0 && !docs[0].IsNull() && wrongShape && good:
				t.Errorf("%s %s: the schema takes it, the loader does not: %v", path, name, lines(findings))
			}
			if len(findings) == 0 && len(defs) == 0 {
				t.Errorf("%s %s: nothing was read", path, name)
			}
		}
	}
}
