package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
)

// K3: the keys of an agent file are the flags of run. Those that mean one run, and
// no agent, have none; what has no flag is listed.
func TestAgentKeys(t *testing.T) {
	text, _ := schema.PublishedText("agent_config.v2")
	properties := gjson.GetBytes(text, "properties").Map()
	noKey := []string{
		"dry-run", // a file whose runs do nothing would only surprise
		"run-file", "resume", "answer", "approve-call",
		"trust-input", // whoever starts a run vouches for its input
	}
	noFlag := []string{"version", "name"} // of the file alone
	keys := map[string]bool{}
	newRun(Env{}, nil).Flags().VisitAll(func(f *pflag.Flag) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		keys[key] = true
		property, ok := properties[key]
		switch {
		case ok == slices.Contains(noKey, f.Name):
			t.Errorf("--%s: the schema has a key: %v", f.Name, ok)
		case ok && !takes(property, f.Value.Type()):
			t.Errorf("--%s is %s, and the schema says %s", f.Name, f.Value.Type(), property.Raw)
		}
	})
	for key := range properties {
		if keys[key] == slices.Contains(noFlag, key) {
			t.Errorf("the key %s: there is a flag: %v", key, keys[key])
		}
	}
}

// takes reports whether a property has the type of a flag.
func takes(property gjson.Result, flag string) bool {
	has := func(wants ...string) bool {
		said := property.Get("type").String() + property.Get(`\$ref`).String()
		return slices.Contains(wants, said) || slices.Contains(wants, "enum") && property.Get("enum").Exists()
	}
	switch flag {
	case "bool":
		return has("boolean")
	case "int", "int64":
		return has("integer")
	case "float64":
		return has("number")
	case "duration":
		return has("#/$defs/duration")
	case "string":
		return has("string", "enum")
	case "stringArray":
		return has("#/$defs/names", "#/$defs/eachProvider", "object") || property.Get("anyOf").Exists()
	}
	return false
}
