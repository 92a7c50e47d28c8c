package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagGroup is a heading of a help page and the flags under it.
type flagGroup struct {
	title string
	flags []string
}

// groupedUsage prints the flags of a command under headings; flags in no group
// come last.
func groupedUsage(groups []flagGroup) func(*cobra.Command) error {
	return func(c *cobra.Command) error {
		w := c.OutOrStderr()
		fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
		seen := map[string]bool{}
		for _, g := range groups {
			set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
			set.SortFlags = false
			for _, name := range g.flags {
				seen[name] = true
				if f := c.Flags().Lookup(name); f != nil {
					set.AddFlag(f)
				}
			}
			fmt.Fprintf(w, "\n%s:\n%s", g.title, set.FlagUsages())
		}
		rest := pflag.NewFlagSet("rest", pflag.ContinueOnError)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !seen[f.Name] {
				rest.AddFlag(f)
			}
		})
		_, err := fmt.Fprintf(w, "\nOther:\n%s", rest.FlagUsages())
		return err
	}
}
