package schema

import (
	"embed"
	"strings"
)

// publishedFS holds the schemas of everything the tool reads and writes. Each
// stands on its own: it refers to nothing outside itself.
//
//go:embed published/*.json
var publishedFS embed.FS

// PublishedNames returns the names of the published schemas, sorted, each with its
// version: "result.v1".
func PublishedNames() []string {
	entries, err := publishedFS.ReadDir("published")
	if err != nil { // embedded: it is there
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return names
}

// PublishedText returns the text of the published schema of that name.
func PublishedText(name string) ([]byte, bool) {
	text, err := publishedFS.ReadFile("published/" + name + ".json")
	return text, err == nil
}
