package endtoend

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"oneshot/pkg/dialect"
)

const dialectPage = "docs/dialects.md"

// TestDialectsFresh compares the page of dialects with the table that it is
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
		t.Errorf("%s is stale, make fresh writes it (-want +have):\n%s", dialectPage, diff)
	}
}

// unreadForms is the section about forms without a dialect.
const unreadForms = `
## Forms without a dialect

| form | reading |
|---|---|
| Command R+: ` + "`Action:`" + ` and a JSON list in a fence | [json_generic](#json_generic) reads the list (TC105) |
| Cline, Roo Code: ` + "`<TOOL><PARAM>…`" + ` | Only the tool's name tells a call from other tags. With definitions it is TC113, and not run. |
| Cline, MiroThinker: ` + "`<use_mcp_tool>`" + ` | Not read, and no finding: a call has no member for the name of the server. |
| llama.cpp's fallback: ` + "`{\"tool_call\": {…}}`" + ` | Not read: with definitions it is TC113. The server returns it as a native call; ` + "`tool_calls`" + ` with a list is [toolcalls](#toolcalls). |
| ` + "`{\"function_call\": {…}}`" + ` in text | Not read: with definitions it is TC113. In the body of a response it is a native call. |
| NexusRaven: ` + "`Call: f(a=1)`" + ` | Not read: clients remove the English word and evaluate the rest. |
| Gorilla: ` + "`<<function>>f(a=1)`" + ` | Not read: found in no parser of a server and in no chat template. |
| SmolLM 3: ` + "`<code>`" + ` | Not read: it contains a program, and oneshot executes none. |
`

// renderDialects writes the page of dialects.
func renderDialects() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Dialects

Find the dialect of a reply: `+"`oneshot parse reply.txt`"+` detects it and reports the faults. `+"`--dialect NAME`"+` sets it.

If a server has no tool-call field, or its template has no tools, use the dialect in which the model was trained: `+"`oneshot run --dialect hermes`"+`. Print the
text that the model then gets:

`+"```sh"+`
oneshot prompt --dialect hermes --tool wget
`+"```"+`

The system prompt lists the tools as models of this dialect expect them, and shows how a call and the end of the work are written. Calls are read as in any
other run: policy, copies of calls in results and input, quotes, drafts. Results are wrapped in the dialect's own tags, if it has any. `+"`--nonce`"+` needs a dialect whose
calls are in fences: tool or gemini_tool_code.

The reasoning delimiters of each dialect below also count in all others, except ordinary words. So do
`+"`<thinking>`, `<thought>` and `<reasoning>`"+`. No call in reasoning is run.

This page has the %d dialects that `+"`oneshot parse`"+` reads and a run can use. A model that is not in the list often writes one of them too.

Where calls are tags, definitions (`+"`--tools`"+`) give the types of the values. Without definitions a complete JSON array or object is that value and
everything else is text, unless the tag names the type. There are two exceptions, as in the servers of these models: in minimax_m2 every such value is text, and in
minimax_m3, where arrays and objects are tags, numbers, true, false and null have their JSON types.

This page is generated from the table in `+"`pkg/dialect`"+`.

## By model

| model | dialect |
|---|---|
`, len(dialect.Dialects()))
	for _, m := range models() {
		fmt.Fprintf(&b, "| %s | %s |\n", m.name, strings.Join(m.dialects, ", "))
	}
	b.WriteString("\n## By format\n\n| dialect | how it looks | written by | other names |\n|---|---|---|---|\n")
	for _, d := range dialect.Dialects() {
		by := cmp.Or(strings.Join(d.Families, ", "), "any model, if the prompt teaches it")
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", link(d), cell(d.Title), by, strings.Join(d.Aliases, ", "))
	}
	b.WriteString(unreadForms)
	for _, d := range dialect.Dialects() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", d.Name, markdown(d.Doc))
		fmt.Fprintf(&b, "Reasoning: %s\n\n````text\n%s````\n", codes(d.ReasoningDelimiters()), d.Example)
	}
	return b.String()
}

// A family is a family of models, with links to the dialects that it writes.
type family struct {
	name     string
	dialects []string
}

// models returns the families in the table of dialects, by name.
func models() []family {
	var all []family
	for _, d := range dialect.Dialects() {
		for _, name := range d.Families {
			i := slices.IndexFunc(all, func(f family) bool { return f.name == name })
			if i < 0 {
				i = len(all)
				all = append(all, family{name: name})
			}
			all[i].dialects = append(all[i].dialects, link(d))
		}
	}
	slices.SortFunc(all, func(a, b family) int {
		return cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	return all
}

func link(d dialect.Dialect) string { return "[" + d.Name + "](#" + d.Name + ")" }

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(markdown(text), "|", `\|`) }

// markdown escapes text so that it contains no HTML tags.
func markdown(text string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text) }

func codes(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + w + "`"
	}
	return strings.Join(quoted, ", ")
}
