package lint

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/tool"
)

// K3: an agent file means the same in YAML and in JSON.
func TestAgentForms(t *testing.T) {
	words := rapid.StringMatching(`[a-zé"'#:{}\[\]&*!|>%@ 0-9.-]{1,12}`)
	names := rapid.StringMatching(`[a-z_][a-z0-9_-]{0,6}`).Filter(func(s string) bool { return s != agentfile.PromptVariable })
	values := map[string]*rapid.Generator[any]{
		"name": words.AsAny(), "description": words.AsAny(), "system": words.AsAny(), "prompt": words.AsAny(),
		"model": rapid.SliceOfN(words, 1, 3).AsAny(), "tool": words.AsAny(), "max_turns": rapid.IntRange(1, 1<<40).AsAny(),
		"temperature": rapid.SampledFrom([]any{0.25, 1, -3.5}), "seed": rapid.Int64().AsAny(), "read_only": rapid.Bool().AsAny(),
		"header": rapid.MapOfN(names, words, 1, 3).AsAny(), "param": rapid.MapOfN(names, rapid.OneOf(words.AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny()), 1, 3).AsAny(),
		"schema": rapid.Just[any](map[string]any{"type": "object", "required": []string{"a"}}), "timeout": rapid.SampledFrom([]any{"5m", "1.5s"}),
		"vars": rapid.MapOfN(names, rapid.Just(map[string]any{"type": "integer", "default": 7}), 1, 3).AsAny(),
	}
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	rapid.Check(t, func(t *rapid.T) {
		doc := map[string]any{"version": 1}
		for _, key := range rapid.SliceOfDistinct(rapid.SampledFrom(keys), rapid.ID[string]).Draw(t, "keys") {
			doc[key] = values[key].Draw(t, key)
		}
		asJSON, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := yaml.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		c := NewChecker(nil, tool.Loader{}, V1Defaults{}, nil)
		j, y := c.CheckFile("a.json", asJSON, Agent), c.CheckFile("a.yaml", asYAML, Agent)
		if d := cmp.Diff(messages(j), messages(y)); d != "" {
			t.Fatalf("findings:\n%s\n%s\n%s", d, asJSON, asYAML)
		}
		if d := cmp.Diff(ordered(j.Agent), ordered(y.Agent)); d != "" {
			t.Fatalf("%s\n%s\n%s", d, asJSON, asYAML)
		}
	})
}

// messages returns the codes and messages of the findings of a file, sorted and without positions.
func messages(r FileResult) (said []string) {
	for _, f := range r.Findings {
		said = append(said, string(f.Code)+" "+f.Message)
	}
	slices.Sort(said)
	return said
}

// ordered sorts the members of mappings, whose order the two libraries choose.
func ordered(f *agentfile.File) *agentfile.File {
	if f != nil {
		slices.SortFunc(f.Variables, func(a, b agentfile.Variable) int { return strings.Compare(a.Name, b.Name) })
		slices.Sort(f.Flags["header"])
		slices.Sort(f.Flags["param"])
	}
	return f
}
