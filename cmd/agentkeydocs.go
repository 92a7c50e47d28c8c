package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
)

// A keyDoc explains a key of agent files, or why a flag has none.
type keyDoc struct {
	Family   string `json:"family"`
	Key      string `json:"key"`
	Meaning  string `json:"meaning,omitempty"`   // "" if there is no such key
	WithFlag string `json:"with_flag,omitempty"` // the effect of the flag of the command line on it
	Default  string `json:"default,omitempty"`   // whether the environment and config.yaml set it
	NoKey    string `json:"no_key,omitempty"`    // why the flag has no key
}

// agentKeyDocs explains the keys in the order of the schema, then the flags without one.
func agentKeyDocs() (docs []keyDoc) {
	text, _ := schema.PublishedText("agent_config.v2")
	rows := rowsOf(forRun)
	gjson.GetBytes(text, "properties").ForEach(func(key, property gjson.Result) bool {
		row := rows[strings.ReplaceAll(key.Str, "_", "-")]
		docs = append(docs, keyDoc{
			Family: keyFamily, Key: key.Str, Meaning: property.Get("description").Str, WithFlag: row.describeOverride(),
			Default: map[defaultRule]string{settable: "yes", lowers: "lower values"}[row.defaults],
		})
		return true
	})
	for row := range flagRows(new(options), forRun) {
		if row.noKey != "" {
			docs = append(docs, keyDoc{Family: keyFamily, Key: strings.ReplaceAll(row.name, "-", "_"), NoKey: row.noKey})
		}
	}
	return docs
}

// describeOverride describes the effect of a flag of the command line on its key.
func (r flagRow) describeOverride() string {
	switch {
	case r.name == "":
		return ""
	case r.agent&adds != 0:
		return "adds"
	case r.agent&widens != 0:
		return "replaces; --policy and --read-only turn it off"
	}
	return "replaces"
}

func (d keyDoc) matches(name string) bool { return name == keyFamily || name == d.Key }

func (d keyDoc) print(w io.Writer) {
	if d.NoKey != "" {
		fmt.Fprintf(w, "agent files have no key %s\n\nThe flag --%s is for the command line: %s.\n", d.Key, strings.ReplaceAll(d.Key, "_", "-"), d.NoKey)
		return
	}
	fmt.Fprintf(w, "%s: (agent files)\n\n%s\n\nThe flag: %s\nEnvironment and config.yaml: %s\n", d.Key, d.Meaning, cmp.Or(d.WithFlag, "none"), cmp.Or(d.Default, "no"))
}

// agentKeyTable renders the tables of keys as Markdown.
func agentKeyTable() string {
	var b strings.Builder
	b.WriteString("| key | meaning | the flag | environment, config.yaml |\n|---|---|---|---|\n")
	docs := agentKeyDocs()
	for _, d := range docs {
		if d.NoKey == "" {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Key, d.Meaning, cmp.Or(d.WithFlag, "none"), cmp.Or(d.Default, "no"))
		}
	}
	b.WriteString("\n| flag without a key | reason |\n|---|---|\n")
	for _, d := range docs {
		if d.NoKey != "" {
			fmt.Fprintf(&b, "| `--%s` | %s |\n", strings.ReplaceAll(d.Key, "_", "-"), d.NoKey)
		}
	}
	return b.String()
}
