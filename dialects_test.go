package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"oneshot/pkg/dialect"
)

const dialectPage = "pkg/dialect/README.md"

// TestDialectsFresh holds the page of dialects against the table that it is
// printed from (T5, M6).
func TestDialectsFresh(t *testing.T) {
	want := renderDialects()
	if *update {
		if err := os.WriteFile(dialectPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(dialectPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s is stale, go test . -update writes it (-want +have):\n%s", dialectPage, diff)
	}
}

// renderDialects writes the page of dialects.
func renderDialects() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How models write tool calls

The %d dialects that `+"`oneshot parse`"+` reads, told from the text or named with `+"`--dialect`"+`. This page is printed
from the table in this folder.

| dialect | how it looks | written by | other names |
|---|---|---|---|
`, len(dialect.Dialects))
	for _, d := range dialect.Dialects {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", d.Name, d.Name, cell(d.Title), strings.Join(d.Families, ", "), strings.Join(d.Aliases, ", "))
	}
	for _, d := range dialect.Dialects {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", d.Name, markdown(d.Doc))
		if d.Taught() {
			fmt.Fprintf(&b, "A prompt can teach it: `oneshot run --dialect %s`. It ends the work with `%s`.\n\n", d.Name, d.Ending)
		}
		fmt.Fprintf(&b, "Reasoning: %s\n\n````text\n%s````\n", codes(d.Wrappers()), d.Example)
	}
	return b.String()
}

// cell writes text that may hold marks in a cell of a table.
func cell(text string) string { return strings.ReplaceAll(markdown(text), "|", `\|`) }

// markdown writes text so that a mark in it is no tag of HTML.
func markdown(text string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text) }

func codes(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + w + "`"
	}
	return strings.Join(quoted, ", ")
}
