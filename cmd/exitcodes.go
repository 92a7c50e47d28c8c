package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newExitCodes is "oneshot exit-codes", which is also the page "oneshot help
// exit-codes".
func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:     "exit-codes",
		Short:   "Print the table of exit codes",
		Long:    "Every way to end has a code of its own. An unknown code that is not 0 is a failure.\n\n" + exitTable(),
		Example: "  oneshot exit-codes\n  oneshot help exit-codes",
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(c.OutOrStdout(), exitTable())
			return err
		},
	}
}
