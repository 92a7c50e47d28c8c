package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is where help pages wrap, in columns.
const helpWidth = 100

// groupedUsage returns a function that prints the usage of a command: its flags under the headings of the table, and the
// others last.
func groupedUsage(on commands) func(*cobra.Command) error {
	return func(c *cobra.Command) error { return printGroupedUsage(c, on) }
}

func printGroupedUsage(c *cobra.Command, on commands) error {
	w := c.OutOrStderr()
	printSynopsis(w, c)
	seen := map[string]bool{}
	for _, g := range flagTable(new(options)) {
		set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, r := range g.rows {
			if r.on&on != 0 {
				seen[r.name] = true
				set.AddFlag(c.Flags().Lookup(r.name))
			}
		}
		printFlags(w, g.title, set)
	}
	rest := pflag.NewFlagSet("rest", pflag.ContinueOnError)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !seen[f.Name] {
			rest.AddFlag(f)
		}
	})
	printFlags(w, "Other", rest)
	return nil
}

// printUsage prints the usage of a command: its line, examples, subcommands and flags.
func printUsage(c *cobra.Command) error {
	w := c.OutOrStderr()
	printSynopsis(w, c)
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(w, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	printFlags(w, "Flags", c.LocalFlags())
	printFlags(w, "Global Flags", c.InheritedFlags())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help shows the help of a command.\n", c.CommandPath())
	}
	return nil
}

// printSynopsis prints how a command is called.
func printSynopsis(w io.Writer, c *cobra.Command) {
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
}

// printFlags prints the flags of a set under a heading, and nothing without flags.
func printFlags(w io.Writer, title string, set *pflag.FlagSet) {
	if set.HasAvailableFlags() {
		fmt.Fprintf(w, "\n%s:\n%s", title, set.FlagUsagesWrapped(helpWidth))
	}
}
