package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"oneshot/pkg/dialect"
	"oneshot/pkg/schema"
)

// K3: the keys of an agent file are the flags of run that have a key in the table, and the keys without a flag. A flag without
// a key has a reason.
func TestAgentKeys(t *testing.T) {
	text, _ := schema.PublishedText("agent_config.v2")
	properties := gjson.GetBytes(text, "properties").Map()
	noFlag := []string{"version", "name", "description", "prompt", "vars"}
	keys := map[string]bool{}
	set := newRun(Env{}, nil).Flags()
	for row := range flagRows(new(options), forRun) {
		key := strings.ReplaceAll(row.name, "-", "_")
		keys[key] = true
		property, ok := properties[key]
		switch {
		case ok == (row.agent&isKey == 0) || ok == (row.noKey != ""):
			t.Errorf("--%s: the schema has a key: %v, and the table says %d %q", row.name, ok, row.agent, row.noKey)
		case ok && !takes(property, set.Lookup(row.name)):
			t.Errorf("--%s is %s, and the schema says %s", row.name, set.Lookup(row.name).Value.Type(), property.Raw)
		case row.agent&widens != 0 && row.replay != widening && row.name != "root":
			t.Errorf("--%s widens beside an agent and not in a replay", row.name)
		case row.replay == widening && ok && row.agent&(widens|adds) == 0:
			t.Errorf("--%s: an agent could widen --policy", row.name)
		case row.isProgram && ok && !property.Get("enum").Exists():
			t.Errorf("--%s: an agent could name a program", row.name)
		}
	}
	for key := range properties {
		if keys[key] == slices.Contains(noFlag, key) {
			t.Errorf("the key %s: there is a flag: %v", key, keys[key])
		}
	}
}

// The schema of agent files lists all dialects and their aliases.
func TestAgentDialects(t *testing.T) {
	text, _ := schema.PublishedText("agent_config.v2")
	var got []string
	for _, name := range gjson.GetBytes(text, "properties.dialect.enum").Array() {
		got = append(got, name.String())
	}
	want := []string{"auto", native}
	for _, d := range dialect.Dialects() {
		want = append(append(want, d.Name), d.Aliases...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the schema lists %q, want %q", got, want)
	}
}

// takes reports whether a property has the type of a flag.
func takes(property gjson.Result, flag *pflag.Flag) bool {
	has := func(wants ...string) bool {
		said := property.Get("type").String() + property.Get(`\$ref`).String()
		return slices.Contains(wants, said) || slices.Contains(wants, "enum") && property.Get("enum").Exists()
	}
	switch flag.Value.Type() {
	case "bool":
		return has("boolean")
	case "int", "int64":
		return has("integer")
	case "float64", "USD":
		return has("number")
	case "duration":
		return has("#/$defs/duration")
	case "string":
		return has("string", "enum") || flag.Name == "schema" && property.Get("anyOf").Exists()
	case "stringArray":
		return has("#/$defs/names", "#/$defs/eachProvider", "object") || property.Get("anyOf").Exists()
	}
	return false
}
