package cmd

import (
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
)

// printList prints the list that --list-codes or --list-dialects asks for.
func (o *parseOptions) printList(args []string) error {
	if len(args) > 0 {
		return usagef("omit "+args[0], "--list-codes and --list-dialects read no files")
	}
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	if o.listCodes {
		return o.printCodes()
	}
	return o.printDialects()
}

func (o *parseOptions) printCodes() error {
	if o.format == "json" {
		return report.JSON(o.console.out, ruleDocs(diag.Rules))
	}
	list := &table{wraps: true}
	for _, r := range diag.Rules {
		list.rows = append(list.rows, []string{string(r.Code), r.Code.Family().Name, r.Severities(), r.Slug, r.Title})
	}
	return o.console.printTable(list)
}

// A dialectDoc is the JSON form of a dialect.
type dialectDoc struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Aliases  []string `json:"aliases,omitempty"`
	Families []string `json:"families,omitempty"` // models that write it unprompted
	Taught   bool     `json:"taught"`             // a prompt can teach it
	Thinks   []string `json:"reasoning"`          // the markers around reasoning
	Doc      string   `json:"doc"`
	Example  string   `json:"example"`
}

func (o *parseOptions) printDialects() error {
	var docs []dialectDoc
	for _, d := range dialect.Dialects() {
		docs = append(docs, dialectDoc{d.Name, d.Title, d.Aliases, d.Families, true, d.ReasoningDelimiters(), d.Doc, d.Example})
	}
	for _, p := range provider.Protocols() {
		docs = append(docs, dialectDoc{Name: p.Name, Title: "The response of a server: " + p.Title, Thinks: []string{}})
	}
	if o.format == "json" {
		return report.JSON(o.console.out, docs)
	}
	list := &table{wraps: true}
	for _, d := range docs {
		list.rows = append(list.rows, []string{d.Name, d.Title, strings.Join(d.Aliases, ", ")})
	}
	return o.console.printTable(list)
}
