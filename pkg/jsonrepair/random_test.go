package jsonrepair

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/internal/testsize"
)

// scraps are the parts of random strings: text that a reader could mistake for
// the end of a string, or for the token after it.
var scraps = []string{
	"a", "b c", ", ", ",", ":", ": ", "{", "}", "[", "]", "(", ")", `"`, `"`, "'", "`", "```", "\n", "\\", "/", "//", "/*", "*/", "#",
	"+", "...", "-", "1", "é", "“", "”", "true", "null", " ", "=", ";", "x: ", "\t", "http://x/",
}

// value returns a random JSON value.
func value(g *rand.Rand, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch g.IntN(kinds) {
	case 0:
		return g.IntN(1000)
	case 1:
		return []any{true, false, nil}[g.IntN(3)]
	case 2, 3:
		var b strings.Builder
		for range g.IntN(6) {
			b.WriteString(scraps[g.IntN(len(scraps))])
		}
		return b.String()
	case 4:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, value(g, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range g.IntN(4) {
		m[[]string{"a", "key", "two words", "n1", "ü", "x:y"}[g.IntN(6)]] = value(g, depth-1)
	}
	return m
}

// marshal encodes a value without HTML escapes.
func marshal(t *testing.T, v any, indent string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestOneFault checks that one small fault does not change the well-formed JSON
// around it.
func TestOneFault(t *testing.T) {
	faults := map[string]func(string) string{
		"a comma behind it":      func(s string) string { return s + "," },
		"a comment before it":    func(s string) string { return "// c\n" + s },
		"a fence around it":      func(s string) string { return "```json\n" + s + "\n```" },
		"a bracket too many":     func(s string) string { return s + "}" },
		"the last bracket":       func(s string) string { return s[:len(s)-1] },
		"a comma at the end":     func(s string) string { return s[:len(s)-1] + "," + s[len(s)-1:] },
		"an item without quotes": func(s string) string { return strings.Replace(s, "[", "[None, ", 1) },
	}
	g := rand.New(rand.NewPCG(7, 7))
	for n := range testsize.Pick(3000, 300) {
		v := []any{value(g, 3), value(g, 2), map[string]any{"k": value(g, 1)}}
		for name, fault := range faults {
			text := fault(marshal(t, v, []string{"", "  "}[n%2]))
			want := v
			if name == "an item without quotes" {
				want = append([]any{nil}, v...)
			}
			got := JSON(text)
			if !cmp.Equal(decoded(t, []byte(marshal(t, want, ""))), decoded(t, got.Value)) {
				t.Fatalf("%s: %s\nis read as %s", name, text, got.Value)
			}
		}
	}
}
