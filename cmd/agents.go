package cmd

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/diag/report"
)

// agentsOptions are the flags of "oneshot agents".
type agentsOptions struct {
	env     Env
	console *console
	format  string
}

func newAgents(env Env, t *console) *cobra.Command {
	o := &agentsOptions{env: env, console: t}
	list := &cobra.Command{
		Use:     "list [flags]",
		Short:   "List the agents in the configuration directory",
		Long:    `List prints the agents that oneshot run --agent NAME finds. A broken file is listed with its error.`,
		Example: "  oneshot agents list\n  oneshot agents list --format json",
		RunE:    func(*cobra.Command, []string) error { return o.list() },
	}
	show := &cobra.Command{
		Use:   "show [flags] NAME|FILE",
		Short: "Show what a run of an agent would use",
		Long: `Show prints the agent and each flag of its run with its value and where the value is
from: the agent file, the environment, config.yaml or a default. Read it before you
run the agent of another person.`,
		Example: "  oneshot agents show testdata/readme/agent.yaml\n  oneshot agents show testdata/readme/agent.yaml --format json",
		Args:    oneArgument("NAME", "see oneshot agents list"),
		RunE:    func(_ *cobra.Command, args []string) error { return o.show(args[0]) },
	}
	for _, c := range []*cobra.Command{list, show} {
		c.Flags().StringVar(&o.format, "format", "text", "print `FORMAT`: text or json")
	}
	show.ValidArgsFunction = installedAgents().completeFirst(env, nil)
	create := &cobra.Command{
		Use:   "new [flags] NAME|FILE",
		Short: "Write a new agent file to fill in",
		Long: `New writes an agent file with comments and prints its path: one in the configuration
directory, which oneshot run finds by its NAME, or FILE. It overwrites no file.`,
		Example: "  oneshot agents new translator\n  oneshot validate \"$(oneshot agents new summary)\"",
		Args:    oneArgument("NAME", "for example: oneshot agents new translator"),
		RunE:    func(_ *cobra.Command, args []string) error { return o.create(args[0]) },
	}
	group := &cobra.Command{Use: "agents", Short: "List, show and create agent files", Example: list.Example}
	group.AddCommand(list, show, create)
	return group
}

// An agentDoc is the JSON form of an agent.
type agentDoc struct {
	Name        string        `json:"name"` // in lists the name for --agent
	Description string        `json:"description,omitempty"`
	File        string        `json:"file"`
	Digest      string        `json:"digest,omitempty"`
	Error       string        `json:"error,omitempty"` // the file is broken: the other members are absent
	Model       []string      `json:"model,omitempty"`
	Tool        []string      `json:"tool,omitempty"`
	Tools       []string      `json:"tools,omitempty"`
	Prompt      string        `json:"prompt,omitempty"`
	Variables   []variableDoc `json:"vars,omitempty"`
	Settings    []settingDoc  `json:"settings,omitempty"` // of show
}

type variableDoc struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required"`
	Default     *string  `json:"default,omitempty"`
	Enum        []string `json:"enum,omitempty"`
}

// A settingDoc is the effective value of a setting, and its source.
type settingDoc struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	Source string   `json:"source"`
}

func newAgentDoc(a *loadedAgent) agentDoc {
	doc := agentDoc{
		Name: a.title(), Description: a.Description, File: a.path, Digest: a.record().Digest, Prompt: a.Prompt,
		Model: a.Flags["model"], Tool: a.Flags["tool"], Tools: a.Flags["tools"],
	}
	for _, v := range a.Variables {
		doc.Variables = append(doc.Variables, newVariableDoc(v))
	}
	return doc
}

func newVariableDoc(v agentfile.Variable) variableDoc {
	doc := variableDoc{Name: v.Name, Type: v.Type, Description: v.Description, Required: v.Required, Enum: v.Enum}
	if v.HasDefault {
		doc.Default = &v.Default
	}
	return doc
}

func (o *agentsOptions) list() error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	docs := []agentDoc{}
	for _, name := range agentNames(o.env) {
		a, findings, err := readAgent(o.env, "agent", name)
		if err != nil {
			doc := agentDoc{Name: name, Error: err.Error()}
			if paths := listAgents(o.env)[name]; len(paths) > 0 {
				doc.File = paths[0]
			}
			if len(findings) > 0 {
				doc.Error = findings[0].Message
			}
			docs = append(docs, doc)
			continue
		}
		doc := newAgentDoc(a)
		doc.Name, doc.Prompt, doc.Variables = name, "", nil
		docs = append(docs, doc)
	}
	if o.format == "json" {
		return report.JSON(o.console.out, docs)
	}
	if len(docs) == 0 {
		o.console.note("no agents in %s", agentsDir(o.env))
		return nil
	}
	list := &table{heading: true, rows: [][]string{{"NAME", "MODEL", "TOOLS", "DESCRIPTION"}}}
	for _, d := range docs {
		what := d.Description
		if d.Error != "" {
			what = "broken: " + d.Error
		}
		list.rows = append(list.rows, []string{
			report.EscapeLine(d.Name), report.EscapeLine(strings.Join(d.Model, ", ")),
			report.EscapeLine(strings.Join(slices.Concat(d.Tools, d.Tool), ", ")), report.EscapeLine(what),
		})
	}
	return o.console.printTable(list)
}

// show prints an agent and the flags of its run.
func (o *agentsOptions) show(name string) error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	a, err := loadAgent(o.env, o.console, "agent", name)
	if err != nil {
		return err
	}
	source, err := a.source(o.console, rowsOf(forRun), flagSource{})
	if err != nil {
		return err
	}
	delete(source.values, "var") // shown as variables
	// [loadedAgent.source] leaves out prompt_file and the input stdin, which a run uses without flags.
	for _, name := range []string{"prompt-file", "input"} {
		if values := a.paths(name, a.Flags[name]); len(values) > 0 {
			source.values[name] = values
		}
	}
	defaults, err := o.console.defaults.sources()
	if err != nil {
		return err
	}
	flags, err := resolveFlags(forRun, flagSource{}, append([]flagSource{source}, defaults...)...)
	if err != nil {
		return err
	}
	doc := newAgentDoc(a)
	doc.Settings = flags.settings(func(row flagRow) bool { return row.agent&isKey != 0 })
	if o.format == "json" {
		return report.JSON(o.console.out, doc)
	}
	return o.print(doc)
}

// settings returns the values of flags that have one, with their sources.
func (r *resolvedFlags) settings(isShown func(flagRow) bool) (docs []settingDoc) {
	for row := range flagRows(&r.options, r.on) {
		f := r.set.Lookup(row.name)
		switch {
		case !isShown(row):
		case f.Changed:
			docs = append(docs, settingDoc{row.name, row.shownValues(flagValues(f)), r.source(row.name)})
		case hasDefault(f):
			docs = append(docs, settingDoc{row.name, flagValues(f), sourceDefault})
		}
	}
	return docs
}

// hasDefault reports whether the default of a flag has an effect: it is not empty, 0 or false.
func hasDefault(f *pflag.Flag) bool {
	return !slices.Contains([]string{"", "[]", "0", "false"}, f.DefValue)
}

// print writes an agent for people.
func (o *agentsOptions) print(d agentDoc) error {
	w := tabwriter.NewWriter(o.console.out, 0, 0, 2, ' ', 0)
	for _, field := range []struct{ name, value string }{
		{"agent", d.Name}, {"description", d.Description}, {"file", d.File}, {"digest", d.Digest}, {"prompt", d.Prompt},
	} {
		if field.value != "" {
			fmt.Fprintf(w, "%s:\t%s\n", field.name, report.EscapeLine(o.console.secrets.Hide(field.value)))
		}
	}
	if len(d.Variables) > 0 {
		fmt.Fprint(w, "\nVARIABLE\tTYPE\tVALUE\tDESCRIPTION\n")
	}
	for _, v := range d.Variables {
		value := "required"
		switch {
		case v.Default != nil:
			value = *v.Default
		case !v.Required:
			value = "empty"
		}
		kind := v.Type
		if v.Enum != nil {
			kind = strings.Join(v.Enum, "|")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Name, report.EscapeLine(kind), report.EscapeLine(value), report.EscapeLine(v.Description))
	}
	fmt.Fprint(w, "\nFLAG\tVALUE\tSOURCE\n")
	for _, s := range d.Settings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, report.EscapeLine(strings.Join(s.Values, ", ")), report.EscapeLine(s.Source))
	}
	return w.Flush()
}
