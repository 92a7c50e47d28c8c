package endtoend

import (
	"fmt"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

const codePage = "docs/findings.md"

// TestCodesFresh compares the page of codes with the list that it is printed from
// (C2).
func TestCodesFresh(t *testing.T) {
	want := renderCodes()
	if *update {
		if err := os.WriteFile(codePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(codePage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s is stale, make fresh writes it (-want +have):\n%s", codePage, diff)
	}
}

// renderCodes writes the page of codes.
func renderCodes() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Findings

Explain a finding: `+"`oneshot explain CODE`"+` prints its section of this page. `+"`oneshot parse --list-codes`"+` lists the codes.

This page has the %d kinds of findings of `+"`oneshot parse`, `oneshot validate` and `oneshot run`"+`. The meaning of a code never changes.

* An **error** is a loss, a block or an uncertainty. A call with an error is not executed.
* A **warning** is a fault that was repaired with certainty, and that a strict parser would refuse. With `+"`--strict`"+` it is an error.
* **Info** is style.
* A **safe** fix cannot change the executed call; `+"`parse --fix`"+` applies it. An **unsafe** fix can, and is only suggested.

If a code has several severities, the first is the usual one. This page is generated from `+"`pkg/diag`"+`.

| family | about | codes |
|---|---|---|
`, len(diag.Rules))
	for _, f := range diag.Families {
		var links []string
		for _, c := range diag.CodesByName(f.Name) {
			links = append(links, "["+string(c)+"](#"+strings.ToLower(string(c))+"-"+c.Rule().Slug+")")
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", f.Name, f.Name, cell(f.Title), strings.Join(links, " "))
	}
	for _, f := range diag.Families {
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n", f.Name, f.Title, f.Examples)
		for _, c := range diag.CodesByName(f.Name) {
			renderRule(&b, c.Rule())
		}
	}
	return b.String()
}

// renderRule writes the part of the page about one code.
func renderRule(b *strings.Builder, r diag.Rule) {
	fix := ""
	if r.Fix != "" {
		fix = ", fix: " + string(r.Fix)
	}
	fmt.Fprintf(b, "\n### %s %s\n\n**%s** (%s%s)\n\n%s\n", r.Code, r.Slug, markdown(strings.TrimSuffix(r.Title, ".")), strings.ReplaceAll(r.Severities(), "|", " or "), fix, markdown(r.Text))
	for _, example := range []struct{ title, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		fmt.Fprintf(b, "\n%s:\n\n````text\n%s\n````\n", example.title, strings.TrimSuffix(example.text, "\n"))
	}
}
