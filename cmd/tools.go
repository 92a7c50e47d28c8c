package cmd

import (
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"oneshot/pkg/diag/report"
	"oneshot/pkg/tool"
)

// toolsOptions are the flags of "oneshot tools list" and "oneshot tools show".
type toolsOptions struct {
	env     Env
	console *console
	options
	format string
}

func newTools(env Env, t *console) *cobra.Command {
	o := &toolsOptions{env: env, console: t}
	list := &cobra.Command{
		Use:     "list [flags]",
		Short:   "List the available tools",
		Long:    `List prints the selected tools, or all shipped tools if no flag selects any.`,
		Example: "  oneshot tools list\n  oneshot tools list --tool 'vault_*' --format json",
		RunE:    func(c *cobra.Command, _ []string) error { return o.list(c) },
	}
	show := &cobra.Command{
		Use:     "show [flags] NAME",
		Short:   "Show the definition of one tool",
		Example: "  oneshot tools show wget\n  oneshot tools show vault_search --format json",
		Args:    oneArgument("NAME", showsTools),
		RunE:    func(c *cobra.Command, args []string) error { return o.show(c, args[0]) },
	}
	for _, c := range []*cobra.Command{list, show} {
		o.define(c, env, forTools|forList)
		c.Flags().StringVar(&o.format, "format", "text", "print `FORMAT`: text or json")
	}
	show.ValidArgsFunction = listed(toolNames).completeFirst(env, &o.options)
	group := &cobra.Command{Use: "tools", Short: "List, show and call tools", Example: list.Example}
	group.AddCommand(list, show, newToolsCall(env, t))
	return group
}

func (o *toolsOptions) list(c *cobra.Command) error {
	registry, err := o.load(c)
	if err != nil {
		return err
	}
	docs := []toolDoc{}
	for _, d := range registry.All() {
		docs = append(docs, newToolDoc(d))
	}
	if o.format == "json" {
		return report.JSON(o.console.out, docs)
	}
	list := &table{heading: true, rows: [][]string{{"NAME", "EFFECT", "SOURCE", "DESCRIPTION"}}, color: effectColor}
	for _, d := range docs {
		list.rows = append(list.rows, []string{d.Name, string(d.Effect), report.EscapeLine(d.Source), report.EscapeLine(firstSentence(d.Description))})
	}
	return o.console.printTable(list)
}

// effectColor returns the colour of a cell of "tools list": effects beyond reading have one.
func effectColor(column int, cell string) color.Attribute {
	if column != 1 {
		return 0
	}
	switch tool.Effect(cell) {
	case tool.Write:
		return color.FgYellow
	case tool.Exec:
		return color.FgRed
	}
	return 0
}

// load returns the selected definitions.
func (o *toolsOptions) load(c *cobra.Command) (*tool.Registry, error) {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return nil, err
	}
	if err := o.fillFromAgent(o.env, o.console, c.Flags(), forTools|forList); err != nil {
		return nil, err
	}
	return o.tools.load(o.env, o.console)
}

// firstSentence returns the beginning of a description, up to its first full
// stop.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if first, _, ok := strings.Cut(text, ". "); ok {
		return first + "."
	}
	return text
}
