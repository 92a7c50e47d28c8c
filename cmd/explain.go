package cmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/dialect"
	"oneshot/pkg/wire"
)

// document prints what the program knows about findings and dialects.
func (o *parseOptions) document(args []string) error {
	if len(args) > 0 {
		return usagef("leave out "+args[0], "--list-codes, --list-dialects and --explain read no files")
	}
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	switch {
	case o.listCodes:
		return o.codes()
	case o.listDialects:
		return o.dialects()
	}
	return o.rule()
}

func (o *parseOptions) codes() error {
	if o.format == "json" {
		return report.JSON(o.console.out, ruleDocs(diag.Rules))
	}
	w := tabwriter.NewWriter(o.console.out, 0, 0, 2, ' ', 0)
	for _, r := range diag.Rules {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Code, r.Code.Family().Name, r.Severities(), r.Slug, r.Title)
	}
	return w.Flush()
}

// A ruleDoc is a code as it is shown in JSON.
type ruleDoc struct {
	Family string `json:"family"`
	diag.Rule
}

func ruleDocs(rules []diag.Rule) []ruleDoc {
	var docs []ruleDoc
	for _, r := range rules {
		docs = append(docs, ruleDoc{r.Code.Family().Name, r})
	}
	return docs
}

// A dialectDoc is a dialect as it is shown.
type dialectDoc struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Aliases  []string `json:"aliases,omitempty"`
	Families []string `json:"families,omitempty"` // models that write it without being told to
	Taught   bool     `json:"taught"`             // a prompt can tell a model to write it
	Thinks   []string `json:"reasoning"`          // the marks around what a model thinks
	Doc      string   `json:"doc"`
	Example  string   `json:"example"`
}

func (o *parseOptions) dialects() error {
	var docs []dialectDoc
	for _, d := range dialect.Dialects() {
		docs = append(docs, dialectDoc{d.Name, d.Title, d.Aliases, d.Families, d.Taught(), d.Wrappers(), d.Doc, d.Example})
	}
	for _, f := range wire.Formats {
		docs = append(docs, dialectDoc{Name: f.Name, Title: "The response of a server: " + f.Title, Thinks: []string{}})
	}
	if o.format == "json" {
		return report.JSON(o.console.out, docs)
	}
	w := tabwriter.NewWriter(o.console.out, 0, 0, 2, ' ', 0)
	for _, d := range docs {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, d.Title, strings.Join(d.Aliases, ", "))
	}
	return w.Flush()
}

// rule explains a code, or all codes of a slug.
func (o *parseOptions) rule() error {
	var rules []diag.Rule
	for _, r := range diag.Rules {
		if strings.EqualFold(string(r.Code), o.explain) || r.Slug == o.explain {
			rules = append(rules, r)
		}
	}
	switch {
	case len(rules) == 0:
		return unknownCode("--explain", o.explain)
	case o.format == "json":
		return report.JSON(o.console.out, ruleDocs(rules))
	}
	for i, r := range rules {
		if i > 0 {
			fmt.Fprintln(o.console.out)
		}
		printRule(o.console.out, r)
	}
	return o.console.out.err
}

// printRule explains a code. The writer remembers its error.
func printRule(w io.Writer, r diag.Rule) {
	fmt.Fprintf(w, "%s %s (%s)\n\n%s\n\n%s\n", r.Code, r.Slug, r.Severities(), r.Title, r.Text)
	for _, example := range []struct{ title, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		if example.text != "" {
			fmt.Fprintf(w, "\n%s:\n\n    %s\n", example.title, strings.ReplaceAll(example.text, "\n", "\n    "))
		}
	}
	if r.Fix != "" {
		fmt.Fprintf(w, "\nFix: %s\n", fixes[r.Fix])
	}
	family := r.Code.Family()
	fmt.Fprintf(w, "\nFamily %s: %s. %s\n", family.Name, family.Title, family.Examples)
}

// fixes says what the kinds of fixes mean.
var fixes = map[diag.FixKind]string{
	diag.Safe:    "safe, it cannot change the meaning",
	diag.Unsafe:  "unsafe, it can change the meaning",
	diag.Display: "only shown, never applied",
}
