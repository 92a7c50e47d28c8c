package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/chat"
)

// newErrorCodes is "oneshot error-codes", which is also the page "oneshot help
// error-codes".
func newErrorCodes() *cobra.Command {
	return &cobra.Command{
		Use:     "error-codes",
		Short:   "Print the table of what can go wrong with a call",
		Long:    "A call that fails has one of these codes in its result, and no other.\n\n" + errorTable(),
		Example: "  oneshot error-codes\n  oneshot help error-codes",
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(c.OutOrStdout(), errorTable())
			return err
		},
	}
}

// errorTable renders the codes as Markdown.
func errorTable() string {
	var b strings.Builder
	b.WriteString("| code | meaning | what to do | try again |\n|---|---|---|---|\n")
	for _, d := range chat.ErrorCodes {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.Code, d.Text, d.Help, map[bool]string{true: "later", false: "no"}[d.Retryable])
	}
	return b.String()
}
