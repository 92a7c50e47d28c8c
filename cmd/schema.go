package cmd

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"oneshot/pkg/schema"
)

func newSchema(env Env, t *console) *cobra.Command {
	names := listed(func(Env, *options, string) []cobra.Completion { return schema.PublishedNames() })
	return &cobra.Command{
		Use:               "schema [flags] [NAME]",
		Short:             "Print the published JSON Schemas",
		Long:              "Schema lists the names of the published JSON Schemas, one per line, or prints one.",
		Example:           "  oneshot schema\n  oneshot schema envelope.v1",
		Args:              atMostArguments(1, ""),
		ValidArgsFunction: names.completeFirst(env, nil),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listSchemas(t)
			}
			return printSchema(t, args[0])
		},
	}
}

func listSchemas(t *console) error {
	for _, name := range schema.PublishedNames() {
		if _, err := fmt.Fprintln(t.out, name); err != nil {
			return err
		}
	}
	return nil
}

func printSchema(t *console, name string) error {
	text, ok := schema.PublishedText(name)
	if !ok {
		hint := cmp.Or(schema.DidYouMean(name, schema.PublishedNames()), "see oneshot schema")
		return usagef(hint, "unknown schema %q", name)
	}
	_, err := t.out.Write(text)
	return err
}
