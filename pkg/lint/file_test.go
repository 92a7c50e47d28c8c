package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// C3: the kind of a file is told from its content, also when that is broken.
func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      Kind // "" for none
	}{
		{"definition", greetYAML, Definition},
		{"definition after comments", "# Tools\n---\n# One\n" + greetYAML, Definition},
		{"definition without a name", "description: x\neffect: read\n", Definition},
		{"definition in broken YAML", "name: [\n", Definition},
		{"definition in JSON", `{"name": "f", "effect": "read"}`, Definition},
		{"schema", `{"$schema": "https://json-schema.org/draft/2020-12/schema"}`, Schema},
		{"schema by its type", `{"type": "object"}`, Schema},
		{"schema by its types", `{"type": ["object", "null"]}`, Schema},
		{"schema with a title", "\ufeff \n{\"title\": \"Digest\", \"properties\": {}}", Schema},
		{"schema, torn", `{"properties": {"a":`, Schema},
		{"run file", `{"seq":1,"run":"x","kind":"run","time":"2026-11-21T09:30:00Z"}` + "\n", RunFile},
		{"run file, torn", `{"seq":1,"run":"x","kind":"run","ti`, RunFile},
		{"answer", `{"title": "News", "type": "daily"}`, ""},
		{"list", `[1, 2]`, ""},
		{"words", "These are words: two of them.\n", ""},
		{"indented keys", "  name: x\n  effect: read\n", ""},
		{"nothing", "", ""},
		{"blanks", " \n\t\n", ""},
		{"no text", "\x00\xff{", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := KindOf([]byte(tt.src))
			if ok != (tt.want != "") || ok && got != tt.want {
				t.Errorf("KindOf = %q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}

// C3: each kind of file is checked for what it should be.
func TestChecker(t *testing.T) {
	answers, findings := schema.Compile("s", []byte(`{"type": "object", "required": ["a"]}`))
	if answers == nil {
		t.Fatal(findings)
	}
	for _, tt := range []struct {
		name, src string
		kind      Kind
		count     int
		want      []string
	}{
		{"definition", greetYAML, Definition, 1, []string{}},
		{"definition, wrong effect", strings.Replace(greetYAML, "effect: read", "effect: reed", 1), Definition, 0, []string{"11:9 error TD006 -"}},
		{"definition, no implementation", strings.Replace(greetYAML, "builtin: greet", "builtin: great", 1), Definition, 0, []string{"12:10 error TD012 -"}},
		{"schema", `{"type": "object"}`, Schema, 0, []string{}},
		{"schema, wrong type", `{"type": "objekt"}`, Schema, 0, []string{"1:10 error TS001 - /type"}},
		{"answer", `{"a": 1}`, Answer, 0, []string{}},
		{"answer, key missing", `{"b": 1}`, Answer, 0, []string{"1:1 error TA002 -"}},
		{"answer, no JSON", `Sure!`, Answer, 0, []string{"1:1 error TA001 -"}},
		{"run file, empty", "", RunFile, 0, []string{}},
		{"run file, no record", "Sure!\nNo.\n", RunFile, 0, []string{"1:1 error TR001 -"}},
		{"run file, torn", "Sure!", RunFile, 0, []string{"1:1 warning TR002 -"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := NewChecker(answers, tool.Loader{Builtins: []string{"greet"}}).File("x", []byte(tt.src), tt.kind)
			if d := cmp.Diff(tt.want, brief(v.Findings)); d != "" {
				t.Error(d)
			}
			if v.Count != tt.count {
				t.Errorf("Count = %d, want %d", v.Count, tt.count)
			}
			for _, f := range v.Findings {
				if f.File != "x" {
					t.Errorf("a finding is in file %q", f.File)
				}
			}
		})
	}
}

// T3: a tool that is defined in two files is an error in the second.
func TestCheckerKnowsNames(t *testing.T) {
	c := NewChecker(nil, tool.Loader{})
	if v := c.File("a.yaml", []byte(greetYAML), Definition); len(v.Findings) > 0 {
		t.Fatal(v.Findings)
	}
	v := c.File("b.yaml", []byte("\n"+greetYAML), Definition)
	if d := cmp.Diff([]string{"2:7 error TD011 -"}, brief(v.Findings)); d != "" {
		t.Fatal(d)
	}
	if message := v.Findings[0].Message; !strings.Contains(message, "a.yaml:1") {
		t.Errorf("the message does not say where the first stands: %s", message)
	}
}

// checkKinds: telling a kind, and checking a file of any kind, ends well.
func checkKinds(t *testing.T, answers *schema.Schema, src []byte) {
	if kind, ok := KindOf(src); ok != (kind != "") {
		t.Errorf("KindOf = %q, %v", kind, ok)
	}
	for _, kind := range Kinds {
		v := NewChecker(answers, tool.Loader{}).File("x", src, kind)
		for _, f := range v.Findings {
			if f.Message == "" || f.Code.Rule().Slug == "" {
				t.Errorf("a finding says nothing: %+v", f)
			}
		}
	}
}
