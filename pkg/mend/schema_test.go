package mend

import (
	"encoding/json"
	"testing"

	"oneshot/pkg/chat"
)

func TestSchema(t *testing.T) {
	const order = `{"type": "object", "required": ["name", "count"], "properties": {
		"name": {"type": "string"}, "count": {"type": "integer"}, "fresh": {"type": "boolean"},
		"tags": {"type": "array", "items": {"type": "string"}}, "size": {"enum": ["small", "large"]},
		"at": {"$ref": "#/$defs/place"}, "alt": {"anyOf": [{"type": "null"}, {"type": "number"}]}},
		"$defs": {"place": {"type": "object", "properties": {"x": {"type": "number"}}}}}`
	for _, c := range []struct {
		text, value string
		salvage     bool
		status      chat.Status
	}{
		{`{"name": "ink", "count": 3}`, `{"name": "ink", "count": 3}`, false, ok},
		{`{"name": "ink", "count": "3", "alt": "1.50"}`, `{"name": "ink", "count": 3, "alt": 1.50}`, false, ambiguous},
		{`{"name": 12, "count": 3.0, "fresh": "yes", "size": "Large"}`, `{"name": "12", "count": 3, "fresh": true, "size": "large"}`, false, ambiguous},
		{`{"name": "ink", "count": 3, "tags": "a", "at": "{\"x\": \"1\"}"}`, `{"name": "ink", "count": 3, "tags": ["a"], "at": {"x": 1}}`, false, ambiguous},
		{`{"name": , "count": , "tags": , "at": }`, `{"name": "", "count": 0, "tags": [], "at": {}}`, false, ambiguous},
		{`{"name": "ink", "count": 3, "tags": null}`, `{"name": "ink", "count": 3, "tags": null}`, false, invalid},
		{`{"name": "ink"}`, `{"name": "ink"}`, false, invalid},
		{`{"name": "ink", "count": 2.5}`, `{"name": "ink", "count": 2.5}`, false, invalid},
		{`{"name": "ink", "count": 1, "size": "huge"}`, `{"name": "ink", "count": 1, "size": "huge"}`, false, invalid},
		{`[{"name": "ink", "count": 3}]`, `[{"name": "ink", "count": 3}]`, false, invalid},
		{`[{"name": "ink", "count": 3}]`, `{"name": "ink", "count": 3}`, true, ambiguous},
		{`{"name": "ink", "count": 3, "tags": ["a", {"b": 1}, ["c"], "d"]}`, `{"name": "ink", "count": 3, "tags": ["a", "d"]}`, true, ambiguous},
		{`{"name": "ink", "count": 3, "tags": [{}, [], "d", {}]}`, `{"name": "ink", "count": 3, "tags": ["d"]}`, true, ambiguous},
		{`{"name": "ink", "count": 3, "at": "{x: 1}"}`, `{"name": "ink", "count": 3, "at": {"x": 1}}`, true, ambiguous},
	} {
		r := JSON(c.text, Options{Schema: json.RawMessage(order), Salvage: c.salvage})
		if compact(r.Value) != compact(json.RawMessage(c.value)) || r.Status != c.status {
			t.Errorf("%s\n got %s (%s) %v\nwant %s (%s)", c.text, r.Value, r.Status, r.Findings, c.value, c.status)
		}
		if r.Changed != (r.Text != c.text) {
			t.Errorf("%s: changed is %v", c.text, r.Changed)
		}
	}
}

// With salvage a schema also shapes a value.
func TestSalvage(t *testing.T) {
	for _, c := range []struct{ schema, text, value string }{
		{`{"required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "array"}}}`, `["x", [1]]`, `{"a": "x", "b": [1]}`},
		{`{"required": ["a", "b"], "properties": {"a": {"const": "k"}, "b": {"type": "object"}}}`, `{}`, `{"a": "k", "b": {}}`},
		{`{"type": "object"}`, `{"x", "y"}`, `{"x": null, "y": null}`},
		{`{"type": "array", "items": {"type": "number"}}`, `["1", "x", 2]`, `[1, 2]`},
	} {
		r := JSON(c.text, Options{Schema: json.RawMessage(c.schema), Salvage: true})
		if compact(r.Value) != compact(json.RawMessage(c.value)) || r.Status != ambiguous {
			t.Errorf("%s is read as %s (%s) %v, want %s", c.text, r.Value, r.Status, r.Findings, c.value)
		}
	}
}

// Patterns of names that are plain texts say what their members are.
func TestPatternProperties(t *testing.T) {
	for _, c := range []struct{ patterns, text, value string }{
		{`{"^n_": {"type": "integer"}}`, `{"n_a": "7", "an_": "7"}`, `{"n_a": 7, "an_": "7"}`},
		{`{"_n$": {"type": "integer"}}`, `{"a_n": "7", "_na": "7"}`, `{"a_n": 7, "_na": "7"}`},
		{`{"^n$": {"type": "integer"}}`, `{"n": "7", "nn": "7"}`, `{"n": 7, "nn": "7"}`},
		{`{"n": {"type": "integer"}}`, `{"anb": "7", "b": "7"}`, `{"anb": 7, "b": "7"}`},
		{`{"^n": {"type": "integer"}, "b$": {"type": "integer"}}`, `{"nb": "7"}`, `{"nb": 7}`},
		{`{"^n": {"type": "integer"}, "b$": {"type": "string"}}`, `{"nb": "7", "nc": "7"}`, `{"nb": "7", "nc": 7}`},
		{`{"^n": {"type": "integer"}, "^[a-z]+$": {}}`, `{"nb": "7"}`, `{"nb": "7"}`},
		{`{"^n[0-9]$": {"type": "integer"}}`, `{"n1": "7"}`, `{"n1": "7"}`},
	} {
		r := JSON(c.text, Options{Schema: json.RawMessage(`{"type": "object", "patternProperties": ` + c.patterns + `}`)})
		if compact(r.Value) != compact(json.RawMessage(c.value)) {
			t.Errorf("%s: %s is read as %s (%s) %v, want %s", c.patterns, c.text, r.Value, r.Status, r.Findings, c.value)
		}
	}
}

func TestBadSchema(t *testing.T) {
	for _, schema := range []string{`{`, `{"$ref": 1}`, `{"$ref": "#/a"}`, `{"$ref": "#"}`, `{"items": {"type": "text"}}`} {
		if r := JSON(`{}`, Options{Schema: json.RawMessage(schema)}); r.Status != invalid || r.Value != nil || len(r.Findings) != 1 {
			t.Errorf("%s: %s %v", schema, r.Status, r.Findings)
		}
	}
	recursive := `{"type": "object", "properties": {"next": {"$ref": "#"}, "$ref": {"type": "number"}}}`
	if r := JSON(`{"next": {"next": {}}}`, Options{Schema: json.RawMessage(recursive)}); r.Status != ok {
		t.Errorf("a schema that holds itself: %s %v", r.Status, r.Findings)
	}
}

// fuzzSchema mends much: types, names, lists, and schemas that hold each other.
const fuzzSchema = `{"type": "object", "required": ["a", "b"], "additionalProperties": false, "properties": {
	"a": {"type": ["integer", "boolean"]}, "b": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
	"c": {"enum": ["x", 1]}, "d": {"anyOf": [{"type": "object", "properties": {"a": {"type": "number"}}}, {"type": "null"}]}}}`

// schemaSeeds are texts that it changes.
var schemaSeeds = []string{`[{"a": "1", "b": [{}, {"a": 1, "b": []}]}]`, `{"a": , "b": , "c": "X", "d": "{a: 1}"}`, `[1, [2]]`, `{"b": "[1]"}`}

// schemaLaws hold for any text: whatever a schema does to a value, it stays JSON.
func schemaLaws(t *testing.T, text string, salvage bool) {
	r := JSON(text, Options{Schema: json.RawMessage(fuzzSchema), Salvage: salvage})
	if r.broken {
		t.Fatalf("the edits of %q do not lead to JSON", text)
	}
	if good, _, _ := isStrict(string(r.Value)); !good && r.Value != nil || string(r.Value) != r.Text && r.Value != nil {
		t.Fatalf("%q is read as %q", text, r.Value)
	}
	if r.Value != nil && Apply(text, r.Edits) != r.Text {
		t.Fatalf("the edits of %q make %q, not %q", text, Apply(text, r.Edits), r.Text)
	}
}
