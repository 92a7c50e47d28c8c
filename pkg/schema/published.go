package schema

import (
	"embed"
	"strings"
)

// publishedFS contains the schemas of everything oneshot reads and writes. Each
// is self-contained.
//
//go:embed published/*.json
var publishedFS embed.FS

// PublishedNames returns the names of the published schemas with their versions, sorted: "result.v1".
func PublishedNames() []string {
	entries, err := publishedFS.ReadDir("published")
	if err != nil { // embedded: always present
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return names
}

// PublishedText returns the text of a published schema.
func PublishedText(name string) ([]byte, bool) {
	text, err := publishedFS.ReadFile("published/" + name + ".json")
	return text, err == nil
}
